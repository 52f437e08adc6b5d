// Options of commands that read measured tables: those of the store instead of files.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace rooftile::cli {

// --db FILE and --stored, which add the path of a store to the tables. To be added after the option for tables;
// `tables` must live as long as the app parses.
void add_store_input(CLI::App* command, std::vector<std::string>& tables);

}  // namespace rooftile::cli
