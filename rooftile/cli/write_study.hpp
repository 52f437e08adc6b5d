// compare --study: what a study's applications give on its GPUs.
#pragma once

#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/output_options.hpp"

namespace rooftile::cli {

// A table, JSON or CSV, or with -o FOLDER all of its files and charts. Errors: no such study, other formats, those of
// the run and of writing.
Result<void> write_study(const std::string& selector, const OutputArguments& output);

}  // namespace rooftile::cli
