#include "rooftile/learn/grey_box/curve.hpp"

#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/columns.hpp"
#include "rooftile/learn/grey_box/physics.hpp"
#include "rooftile/regression/errors.hpp"
#include "rooftile/regression/split.hpp"

namespace rooftile {
namespace {

double median_error(const GreyBoxRows& rows, std::span<const double> predicted) {
  return regression::errors_of(rows.seconds, predicted).median;
}

Result<GreyBoxDraw> judge(const GreyBoxRows& drawn, const GreyBoxRows& others, const GreyBoxOptions& options) {
  const auto model = TRY(fit_grey_box(drawn, options));
  const auto predicted = TRY(predict_grey_box(model, others));
  std::vector<double> values;
  std::size_t inside = 0;
  for (std::size_t row = 0; row < others.size(); ++row) {
    const regression::Predicted& one = predicted[row];
    values.push_back(one.value);
    if (one.low && one.high && *one.low <= others.seconds[row] && others.seconds[row] <= *one.high) ++inside;
  }
  GreyBoxDraw draw;
  draw.analytic = median_error(others, column_of(others.table, "analytic_s"));
  draw.physics = median_error(others, physics_of(model.equations, others));
  draw.grey_box = median_error(others, values);
  draw.inside = static_cast<double>(inside) / static_cast<double>(others.size());
  return draw;
}

// A split whose training is so many rows, or nearly where shapes stay together.
Result<regression::Split> draw_of(const GreyBoxRows& rows, std::size_t points, std::uint64_t seed) {
  const double share = 1 - static_cast<double>(points) / static_cast<double>(rows.size());
  auto split = regression::hold_out(rows.size(), share, seed, rows.shapes);
  if (!split) return split;
  std::set<std::string> drawn;
  for (const std::size_t row : split->training) drawn.insert(rows.parts[row]);
  std::erase_if(split->validation, [&](std::size_t row) { return drawn.count(rows.parts[row]) == 0; });
  return split;
}

}  // namespace

Result<std::vector<GreyBoxCurvePoint>> grey_box_curve(const GreyBoxRows& rows, const GreyBoxCurveOptions& options) {
  GreyBoxOptions own = options.grey_box;
  own.other_gpus = false;
  std::vector<GreyBoxCurvePoint> curve;
  const std::set<std::string> gpus = different(rows.gpus);
  std::size_t done = 0;
  for (const std::string& gpu : gpus) {
    const GreyBoxRows of_gpu = rows_of(rows, where(rows.gpus, gpu));
    for (const std::size_t points : options.points) {
      GreyBoxCurvePoint point{gpu, points, of_gpu.size(), {}};
      for (std::size_t draw = 0; draw < options.draws; ++draw, ++done) {
        if (options.progress) options.progress(done, gpus.size() * options.points.size() * options.draws);
        if (points >= of_gpu.size()) continue;
        const auto split = TRY(draw_of(of_gpu, points, options.seed + draw));
        if (split.validation.empty()) continue;
        const auto judged = TRY(judge(rows_of(of_gpu, split.training), rows_of(of_gpu, split.validation), own));
        point.draws.push_back(judged);
      }
      if (!point.draws.empty()) curve.push_back(std::move(point));
    }
  }
  if (!curve.empty()) return curve;
  return fail(ErrorCode::bad_input,
              fmt::format("no GPU has enough rows to draw {} and test on others", fmt::join(options.points, ", ")));
}

}  // namespace rooftile
