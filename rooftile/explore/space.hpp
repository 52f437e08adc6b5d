// A design space: a GPU, the parameters that vary, how they are sampled, and what the designs are to run.
//
// A design follows from its index in a few operations, so none is stored: a block of designs can be made anywhere, by
// any thread or machine, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/explore/design_block.hpp"
#include "rooftile/explore/parameter.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {

enum class Sampling {
  grid,    // every combination; the last axis of the file varies fastest
  random,  // independent
  sobol,   // a Sobol sequence: covers the space evenly
};

enum class Spacing { linear, geometric };

// One parameter's values: a list, or a range that is sampled.
struct DesignAxis {
  Parameter parameter = Parameter::sm_count;
  std::vector<double> values;  // base units; of a range: its ends
  bool range = false;          // any value between the ends; not on a grid
  Spacing spacing = Spacing::linear;

  // The value at `place`, 0 to 1 exclusive.
  double value_at(double place) const;
};

struct WorkloadChoice {
  std::string model;  // a name, an .onnx file, a workload .json
  std::optional<std::int64_t> batch_size = {};
  double weight = 1;  // of its time in the sum that designs are ranked by
  bool convolutions_only = false;
  Phase phase = Phase::fwd;
};

// "resnet152 at batch 256, training (convolutions)", one after another.
std::string names_of(const std::vector<WorkloadChoice>& workloads);

struct DesignSpace {
  std::string gpu;  // as it was asked for
  Gpu base;
  std::vector<DesignAxis> axes;  // of different parameters
  Sampling sampling = Sampling::grid;
  std::uint64_t samples = 0;  // unless a grid
  std::uint64_t seed = 1;
  std::vector<std::string> constraints;  // expressions over parameters, in base units (explore/constraint.hpp)
  std::vector<WorkloadChoice> workloads;

  std::uint64_t size() const;  // designs
};

// The most designs a space can have: indices stay exact as doubles.
constexpr std::uint64_t kMostDesigns = std::uint64_t{1} << 53;

// Writes designs [first, first + block.count) into a block of this space (made by empty_block()).
void fill(const DesignSpace& space, std::uint64_t first, DesignBlock& block);

// A block whose unswept parameters are those of the base GPU.
DesignBlock empty_block(const DesignSpace& space);

// One design.
DesignPoint design_at(const DesignSpace& space, std::uint64_t index);

}  // namespace rooftile
