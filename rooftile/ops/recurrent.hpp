// The work of a recurrent layer: what each step does, in which order steps may run, and what is left for one product
// over all of them.
#pragma once

#include <array>
#include <vector>

#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

// The product of one cell in one step: hidden state times weights, [batch x hidden] x [hidden x gates hidden]; in the
// data gradient the gates' gradients times the same weights. Not for Pass::bwd_weight, which waits for no step.
Gemm step_product(const Recurrent& recurrent, Pass pass);

// Elements that the gates of one cell read and write in one step: products, the gates kept for the gradients, state.
double gate_elements(const Recurrent& recurrent);

struct SequenceProduct {
  Gemm gemm;
  double count = 1;  // equal ones
};

// Products over all steps at once. Forward: the inputs of a layer times its weights; data gradient: the gates'
// gradients times the same; weight gradient: the gates' gradients times the inputs and times the hidden states.
std::vector<SequenceProduct> sequence_products(const Recurrent& recurrent, Pass pass);

// `rounds` that follow one another, in each `cells` steps of different layers or directions that wait for none of
// the others.
struct CellRounds {
  double rounds = 0, cells = 1;
};

// In one direction a step of a layer waits for the step before and the layer below: a diagonal runs at once, and the
// shorter diagonals of the beginning and the end count with their mean. Two directions run side by side, but a layer
// waits for both of the one below.
std::array<CellRounds, 2> cell_rounds(const Recurrent& recurrent);

}  // namespace rooftile
