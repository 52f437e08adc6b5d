#include "rooftile/regression/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <unordered_map>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"

namespace rooftile::regression {
namespace {

// The standard fixes what mt19937_64 gives, not what std::shuffle makes of it.
std::size_t below(std::mt19937_64& random, std::size_t bound) {
  const std::uint64_t whole = std::numeric_limits<std::uint64_t>::max() / bound * bound;
  std::uint64_t drawn = random();
  while (drawn >= whole) drawn = random();
  return static_cast<std::size_t>(drawn % bound);
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[below(random, left)]);
  return order;
}

// What stays together: rows by group, in the order in which the groups first come; or each row alone.
std::vector<std::vector<std::size_t>> units_of(std::size_t rows, std::span<const std::string> groups) {
  std::vector<std::vector<std::size_t>> units;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t row = 0; row < rows; ++row) {
    if (groups.empty()) {
      units.push_back({row});
      continue;
    }
    const auto [place, is_new] = places.emplace(groups[row], units.size());
    if (is_new) units.emplace_back();
    units[place->second].push_back(row);
  }
  return units;
}

Split split_by(std::string name, const std::vector<bool>& held_out) {
  Split split;
  split.name = std::move(name);
  for (std::size_t row = 0; row < held_out.size(); ++row) {
    (held_out[row] ? split.validation : split.training).push_back(row);
  }
  return split;
}

std::string what_of(std::span<const std::string> groups) { return groups.empty() ? "rows" : "groups of rows"; }

}  // namespace

Split all_rows(std::size_t rows) {
  std::vector<std::size_t> every(rows);
  std::iota(every.begin(), every.end(), std::size_t{0});
  return {"all rows", every, every};
}

Result<Split> hold_out(std::size_t rows, double share, std::uint64_t seed, std::span<const std::string> groups) {
  if (!(share > 0 && share < 1)) {
    return fail(ErrorCode::usage, fmt::format("the share to hold out must lie between 0 and 1, not {}", share));
  }
  const auto units = units_of(rows, groups);
  if (units.size() < 2) {
    return fail(ErrorCode::bad_input, fmt::format("{} {} cannot be split", units.size(), what_of(groups)));
  }
  const double wanted = share * static_cast<double>(rows);
  std::vector<bool> held(rows, false);
  double count = 0;
  std::size_t taken = 0;
  for (const std::size_t unit : shuffled(units.size(), seed)) {
    const auto size = static_cast<double>(units[unit].size());
    const bool nearer = std::abs(count + size - wanted) < std::abs(count - wanted);
    if (taken > 0 && (!nearer || taken + 1 == units.size())) break;
    for (const std::size_t row : units[unit]) held[row] = true;
    count += size;
    ++taken;
  }
  return split_by(fmt::format("hold-out {:.4g} %", 100 * share), held);
}

Result<std::vector<Split>> k_fold(std::size_t rows, std::size_t folds, std::uint64_t seed,
                                  std::span<const std::string> groups) {
  if (folds < 2) return fail(ErrorCode::usage, "cross-validation needs at least 2 folds");
  auto units = units_of(rows, groups);
  if (units.size() < folds) {
    return fail(ErrorCode::bad_input,
                fmt::format("{} folds need as many {}; there are {}", folds, what_of(groups), units.size()));
  }
  std::vector<std::size_t> order = shuffled(units.size(), seed);
  // The largest first, each into the fold with the fewest rows: folds of about one size.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return units[a].size() > units[b].size(); });
  std::vector<std::size_t> sizes(folds, 0);
  std::vector<std::size_t> fold_of(rows, 0);
  for (const std::size_t unit : order) {
    const auto fold = static_cast<std::size_t>(std::min_element(sizes.begin(), sizes.end()) - sizes.begin());
    sizes[fold] += units[unit].size();
    for (const std::size_t row : units[unit]) fold_of[row] = fold;
  }
  std::vector<Split> splits;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<bool> held(rows);
    for (std::size_t row = 0; row < rows; ++row) held[row] = fold_of[row] == fold;
    splits.push_back(split_by(fmt::format("fold {} of {}", fold + 1, folds), held));
  }
  return splits;
}

Result<std::vector<Split>> up_to_k_fold(std::size_t rows, std::size_t folds, std::uint64_t seed,
                                        std::span<const std::string> groups) {
  const std::size_t units = units_of(rows, groups).size();
  return k_fold(rows, std::max<std::size_t>(2, std::min(folds, units)), seed, groups);
}

Result<std::vector<Split>> leave_one_group_out(std::span<const std::string> groups) {
  const auto units = units_of(groups.size(), groups);
  if (units.size() < 2) return fail(ErrorCode::bad_input, "there is only one group; none can be left out");
  std::vector<Split> splits;
  for (const auto& unit : units) {
    std::vector<bool> held(groups.size(), false);
    for (const std::size_t row : unit) held[row] = true;
    splits.push_back(split_by(groups[unit.front()], held));
  }
  return splits;
}

bool Bound::beyond(double number) const {
  if (comparison == ">") return number > value;
  if (comparison == ">=") return number >= value;
  if (comparison == "<") return number < value;
  return number <= value;
}

std::string Bound::text() const { return fmt::format("{} {} {}", column, comparison, value); }

Result<Bound> parse_bound(std::string_view text) {
  const auto trimmed = [](std::string_view part) {
    constexpr std::string_view kBlank = " \t";
    const std::size_t first = part.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return std::string_view();
    return part.substr(first, part.find_last_not_of(kBlank) - first + 1);
  };
  const std::size_t sign = text.find_first_of("<>");
  if (sign != std::string_view::npos) {
    const std::size_t length = text.substr(sign + 1, 1) == "=" ? 2 : 1;
    const std::string_view number = trimmed(text.substr(sign + length));
    Bound bound;
    bound.column = std::string(trimmed(text.substr(0, sign)));
    bound.comparison = std::string(text.substr(sign, length));
    const auto value = parse_number(number);
    bound.value = value.value_or(0);
    if (value && !bound.column.empty()) return bound;
  }
  return fail(ErrorCode::usage, fmt::format("'{}' is not a bound such as \"batch > 64\"", one_line(text)));
}

Result<Split> extrapolation(const NumberTable& table, std::span<const Bound> bounds) {
  std::vector<bool> held(table.rows(), false);
  std::string name;
  for (const Bound& bound : bounds) {
    const auto column = table.find(bound.column);
    if (!column) {
      return fail(ErrorCode::not_found, fmt::format("there is no column '{}'{}", one_line(bound.column),
                                                    did_you_mean(bound.column, table.names)));
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (bound.beyond(table.values(row, *column))) held[row] = true;
    }
    name += (name.empty() ? "" : " or ") + bound.text();
  }
  Split split = split_by(name, held);
  if (split.validation.empty()) return fail(ErrorCode::bad_input, fmt::format("no row has {}", one_line(name)));
  if (split.training.empty()) return fail(ErrorCode::bad_input, fmt::format("every row has {}", one_line(name)));
  return split;
}

}  // namespace rooftile::regression
