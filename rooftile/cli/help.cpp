#include "rooftile/cli/help.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t kWidth = 80, kColumn = 28;
constexpr const char* kRare = "Rarely needed";

std::vector<const CLI::Option*> of_group(const CLI::App& app, const std::string& group) {
  return app.get_options(
      [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
}

// `left` in the first column, the text in the second.
std::string entry(const std::string& left, const std::string& text) {
  const std::string indent(kColumn, ' ');
  std::string start = "  " + left;
  start += width_of(start) < kColumn ? std::string(kColumn - width_of(start), ' ') : "\n" + indent;
  return start + wrapped(text, kWidth - kColumn, indent) + "\n";
}

// "a|b|c,…" so that lines can break between choices: "a | b | c, …".
std::string spaced(const std::string& kind) {
  std::string result;
  for (const char c : kind) result += c == '|' ? std::string(" | ") : std::string(1, c);
  return result;
}

}  // namespace

void add_rare(CLI::App* app, const std::vector<CLI::Option*>& options) {
  for (CLI::Option* option : options) option->group(kRare);
  if (app->get_help_all_ptr() == nullptr) {
    app->set_help_all_flag("--help-all", "Also print rarely needed options, and exit");
  }
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::vector<std::string> groups;
  for (const std::string& group : app->get_groups()) {
    const std::vector<const CLI::Option*> options = of_group(*app, group);
    if (!options.empty() && group != kHidden && group != kRare) groups.push_back(make_group(group, false, options));
  }
  const std::vector<const CLI::Option*> rare = of_group(*app, kRare);
  if (!rare.empty() && mode == CLI::AppFormatMode::All) {
    groups.push_back(make_group(kRare, false, rare));
  } else if (!rare.empty()) {
    groups.push_back(
        fmt::format("--help-all shows {} more {}\n", rare.size(), rare.size() == 1 ? "option" : "options"));
  }
  return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
         fmt::format("{}", fmt::join(groups, "\n")) + make_subcommands(app, mode) + "\n" + make_footer(app);
}

// CLI11 ends a group with an empty line, and begins the next one with another.
std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  const bool first = is_positional || group == "Options";
  std::string text = (first ? "\n" : "") + group + ":\n";
  for (const CLI::Option* option : options) text += make_option(option, is_positional);
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = option->get_name(is_positional, !is_positional);
  left.resize(std::min(left.find('{'), left.size()));  // the value of a flag that takes one
  std::string text = option->get_description();
  const std::string kind = option->get_expected_max() == 0 ? "" : option->get_type_name();
  constexpr std::size_t kLongest = 24;
  if (is_positional) {
    if (option->get_expected_max() > 1) left += "…";
  } else if (kind.size() > kLongest) {
    text = spaced(kind) + "; " + text;
  } else if (!kind.empty()) {
    left += " " + kind;
  }
  if (option->get_required() && !is_positional) text += " (required)";
  return entry(left, text);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace rooftile::cli
