#include "rooftile/ops/recurrent.hpp"

#include <algorithm>
#include <cstdint>

#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// One of the two matrices of a cell: of the input, or of the hidden state. Weights are stored outputs x inputs.
Gemm product_over(std::int64_t rows, std::int64_t inputs, const Recurrent& recurrent, Pass pass) {
  const std::int64_t gates = gates_of(recurrent) * recurrent.hidden;
  Gemm gemm;
  switch (pass) {
    case Pass::fwd:
      gemm.m = rows;
      gemm.n = gates;
      gemm.k = inputs;
      gemm.trans_b = true;
      break;
    case Pass::bwd_data:
      gemm.m = rows;
      gemm.n = inputs;
      gemm.k = gates;
      break;
    case Pass::bwd_weight:
      gemm.m = gates;
      gemm.n = inputs;
      gemm.k = rows;
      gemm.trans_a = true;
      break;
  }
  return gemm;
}

}  // namespace

Gemm step_product(const Recurrent& recurrent, Pass pass) {
  return product_over(recurrent.batch, recurrent.hidden, recurrent, pass);
}

double gate_elements(const Recurrent& recurrent) {
  // The products are read, the gates written; the cell's state is read and written, the hidden state written.
  const double states = 3;
  return static_cast<double>(recurrent.batch) * static_cast<double>(recurrent.hidden) *
         (2 * static_cast<double>(gates_of(recurrent)) + states);
}

std::vector<SequenceProduct> sequence_products(const Recurrent& recurrent, Pass pass) {
  const std::int64_t positions = recurrent.batch * recurrent.steps;
  const double directions = static_cast<double>(recurrent.directions), layers = static_cast<double>(recurrent.layers);
  std::vector<SequenceProduct> products;
  if (recurrent.input_projection) {
    products.push_back({product_over(positions, recurrent.input, recurrent, pass), directions});
    if (recurrent.layers > 1) {
      const std::int64_t below = recurrent.directions * recurrent.hidden;
      products.push_back({product_over(positions, below, recurrent, pass), directions * (layers - 1)});
    }
  }
  if (pass == Pass::bwd_weight) {
    products.push_back({product_over(positions, recurrent.hidden, recurrent, pass), directions * layers});
  }
  return products;
}

std::array<CellRounds, 2> cell_rounds(const Recurrent& recurrent) {
  const double layers = static_cast<double>(recurrent.layers), steps = static_cast<double>(recurrent.steps);
  if (recurrent.directions > 1) {
    return {CellRounds{.rounds = layers * steps, .cells = static_cast<double>(recurrent.directions)}, CellRounds{}};
  }
  const double least = std::min(layers, steps), most = std::max(layers, steps);
  return {CellRounds{.rounds = most - least + 1, .cells = least},
          CellRounds{.rounds = 2 * (least - 1), .cells = least / 2}};
}

}  // namespace rooftile
