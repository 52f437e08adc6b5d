#include "rooftile/cli/output_options.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* kGroup = "Output";

}  // namespace

Result<void> check_named(const std::string& option, const std::string& path) {
  if (!path.empty()) return {};
  return fail(ErrorCode::usage, "the name is empty", option == "--output" ? "-o" : option);
}

void add_output_options(CLI::App* app, OutputArguments& output, const std::vector<Format>& formats) {
  std::vector<std::string> names;
  for (const Format format : formats) names.push_back(name_of(format));
  output.format = formats.front();
  CLI::Option* format = add_value(
      app, "--format", output.format, fmt::format("{}", fmt::join(names, "|")),
      [formats](const std::string&, const std::string& text) { return parse_format(text, "", formats); },
      "default: from the suffix of -o");
  // Read after --format, as CLI11 reads options in the order they were added.
  add_value(
      app, "-o,--output", output.file, "FILE",
      [&output, formats, format](const std::string& option, const std::string& path) -> Result<std::string> {
        TRY(check_named(option, path));
        output.format = TRY(parse_format(format->count() > 0 ? format->as<std::string>() : "", path, formats));
        return path;
      },
      "write to this file; - is standard output")
      ->group(kGroup);
  format->group(kGroup);
}

Result<void> check_all_layers(bool all, const OutputArguments& output) {
  if (!all || output.format == Format::table) return {};
  return fail(ErrorCode::usage, fmt::format("--all is for the table; {} has every layer", name_of(output.format)));
}

Result<void> check_names(bool names, const OutputArguments& output) {
  if (!names || output.format == Format::table) return {};
  return fail(ErrorCode::usage, fmt::format("--names writes one name per line, not {}", name_of(output.format)));
}

CLI::Option* add_file(CLI::App* app, const std::string& names, std::string& file, const std::vector<Format>& formats,
                      const std::string& help) {
  return add_value(
             app, names, file, "FILE",
             [formats](const std::string& option, const std::string& path) -> Result<std::string> {
               TRY(check_named(option, path));
               TRY(check_suffix(option == "--output" ? "-o" : option, path, formats));
               return path;
             },
             help)
      ->group(kGroup);
}

CLI::Option* add_picture(CLI::App* app, const std::string& name, std::string& file, const std::string& help) {
  return add_value(
             app, name, file, "FILE",
             [](const std::string& option, const std::string& path) -> Result<std::string> {
               TRY(check_named(option, path));
               TRY(picture_format(option, path));
               return path;
             },
             help)
      ->group(kGroup);
}

CLI::Option* add_print_format(CLI::App* app, Format& format) {
  return add_choice<Format>(app, "--format", format,
                            {{"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}},
                            "of what is printed (default: table)");
}

CLI::Option* add_folder(CLI::App* app, const std::string& names, std::string& folder, const std::string& help) {
  return add_value(
      app, names, folder, "FOLDER",
      [](const std::string& option, const std::string& path) -> Result<std::string> {
        TRY(check_named(option, path));
        return path;
      },
      help);
}

}  // namespace rooftile::cli
