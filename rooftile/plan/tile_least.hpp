// What the plans of one tile of a product take at least, by how k is split: a few operations each, where timing one
// takes hundreds.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rooftile/base/powers.hpp"
#include "rooftile/base/rounded.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile {

inline constexpr Seconds kNoLimit{std::numeric_limits<double>::infinity()};

// Whatever the tile.
struct ProductLeast {
  // The busiest SM: the share of the last wave's imbalance that it hides, and whether a last wave takes as long as a
  // full one.
  double sms = 1, overlap = 0;
  bool whole_waves = false;
  double prologue = 0;         // steps before the first, of CTAs and waves
  double least_ctas = 0;       // of the chip, that count at least
  double chip_least = 0;       // seconds, whatever the steps
  double dram = 0;             // seconds
  double split = 0, part = 0;  // seconds of any split, and of each of its parts
  double times = 1, around = 0;
};
inline constexpr ProductLeast kNoBound;

struct TileLeast {
  const ProductLeast* product = &kNoBound;
  double resident = 1;  // CTAs that an SM holds
  // Seconds of a step of k, which go together as their fourth powers: of each CTA of the busiest SM, of each of its
  // waves, and of each CTA of the chip.
  double cta = 0, wave = 0, chip = 0;
  double epilogue = 0;  // seconds of each CTA of the busiest SM

  // Infinite where the arithmetic alone tells that it is not below `limit`, as it does as a rule.
  Seconds at(double ctas, double steps, double parts, Seconds limit = kNoLimit) const {
    const ProductLeast& p = *product;
    const double per_sm = ctas / p.sms;
    const double busiest = (1 - p.overlap) * rounded_up(per_sm) + p.overlap * std::max(per_sm, 1.0);
    const double loop = steps + p.prologue;
    const double compute = busiest * loop * cta;
    const double summed = parts > 1 ? p.split + parts * p.part : 0;
    if ((compute + summed) * p.times + p.around >= limit.value()) return kNoLimit;
    const double waves = p.whole_waves ? rounded_up(per_sm / resident) : std::max(busiest / resident, 1.0);
    const double loads = std::max(std::max(ctas, p.least_ctas) * steps * chip, p.chip_least);
    const double busy = fourth_root(fourth(compute) + fourth(waves * loop * wave) + fourth(loads)) + busiest * epilogue;
    return Seconds((fourth_root(fourth(busy) + fourth(p.dram)) + summed) * p.times + p.around);
  }

  // The splits of so many CTAs, which go through so many steps of k without one, that may take less than `limit`: a CTA
  // has the time for its part, all SMs together for the steps and a prologue of each part, and the parts are added up.
  struct Splits {
    double least = 0, most = 0;
  };
  Splits splits_below(Seconds limit, double ctas, double steps) const {
    const ProductLeast& p = *product;
    const double left = (limit.value() - p.around) / p.times;
    const double part = left / std::max(cta, wave) - p.prologue, prologues = left / (ctas * cta) * p.sms - steps;
    if (part <= 0 || prologues < 0 || p.dram >= left) return {};
    return {steps / part, std::min(prologues / p.prologue, std::max(1.0, (left - p.split) / p.part))};
  }

  // One that is likely to take little: keeps all SMs busy, and hides latencies, unless adding up takes longer.
  double likely_split(double ctas, double steps) const {
    const double longest = std::max(cta, wave);
    const double hidden = cta > 0 ? std::min(longest / cta, resident) : 1;
    return std::min(product->sms * hidden / ctas, std::sqrt(steps * longest / product->part));
  }
};

}  // namespace rooftile
