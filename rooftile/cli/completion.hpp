// Completion in a shell: the program itself says what may follow the words so far, so that a script never knows less
// than the program.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"

namespace rooftile::cli {

// A script for bash, zsh or fish that asks `rooftile completion` for the words.
std::string completion_script(const std::string& shell);

// What the last of the words, which may be empty, can be completed to: commands, options, and values as the kinds of
// the options say (option_kinds.hpp). Nothing where it is a file, or nothing is known of it; the shell then offers
// files.
std::vector<std::string> completions(const CLI::App& program, const std::vector<std::string>& words);

}  // namespace rooftile::cli
