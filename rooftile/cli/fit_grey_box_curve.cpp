#include "rooftile/cli/fit_grey_box_curve.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/cli/output.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/learn/grey_box_curve.hpp"
#include "rooftile/report/grey_box_curve.hpp"

namespace rooftile::cli {

Result<void> try_grey_box(const FitModelArguments& arguments, const GreyBoxRows& rows) {
  constexpr std::int64_t kMostPoints = 1000000, kMostDraws = 10000;
  GreyBoxCurveOptions options;
  const auto counts = list_of("--points", arguments.points);
  if (!counts) return tl::unexpected(counts.error());
  options.points.clear();
  for (const std::string& count : *counts) {
    const auto points = parse_count("--points", count, kMostPoints);
    if (!points) return tl::unexpected(points.error());
    options.points.push_back(static_cast<std::size_t>(*points));
  }
  if (!arguments.draws.empty()) {
    const auto draws = parse_count("--draws", arguments.draws, kMostDraws);
    if (!draws) return tl::unexpected(draws.error());
    options.draws = static_cast<std::size_t>(*draws);
  }
  std::optional<std::vector<GreyBoxCurvePoint>> curve;
  {
    Progress progress("fits");
    options.progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); };
    auto drawn = grey_box_curve(rows, options);
    if (!drawn) return tl::unexpected(drawn.error());
    curve = std::move(*drawn);
  }
  return write_output(arguments.output, grey_box_curve_report(*curve));
}

}  // namespace rooftile::cli
