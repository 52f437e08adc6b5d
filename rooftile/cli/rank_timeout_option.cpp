#include "rooftile/cli/rank_timeout_option.hpp"

#include <string>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"

namespace rooftile::cli {
namespace {

// A time from the blink of an eye to a year.
Result<double> parse_silence(const std::string& option, const std::string& text) {
  constexpr double kLeast = 0.1, kMost = 31557600;
  const auto seconds = parse_number<double>(text);
  if (seconds && *seconds >= kLeast && *seconds <= kMost) return *seconds;
  return usage(fmt::format("{}: '{}' is not a number of seconds, at least 0.1", option, one_line(text)));
}

}  // namespace

CLI::Option* add_rank_timeout(CLI::App* app, double& seconds) {
  return add_value(app, "--rank-timeout", seconds, "SECONDS", parse_silence,
                   "silence after which a rank's work goes to others (default: 30)");
}

}  // namespace rooftile::cli
