#include "rooftile/cli/option_kinds.hpp"

#include "rooftile/cli/table_options.hpp"

namespace rooftile::cli {

CLI::Option* add_names(CLI::App* app, const std::string& names, std::vector<std::string>& values,
                       const std::string& kind, const std::string& help) {
  return add_value(
      app, names, values, kind + ",…",
      [](const std::string& option, const std::string& text) { return parse_names(option, text); }, help);
}

}  // namespace rooftile::cli
