#include "rooftile/learn/constants/held_out.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kOwnFolds = 5;
constexpr std::array kTiers = {Tier::own, Tier::none};

// The part of the rows that is held out together.
using Part = std::string;

Result<Part> part_of(const LayerRow& row, Tier tier, GpuCache& gpus) {
  if (tier == Tier::own) return std::to_string(shape_of(row) / 7 % kOwnFolds);
  const auto gpu = TRY(gpus.find(row.gpu));
  return gpu->id;
}

}  // namespace

std::string_view name_of(Tier tier) {
  switch (tier) {
    case Tier::own:
      return "own";
    case Tier::none:
      return "none";
  }
  return "";
}

Result<Tier> parse_tier(std::string_view text) {
  std::vector<std::string> names;
  for (const Tier tier : kTiers) {
    if (name_of(tier) == text) return tier;
    names.emplace_back(name_of(tier));
  }
  return fail(ErrorCode::usage,
              fmt::format("unknown tier '{}'; one of {}{}", text, fmt::join(names, ", "), did_you_mean(text, names)));
}

Result<HeldOut> hold_out(const std::vector<MeasuredTable>& tables, Tier tier, const CalibrateOptions& options) {
  GpuCache gpus;
  std::vector<std::vector<Part>> parts(tables.size());
  std::vector<Part> names;
  const auto takes_part = [&](std::size_t table, std::size_t row) {
    return !options.rows.keep || options.rows.keep(table, row);
  };
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const std::vector<LayerRow>& rows = tables[table].table().rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      parts[table].emplace_back();
      if (!takes_part(table, row)) continue;
      auto part = TRY(part_of(rows[row], tier, gpus));
      if (std::find(names.begin(), names.end(), part) == names.end()) names.push_back(part);
      parts[table].back() = std::move(part);
    }
  }
  if (names.size() < 2) {
    return fail(ErrorCode::bad_input, fmt::format("tier {} needs rows of at least two {}", name_of(tier),
                                                  tier == Tier::own ? "shapes" : "GPUs"));
  }

  HeldOut result;
  for (const Part& name : names) {
    CalibrateOptions others = options;
    others.known_gpus = tier == Tier::own;
    others.unknown_gpus = tier == Tier::none;
    others.rows.keep = [&](std::size_t table, std::size_t row) {
      return !parts[table][row].empty() && parts[table][row] != name;
    };
    auto report = TRY(calibrate(tables, others));
    result.calibrations.push_back(std::move(report.calibration));
  }
  for (const std::vector<Part>& table : parts) {
    result.of_row.emplace_back();
    for (const Part& part : table) {
      const auto found = std::find(names.begin(), names.end(), part);
      result.of_row.back().push_back(found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin()));
    }
  }
  return result;
}

}  // namespace rooftile
