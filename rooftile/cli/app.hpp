// The command line: which subcommands and options there are, and running the one that was asked for.
#pragma once

#include "rooftile/cluster/ranks.hpp"

namespace rooftile::cli {

// The exit status: 0, 1 for an error, 2 for wrong usage. Errors go to standard error in one line.
int run(int argc, char** argv);

// The commands that ranks share, of which this program is one. Only the first one speaks.
int run_on_ranks(int argc, char** argv, cluster::Ranks& ranks);

}  // namespace rooftile::cli
