// -o and --format: how a report is written, and where.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/format.hpp"

namespace rooftile::cli {

struct OutputArguments {
  Format format = Format::table;
  std::string file;  // empty or "-": standard output
};

// Without --format the suffix of the file decides (parse_format).
void add_output_options(CLI::App* app, OutputArguments& output, const std::vector<Format>& formats);

// An empty name, as of a variable that is not set, is none.
Result<void> check_named(const std::string& option, const std::string& path);

// --all, of the layers in a table: every other format has all of them.
Result<void> check_all_layers(bool all, const OutputArguments& output);

// --names, which writes one a line whatever the format.
Result<void> check_names(bool names, const OutputArguments& output);

// A file in one of the formats; of a chart, which is svg, png or pdf as the suffix says.
CLI::Option* add_file(CLI::App* app, const std::string& names, std::string& file, const std::vector<Format>& formats,
                      const std::string& help = "write to this file; - is standard output");
CLI::Option* add_picture(CLI::App* app, const std::string& name, std::string& file, const std::string& help);
// --format of what is printed by a command whose -o is a folder.
CLI::Option* add_print_format(CLI::App* app, Format& format);
CLI::Option* add_folder(CLI::App* app, const std::string& names, std::string& folder, const std::string& help);

}  // namespace rooftile::cli
