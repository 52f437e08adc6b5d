#include "rooftile/cli/headroom_option.hpp"

#include <string>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/cli/option_kinds.hpp"

namespace rooftile::cli {

CLI::Option* add_headroom(CLI::App* app, double& headroom, double unless) {
  headroom = unless;
  return add_value(
      app, "--memory-headroom", headroom, "SHARE",
      [](const std::string& option, const std::string& text) -> Result<double> {
        constexpr double kPercent = 100, kMost = 0.99;
        const bool percent = text.ends_with('%');
        const auto share = parse_number(percent ? text.substr(0, text.size() - 1) : text);
        const double value = share ? *share / (percent ? kPercent : 1) : -1;
        if (value >= 0 && value <= kMost) return value;
        return fail(ErrorCode::usage,
                    fmt::format("'{}' is no share of the memory from 0 to 0.99; write 0.1 or 10%", one_line(text)),
                    option);
      },
      fmt::format("of each GPU's memory that stays free, as in 0.1 or 10% (default: {})", unless));
}

}  // namespace rooftile::cli
