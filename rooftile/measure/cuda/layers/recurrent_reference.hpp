// Recurrent layers in double precision from the same stored operands, one step of one cell after the other. Gradients
// are checked along random directions: with signs v, <dX, v> must equal the derivative of <dY, Y> along v, which
// central differences of the double-precision forward pass give. The mean square of <E, v> over random signs is ||E||^2
// (Hutchinson 1990), so that the ratio of such sums estimates ||dX - reference|| / ||reference|| over all elements.
#pragma once

#include <array>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

#include "rooftile/measure/cuda/handles.hpp"
#include "rooftile/measure/cuda/layers/reference.hpp"
#include "rooftile/measure/refused.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile::measure {

inline constexpr int kMostGates = 4;

// Where the parameters of one cell (layer and direction) begin, in elements from the first weight; -1: it has none.
// Matrices are hidden x width, row-major. Gates in cuDNN's order: LSTM input, forget, new memory, output; GRU reset,
// update, new memory.
struct CellParameters {
  std::array<std::int64_t, kMostGates> input = {-1, -1, -1, -1};
  std::array<std::int64_t, kMostGates> hidden = {-1, -1, -1, -1};
  std::array<std::int64_t, kMostGates> input_bias = {-1, -1, -1, -1};
  std::array<std::int64_t, kMostGates> hidden_bias = {-1, -1, -1, -1};
};

int gates_of(const Recurrent& recurrent);

class RecurrentReference {
 public:
  // `cells`: layers, and their directions within. Inputs are steps x batch x features.
  static Outcome<RecurrentReference> make(const Recurrent& recurrent, std::vector<CellParameters> cells,
                                          std::int64_t weight_count);

  // Queues the forward pass of x + x_step v and w + w_step v, v being signs drawn from `seed`.
  Outcome<void> forward(Operand x, double x_step, Operand w, double w_step, std::uint64_t seed, cudaStream_t stream);

  // steps x batch x (directions x hidden), after forward().
  const double* y() const { return result_; }
  std::int64_t y_count() const;

  // The sum of products of `operand` with y; with the signs of `seed`. Waits for the stream.
  Outcome<double> product_with_y(Operand operand, cudaStream_t stream) const;
  static Outcome<double> product_with_signs(Operand operand, std::int64_t count, std::uint64_t seed,
                                            cudaStream_t stream);

 private:
  Recurrent recurrent_;
  std::vector<CellParameters> cells_;
  Buffer<double> weights_;
  Buffer<double> first_, second_;  // sequences: what a layer reads and what it writes
  Buffer<double> memory_;          // the LSTM's cell state
  const double* result_ = nullptr;
};

}  // namespace rooftile::measure
