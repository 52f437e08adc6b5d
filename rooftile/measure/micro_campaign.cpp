#include "rooftile/measure/micro_campaign.hpp"

#include <algorithm>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/measure/folder.hpp"

namespace rooftile::measure {
namespace {

bool is_of(const Point& point, const MicroStep& step, const std::vector<MicroStep>& steps) {
  if (point.benchmark != step.benchmark) return false;
  if (!step.prefix.empty()) return point.variant.starts_with(step.prefix);
  return std::none_of(steps.begin(), steps.end(), [&](const MicroStep& other) {
    return other.benchmark == step.benchmark && !other.prefix.empty() && point.variant.starts_with(other.prefix);
  });
}

bool is_clock_of(const Point& point, const MicroStep& step) {
  return step.prefix.empty() && point.benchmark == "clock" && point.variant == step.benchmark;
}

}  // namespace

Result<MicroReport> run_micro(const std::vector<MicroStep>& steps, const MicroCampaignOptions& options) {
  auto points = TRY(read_points(options.folder));
  MicroReport report;
  for (const MicroStep& step : steps) {
    const auto own = [&](const Point& point) { return is_of(point, step, steps); };
    if (!options.again && std::any_of(points.begin(), points.end(), own)) {
      ++report.done_before;
      continue;
    }
    report.stopped = options.stop();
    if (report.stopped) break;
    options.progress(step);
    auto found = step.run();
    report.stopped = options.stop();
    if (report.stopped) break;
    if (!found) {
      ++report.refused;
      options.refused(step, found.error());
      report.device_lost = found.error().why == Refusal::device_lost;
      if (report.device_lost) break;
      continue;
    }
    ++report.measured;
    points.erase(std::remove_if(points.begin(), points.end(),
                                [&](const Point& point) { return own(point) || is_clock_of(point, step); }),
                 points.end());
    points.insert(points.end(), found->begin(), found->end());
    TRY(write_points(options.folder, points));
  }
  return report;
}

}  // namespace rooftile::measure
