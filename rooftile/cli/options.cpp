#include "rooftile/cli/options.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/try.hpp"

namespace rooftile::cli {
namespace {

std::string name_of(const CLI::Option* option) {
  return option->get_lnames().empty() ? option->get_name(true) : "--" + option->get_lnames().front();
}

bool is_given(const CLI::Option* option) { return option->count() > 0; }

}  // namespace

Result<void> CommandList::run(const CLI::App* command) const {
  for (const Need& need : needs_) {
    if (need.command != command || (need.by != nullptr && !is_given(need.by))) continue;
    if (std::any_of(need.any.begin(), need.any.end(), is_given)) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : need.any) names.push_back(name_of(option));
    return usage(fmt::format("{} needs {}", need.by == nullptr ? command->get_name() : name_of(need.by),
                             fmt::join(names, " or ")));
  }
  return actions_.at(command)();
}

}  // namespace rooftile::cli
