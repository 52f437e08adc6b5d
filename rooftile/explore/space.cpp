#include "rooftile/explore/space.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/explore/sequence.hpp"

namespace rooftile {
namespace {

// Digits of an index in the mixed base of the axes, counted up one by one.
void fill_grid(const DesignSpace& space, DesignBlock& block) {
  std::vector<std::size_t> digits(space.axes.size());
  std::uint64_t rest = block.first;
  for (std::size_t a = space.axes.size(); a-- > 0;) {
    digits[a] = rest % space.axes[a].values.size();
    rest /= space.axes[a].values.size();
  }
  for (std::size_t i = 0; i < block.count; ++i) {
    for (std::size_t a = 0; a < space.axes.size(); ++a) {
      block.values[static_cast<std::size_t>(space.axes[a].parameter)][i] = space.axes[a].values[digits[a]];
    }
    for (std::size_t a = space.axes.size(); a-- > 0;) {
      if (++digits[a] < space.axes[a].values.size()) break;
      digits[a] = 0;
    }
  }
}

void fill_sampled(const DesignSpace& space, DesignBlock& block) {
  std::vector<double> places(block.count);
  SobolPoints sobol(space.sampling == Sampling::sobol ? space.axes.size() : 0, block.first, block.count);
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (space.sampling == Sampling::sobol) {
      sobol.coordinates(a, space.seed, places);
    } else {
      random_places(space.seed, a, block.first, places);
    }
    std::vector<double>& values = block.values[static_cast<std::size_t>(space.axes[a].parameter)];
    for (std::size_t i = 0; i < block.count; ++i) values[i] = space.axes[a].value_at(places[i]);
  }
}

}  // namespace

double DesignAxis::value_at(double place) const {
  if (!range) {
    const auto index = static_cast<std::size_t>(place * static_cast<double>(values.size()));
    return values[std::min(index, values.size() - 1)];
  }
  const double low = values.front(), high = values.back();
  const double value = spacing == Spacing::linear ? low + (high - low) * place : low * std::pow(high / low, place);
  return row_of(parameter).whole ? std::round(value) : value;
}

std::uint64_t DesignSpace::size() const {
  if (sampling != Sampling::grid) return samples;
  std::uint64_t product = 1;
  for (const DesignAxis& axis : axes) product *= axis.values.size();
  return product;
}

DesignBlock empty_block(const DesignSpace& space) {
  const DesignPoint base = design_of(space.base);
  DesignBlock block;
  for (std::size_t p = 0; p < kParameters; ++p) block.values[p].assign(kBlockDesigns, base[p]);
  return block;
}

void fill(const DesignSpace& space, std::uint64_t first, DesignBlock& block) {
  block.first = first;
  if (space.sampling == Sampling::grid) {
    fill_grid(space, block);
  } else {
    fill_sampled(space, block);
  }
}

DesignPoint design_at(const DesignSpace& space, std::uint64_t index) {
  DesignBlock block = empty_block(space);
  block.count = 1;
  fill(space, index, block);
  return block.point(0);
}

std::string names_of(const std::vector<WorkloadChoice>& workloads) {
  std::vector<std::string> parts;
  for (const WorkloadChoice& choice : workloads) {
    std::string& text = parts.emplace_back();
    if (choice.weight != 1) text += fmt::format("{} x ", choice.weight);
    text += one_line(choice.model);
    if (choice.batch_size) text += fmt::format(" at batch {}", *choice.batch_size);
    if (choice.phase != Phase::fwd) text += fmt::format(" ({})", name_of_pass(choice.phase));
    if (choice.convolutions_only) text += " (convolutions)";
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace rooftile
