// A kernel as a roofline sees it: its work, its bytes at each level, its time; predicted or measured.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile::roofline {

enum class Origin { predicted, measured };
std::string_view name_of(Origin origin);

// Why warps did not issue, as a share of all stalls: 0 to 1.
struct StallShare {
  std::string name;  // papers' and profilers' words: "exec_dependency", "memory_dependency", "sync", …
  double share = 0;

  bool operator==(const StallShare&) const = default;
};

// A predicted layer (all kernels that it launches), or a kernel of a profile (all launches that it stands for). Every
// number is the sum over its launches.
struct Kernel {
  std::string name;
  std::string layer;  // of the network; empty where a profile does not say
  std::string op;     // "conv", "aten::conv2d"; may be empty
  Origin origin = Origin::predicted;
  std::optional<Pass> pass = {};               // nothing where a profile does not say
  std::array<Flops, kPeaks> flops{};           // by the unit that computed them
  bool flops_known = true;                     // a profile without such counters: false, and all are zero
  Peak unit = Peak::fp32;                      // that computed most of them; without any, that of the data type
  std::vector<std::optional<Bytes>> bytes;     // loads and stores, in the order of the roof's levels
  Seconds time;                                // above zero
  std::optional<Seconds> time_low, time_high;  // 90 % interval of a predicted time
  double launches = 1;
  std::optional<TimeBounds> cases;       // of a prediction: the time if only one thing limited it
  std::optional<Bottleneck> bottleneck;  // of a prediction
  std::vector<StallShare> stalls;        // in the order of the vocabulary; empty: not known
  bool stalls_estimated = false;         // from `cases`, not counted

  Flops total_flops() const;
};

// Its name, and behind it its pass where that is a gradient.
std::string title_of(const Kernel& kernel);

// Its title; before that of a measured kernel the layer that it carries out, where that is known.
std::string label_of(const Kernel& kernel);

}  // namespace rooftile::roofline
