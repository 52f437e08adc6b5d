#include "rooftile/traffic/recurrent_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/base/powers.hpp"
#include "rooftile/ops/recurrent.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// As much loaded as stored, all of it through DRAM.
Traffic gate_copies(Bytes bytes) {
  const Bytes half = bytes / 2;
  return {.l1 = half, .l2 = half, .dram = half, .store_l2 = half, .store_dram = half};
}

}  // namespace

CellTraffic cell_traffic(const Recurrent& recurrent, Pass pass, Bytes element, const GpuSizes& sizes) {
  const Gemm product = step_product(recurrent, pass);
  const Bytes weights = element * (static_cast<double>(product.n) * static_cast<double>(product.k));
  return {.product = {.l1 = weights, .l2 = weights, .dram = weights * missed_weights(recurrent, element, sizes)},
          .gates = gate_copies(element * gate_elements(recurrent))};
}

Traffic recurrent_traffic(const Recurrent& recurrent, Pass pass, Bytes element, const GpuSizes& sizes) {
  if (pass == Pass::bwd_weight) {
    return gate_copies(element * (sizes.constants[RecurrentConstant::weight_passes] * weights_of(recurrent)));
  }
  const CellTraffic cell = cell_traffic(recurrent, pass, element, sizes);
  const double steps = static_cast<double>(recurrent.steps);
  Traffic sum = cell.product;
  sum += cell.gates;
  sum = sum * steps;
  sum.compulsory = cell.product.l2 + cell.gates.dram * steps;
  return sum * (static_cast<double>(recurrent.layers) * static_cast<double>(recurrent.directions));
}

Traffic persistent_traffic(const Recurrent& recurrent, Pass pass, Bytes element, const GpuSizes& sizes) {
  const Gemm product = step_product(recurrent, pass);
  const double k = static_cast<double>(product.k), m = static_cast<double>(product.m);
  const Bytes weights = element * (static_cast<double>(product.n) * k);
  const Bytes state = element * (m * k);
  const double steps = static_cast<double>(recurrent.steps);
  Traffic sum = gate_copies(element * gate_elements(recurrent));
  sum.l1 += state * persistent_ctas(recurrent, pass, sizes);
  sum.l2 += state * persistent_ctas(recurrent, pass, sizes);
  sum = sum * steps;
  sum += {.l1 = weights, .l2 = weights, .dram = weights};
  sum.compulsory = weights + element * (gate_elements(recurrent) / 2 * steps);
  return sum * (static_cast<double>(recurrent.layers) * static_cast<double>(recurrent.directions));
}

double persistent_ctas(const Recurrent& recurrent, Pass pass, const GpuSizes& sizes) {
  constexpr double kWarp = 32;
  return std::min(sizes.sms, std::ceil(static_cast<double>(step_product(recurrent, pass).n) / kWarp));
}

// All layers' weights take turns in the L2; the first step finds none.
double missed_weights(const Recurrent& recurrent, Bytes element, const GpuSizes& sizes) {
  const Bytes room = sizes.l2_copy() * sizes.constants[RecurrentConstant::warm_share];
  const double missed = 1 - 1 / (1 + fourth(element * weights_of(recurrent) / room));
  return missed + (1 - missed) / static_cast<double>(recurrent.steps);
}

}  // namespace rooftile
