// A roof: how fast a GPU computes and moves bytes at best. Ceilings of a GPU's catalogue entry, or measured ones.
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const roofline::Roof roof = roofline::roof_of(find_gpu("v100-sxm2-16gb").value());
//     const std::size_t dram = roof.level("dram").value();
//     assert(roofline::balance(roof, Peak::tensor_fp16, dram) > roofline::balance(roof, Peak::fp32, dram));
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile::roofline {

struct RoofLevel {
  std::string name;          // "L1", "L2", "MALL", "DRAM"; nearest to the SM first
  BytesPerSecond bandwidth;  // of the whole chip
};

struct Roof {
  std::string name;  // "Tesla V100 SXM2 16GB", "V100, Empirical Roofline Toolkit"
  std::vector<RoofLevel> levels;
  std::array<FlopsPerSecond, kPeaks> peaks{};  // zero: no such unit, or not known
  Seconds launch_overhead;                     // of one kernel launch
  std::vector<Fact> sources;                   // of the numbers above

  FlopsPerSecond peak(Peak which) const { return peaks[static_cast<std::size_t>(which)]; }
  // The place of the level of that name, in any case; nothing if there is none.
  std::optional<std::size_t> level(std::string_view level_name) const;
};

// The ceilings of the catalogue: bandwidths as the models use them, which are measured ones where there are any.
Roof roof_of(const Gpu& gpu);

// Whether a roof is made of that number of a GPU's file.
bool is_ceiling(const Fact& fact);

// FLOPs a byte at which arithmetic at that rate and bytes at that level take equally long.
double balance(const Roof& roof, Peak peak, std::size_t level);

}  // namespace rooftile::roofline
