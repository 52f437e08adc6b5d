// What the plans of one tile of a product take at least, by how k is split: a few operations each, where timing one
// takes hundreds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rooftile/base/powers.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile {

struct TileLeast {
  // The busiest SM: the share of the last wave's imbalance that it hides, the CTAs it holds, and whether a last wave
  // takes as long as a full one.
  double sms = 1, overlap = 0, resident = 1;
  bool whole_waves = false;
  // Seconds of a step of k, which go together as their fourth powers: of each CTA of the busiest SM, of each of its
  // waves, and of each CTA of the chip, of which so many count at least.
  double cta = 0, wave = 0, chip = 0;
  double least_ctas = 0;
  double prologue = 0;         // steps before the first, of the former two
  double chip_least = 0;       // seconds, whatever the steps
  double epilogue = 0;         // seconds of each CTA of the busiest SM
  double dram = 0;             // seconds
  double split = 0, part = 0;  // seconds of any split, and of each of its parts
  double times = 1, around = 0;

  Seconds at(double ctas, double steps, double parts) const {
    const double per_sm = ctas / sms;
    const double busiest = (1 - overlap) * rounded_up(per_sm) + overlap * std::max(per_sm, 1.0);
    const double waves = whole_waves ? rounded_up(per_sm / resident) : std::max(busiest / resident, 1.0);
    const double loop = steps + prologue;
    const double loads = std::max(std::max(ctas, least_ctas) * steps * chip, chip_least);
    const double busy =
        fourth_root(fourth(busiest * loop * cta) + fourth(waves * loop * wave) + fourth(loads)) + busiest * epilogue;
    const double summed = parts > 1 ? split + parts * part : 0;
    return Seconds((fourth_root(fourth(busy) + fourth(dram)) + summed) * times + around);
  }

  // Whether that is below `limit`: as a rule the arithmetic alone tells that it is not.
  bool below(Seconds limit, double ctas, double steps, double parts) const {
    if (ctas / sms * steps * cta * times + around >= limit.value()) return false;
    return at(ctas, steps, parts) < limit;
  }

 private:
  // As std::ceil() of what an integer holds, in half the instructions.
  static double rounded_up(double x) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
    return whole < x ? whole + 1 : whole;
  }
};

}  // namespace rooftile
