#include "rooftile/learn/constants/calibrate.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/constants/family_calibration.hpp"

namespace rooftile {
namespace {

Result<std::vector<FamilyRows>> families_of(const std::vector<MeasuredTable>& tables, const CalibrateOptions& options) {
  std::map<KernelFamily, std::map<std::string, Choices>> found;
  for (const TileChoice choice : {TileChoice::least_time, TileChoice::by_channels}) {
    FitRowsOptions rows = options.rows;
    rows.choice = choice;
    if (choice == TileChoice::by_channels) {  // a choice that only convolutions know
      rows.keep = [&](std::size_t table, std::size_t row) {
        const bool conv = std::holds_alternative<Conv>(tables[table].table().rows[row].op);
        return conv && (!options.rows.keep || options.rows.keep(table, row));
      };
    }
    auto groups = TRY(fit_rows(tables, rows));
    for (FitRows& group : groups) {
      const bool has_choice = group.family == KernelFamily::conv_simt;
      if (has_choice || choice == TileChoice::least_time) found[group.family][group.scope].push_back(std::move(group));
    }
  }
  std::vector<FamilyRows> all;
  for (auto& [family, gpus] : found) {
    all.push_back({family, {}});
    for (auto& [gpu, choices] : gpus) all.back().gpus.push_back(std::move(choices));
  }
  if (all.empty()) return fail(ErrorCode::bad_input, "no row to fit");
  return all;
}

// Each family on a thread of its own as long as there are any, those with the most rows first; its GPUs on further
// ones, so that the last family does not run alone.
std::vector<FamilyCalibration> calibrate_all(const std::vector<FamilyRows>& families, const CalibrateOptions& options) {
  std::size_t fits = 0, done = 0;
  for (const FamilyRows& family : families) fits += fits_of(family, options);
  std::mutex progress;
  const std::function<void()> count = [&] {
    const std::lock_guard lock(progress);
    ++done;
    if (options.progress) options.progress(done, fits);
  };
  std::vector<std::size_t> order(families.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return families[a].rows() > families[b].rows(); });
  std::vector<FamilyCalibration> results(families.size());
  each_on_threads(order.size(),
                  [&](std::size_t i) { results[order[i]] = calibrate_family(families[order[i]], options, count); });
  return results;
}

// The intervals, which need all families: what groups of one are off by says something of others.
void add_spreads(const std::vector<FamilyCalibration>& families, const CalibrateOptions& options,
                 Calibration& calibration) {
  Middles own_usual, foreign_usual, source_usual, named_usual;
  for (const FamilyCalibration& family : families) {
    for (const auto& [entry, groups] : family.own) own_usual += middles_of(groups);
    for (const auto& [scope, foreign] : family.foreign) {
      foreign_usual += middles_of(foreign.gpus);
      source_usual += middles_of(foreign.sources);
      named_usual += middles_of(foreign.named);
    }
  }
  if (source_usual.count == 0) source_usual = own_usual;  // harnesses differ at least as parts of one's rows do
  if (named_usual.count == 0) named_usual = own_usual;
  const auto factor_of = [](const GroupResiduals& sources, const Middles& usual) {
    const Middles middles = middles_of(sources);
    return common_factor(middles.count > 0 ? middles : usual, usual.scale());
  };
  std::size_t first = 0;  // entry of the family
  for (const FamilyCalibration& family : families) {
    for (const auto& [entry, groups] : family.own) {
      const double common = common_factor(middles_of(groups), own_usual.scale());
      calibration.entries[first + entry].spread = spread_of(groups, common);
    }
    for (const auto& [scope, foreign] : family.foreign) {
      const Middles middles = middles_of(foreign.gpus);
      ForeignSpread spread{family.entries.front().family, scope, {}};
      if (options.unknown_harnesses) {
        spread.unknown_harness = factor_of(foreign.sources, source_usual);
        spread.harness = std::min(spread.unknown_harness, factor_of(foreign.named, named_usual));
      }
      if (options.unknown_gpus && options.foreign_spreads) {
        const double common = common_factor(middles, foreign_usual.scale());
        spread.spread = spread_of(foreign.calls, common, widening(middles.count));
      }
      if (spread.spread || spread.harness > 1) calibration.foreign_spreads.push_back(spread);
    }
    first += family.entries.size();
  }
}

}  // namespace

Result<CalibrationReport> calibrate(const std::vector<MeasuredTable>& tables, const CalibrateOptions& options) {
  const std::vector<FamilyRows> families = TRY(families_of(tables, options));
  const std::vector<FamilyCalibration> parts = calibrate_all(families, options);
  CalibrationReport report;
  const auto append = [](auto& all, const auto& part) { all.insert(all.end(), part.begin(), part.end()); };
  for (const FamilyCalibration& part : parts) {
    append(report.calibration.entries, part.entries);
    append(report.calibration.harnesses, part.harnesses);
    append(report.fits, part.fits);
  }
  add_spreads(parts, options, report.calibration);
  for (std::size_t i = 0; i < report.fits.size(); ++i) {
    report.fits[i].entry.spread = report.calibration.entries[i].spread;
  }
  return report;
}

}  // namespace rooftile
