// The command line: which subcommands and options there are, and running the one that was asked for.
#pragma once

namespace rooftile::cli {

// The exit status: 0, 1 for an error, 2 for wrong usage. Errors go to standard error in one line.
int run(int argc, char** argv);

}  // namespace rooftile::cli
