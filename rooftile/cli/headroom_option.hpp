// --memory-headroom: what of a GPU's memory is not to be used.
#pragma once

#include <CLI/App.hpp>

namespace rooftile::cli {

// A share, "0.1" or "10%". `unless` is that without the option, for the help.
CLI::Option* add_headroom(CLI::App* app, double& headroom, double unless = 0);

}  // namespace rooftile::cli
