#include "rooftile/cli/fit_trial.hpp"

#include "rooftile/base/try.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {

Result<void> read_trial(const FitModelArguments& arguments, std::int64_t most, std::vector<std::size_t>& points,
                        std::size_t& draws) {
  constexpr std::int64_t kMostDraws = 10000;
  const auto counts = TRY(parse_list("--points", arguments.points));
  points.clear();
  for (const std::string& text : counts) {
    const auto count = TRY(parse_count("--points", text, most));
    points.push_back(static_cast<std::size_t>(count));
  }
  if (arguments.draws.empty()) return {};
  const auto count = TRY(parse_count("--draws", arguments.draws, kMostDraws));
  draws = static_cast<std::size_t>(count);
  return {};
}

}  // namespace rooftile::cli
