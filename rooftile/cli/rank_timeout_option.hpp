// --rank-timeout: how long one of many ranks may be silent.
#pragma once

#include <CLI/App.hpp>

namespace rooftile::cli {

CLI::Option* add_rank_timeout(CLI::App* app, double& seconds);

}  // namespace rooftile::cli
