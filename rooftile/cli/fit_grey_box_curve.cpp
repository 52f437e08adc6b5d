#include "rooftile/cli/fit_grey_box_curve.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_trial.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/learn/grey_box/curve.hpp"
#include "rooftile/report/grey_box_curve.hpp"

namespace rooftile::cli {

Result<void> try_grey_box(const FitModelArguments& arguments, const GreyBoxRows& rows) {
  constexpr std::int64_t kMostPoints = 1000000;
  GreyBoxCurveOptions options;
  if (auto read = read_trial(arguments, kMostPoints, options.points, options.draws); !read) return read;
  std::optional<std::vector<GreyBoxCurvePoint>> curve;
  {
    Progress progress("fits");
    options.progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); };
    auto drawn = TRY(grey_box_curve(rows, options));
    curve = std::move(drawn);
  }
  return write_output(arguments.output, grey_box_curve_report(*curve));
}

}  // namespace rooftile::cli
