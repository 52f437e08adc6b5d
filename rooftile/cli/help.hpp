// How --help is laid out.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>

namespace rooftile::cli {

// The group of options that other options stand for in --help.
inline constexpr const char* kHidden = "Hidden";

// Puts options into a group that --help only counts and --help-all lists, so that a command shows fewer than 14.
void add_rare(CLI::App* app, const std::vector<CLI::Option*>& options);

// In 80 columns, whatever the terminal has: an option with its kind, and what it does beside it; kinds that take long
// to name stand before that.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace rooftile::cli
