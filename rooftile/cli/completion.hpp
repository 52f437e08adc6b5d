// Shell completion scripts, made from the command line's own description so that they cannot lag behind it.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"

namespace rooftile::cli {

// `shell` is bash, zsh or fish.
Result<std::string> completion_script(const CLI::App& app, const std::string& shell);

}  // namespace rooftile::cli
