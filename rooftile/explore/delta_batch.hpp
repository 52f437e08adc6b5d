// Method delta for many designs at once: the arithmetic of plan/plan.cpp, traffic/delta.cpp and timing/delta.cpp with
// what the layers and the designs fix taken out of the inner loop, which runs over designs in vector registers.
//
// The results are those of the scalar functions to about 1e-15, and the same to the bit whatever the vector unit.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/layer_constants.hpp"

namespace rooftile {

// Designs in one pass over the layers; their numbers stay in the L1 of the CPU.
constexpr std::size_t kLanes = 64;

// Vector units that the inner loop is built for, the widest first.
enum class VectorUnit { avx512, avx2, baseline };
std::string_view name_of(VectorUnit unit);
std::vector<VectorUnit> vector_units();  // that this CPU has

// Operations of the inner loop for one layer and design, counted in its source: additions, multiplications, maxima,
// comparisons and selections, each one.
constexpr double kOperationsPerLayer = 61;

class DeltaBatch : public Evaluator {
 public:
  // `unit`: the widest of vector_units() unless one is named.
  DeltaBatch(std::vector<UniqueLayer> layers, Gpu base, VectorUnit unit = vector_units().front());

  const std::vector<LayerColumn>& layers() const override { return columns_; }
  bool reads(Parameter parameter) const override;
  DType precision() const override { return DType::fp32; }  // the only one of the paper
  void evaluate(const DesignBlock& block, OutcomeBlock& outcome) const override;

 private:
  void evaluate_tile(const DesignBlock& block, OutcomeBlock& outcome, const NetworkConstants& network,
                     std::span<const std::size_t> designs) const;

  std::vector<UniqueLayer> layers_;
  std::vector<LayerColumn> columns_;
  Gpu base_;
  VectorUnit unit_;
  NetworkConstants narrow_, wide_;  // tiles of 128 and of 256
};

}  // namespace rooftile
