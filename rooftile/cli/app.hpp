// The command line of a program: which commands it has, and running the one that was asked for.
#pragma once

#include <functional>
#include <string>

#include "rooftile/cli/options.hpp"

namespace rooftile::cli {

struct Program {
  std::string name;
  std::string description;
  std::string example;
  std::function<void(CommandList&)> add_commands;
  bool speaks = true;  // false: another of the ranks that share the work does
};

// The exit status: 0, 1 for an error, 2 for wrong usage, 130 after an interrupt. Errors go to standard error in one
// line.
int run(int argc, char** argv, const Program& program);

// `rooftile` with these of its commands.
Program rooftile_with(std::function<void(CommandList&)> add_commands);

}  // namespace rooftile::cli
