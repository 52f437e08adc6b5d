// Everything that a roofline report draws, finished: text, JSON, CSV, SVG and HTML are functions of a View.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/roofline/kernel.hpp"
#include "rooftile/roofline/roof.hpp"
#include "rooftile/roofline/time_point.hpp"

namespace rooftile::roofline {

// A predicted layer and the measured kernels that it became.
struct Match {
  std::size_t predicted = 0;          // place in View::kernels
  std::vector<std::size_t> measured;  // places in View::kernels, in the order in which they ran; at least one
  std::string by;                     // what joined them: "shape", "name", "order"
  Seconds measured_time;
  double time_ratio = 1;                           // measured / predicted
  std::vector<std::optional<double>> bytes_ratio;  // the same by level of the roof; nothing where either is not known
  std::optional<Seconds> achievable;               // the predicted layer's at View::level
  std::optional<Seconds> loss;                     // measured - achievable: what there is to win
};

// Something of the input that is not drawn.
struct DroppedInput {
  std::string where;   // "profile.csv:12"
  std::string reason;  // one line

  bool operator==(const DroppedInput&) const = default;
};

// Stalls of all kernels together, weighted by their time.
struct NetworkStalls {
  Origin origin = Origin::measured;
  bool estimated = false;
  Seconds time;  // of the kernels whose stalls are known
  std::vector<StallShare> shares;
};

// Shares from 0 to 1; nothing where the profile does not say.
struct Utilisation {
  std::optional<double> gpu;   // time with a kernel running / time from the first to the last
  std::optional<double> fp32;  // FLOPs / (FP32 peak x time with a kernel running)
  std::optional<double> cpu;   // time in operators / (time x threads that ran any): a trace does not know the cores
};

struct View {
  std::string title;      // "resnet50 on Tesla V100 SXM2 16GB"
  std::string model;      // empty: profiles only
  std::string gpu;        // catalogue id
  std::string precision;  // of a prediction, else empty
  std::string pass;       // of a prediction, else empty
  std::string method;     // of a prediction, else empty
  std::optional<std::int64_t> batch_size;
  std::vector<std::string> profiles;  // files of the measured kernels

  Roof roof;
  std::size_t level = 0;       // of the roof, to which time points refer unless a chart shows all; usually DRAM
  std::optional<Peak> forced;  // the roof asked for, whatever the kernels ran on

  std::vector<Kernel> kernels;  // predicted layers in the order of the network, then measured kernels in theirs
  // Matches by loss, the largest first: what to fix first. Empty unless there are both kinds of kernels.
  std::vector<Match> matches;
  std::vector<std::size_t> unmatched;  // places in `kernels`

  std::vector<NetworkStalls> stalls;  // at most one of each origin
  Utilisation utilisation;            // of the profile

  std::vector<std::string> notes;        // on this result: what to know before reading it
  std::vector<std::string> assumptions;  // of the model
  std::vector<DroppedInput> dropped;     // the first of them
  std::size_t dropped_count = 0;
};

// The time of all kernels of an origin.
Seconds total_time(const View& view, Origin origin);

// The time point of a kernel of a view: at the view's own level, or at another.
std::optional<TimePoint> point_of(const View& view, const Kernel& kernel);
std::optional<TimePoint> point_of(const View& view, const Kernel& kernel, std::size_t level);

}  // namespace rooftile::roofline
