// DRAM bytes of GEMMs, and convolutions as such, on tensor cores.
#include <algorithm>
#include <cmath>

#include "rooftile/base/powers.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {
namespace {

// Share that is still in the L2 of what was used there `between` bytes ago.
double gemm_share_kept(Bytes between, const GpuSizes& sizes) {
  if (sizes.family == KernelFamily::conv_tensor) return 1 - tensor_conv_missed(between, sizes);
  return share_kept(between, sizes.l2_copy(), sizes.constants[TensorConstant::warm_share]);
}

// Operands and results by how soon they are used again.
struct Used {
  Bytes activations;  // without what is stored
  Bytes weights;
};

Used used_by(const Launch& launch) {
  const Launch::Product& product = launch.product;
  const Bytes weights = product.b_weights ? product.b_bytes : Bytes(0);
  return {product.a_bytes + product.b_bytes - weights, weights};
}

// Bytes that waves read again from DRAM: each reads the operands of the square of C that it covers. Where the rows of
// one operand stay in the L2 until the next wave, it is read once, and the other once for each set of rows that do.
double reread_bytes(const Launch& launch, const GpuSizes& sizes) {
  const Launch::Product& product = launch.product;
  const double a = product.element.value(), b = product.b_element().value();
  const double depth = std::ceil(product.k / product.tile_k) * product.tile_k;
  const double unique = std::min(1.0, product.a_bytes.value() / (product.batch * product.m * product.k * a));
  const double side = std::sqrt(sizes.sms * launch.resident * launch.macs_per_step);
  const double of_a = product.m * a * unique, of_b = product.n * b;
  const double squares = std::max(0.0, product.m * product.n / side * (b + a * unique) - of_a - of_b);
  if (squares <= 0) return 0;
  const double share = sizes.constants[TensorConstant::reread_share];
  const double rows = sizes.l2_copy().value() * share / (depth * std::max(a, b));
  const auto sets = [&](double length) { return std::max(1.0, length / std::max(side, rows)); };
  const double kept = std::min(of_b * (sets(product.m) - 1), of_a * (sets(product.n) - 1));
  const double spread = 1 / (1 + fourth(rows / side));
  const double again = std::min(squares, kept) * (1 - spread) + squares * spread;
  const double held = sizes.l2_capacity.value() * share;
  const double operands = (of_a + of_b) * product.k;
  return product.batch * again * depth / (1 + square(held / operands));
}

// What a call writes back before its own lines fit into an L2 that was written over just before: half of what Triton's
// do_bench leaves in an A100 is still to be written, by SGLang's INT8 products (docs/theory/tensor_cores.md).
Bytes written_back(const DramBytes& own, const GpuSizes& sizes) {
  constexpr double kUnwritten = 0.5;
  return kUnwritten * std::min(own.load + own.store, sizes.l2_capacity);
}

}  // namespace

double share_kept(Bytes between, Bytes copy, double warm_share) {
  return 1 / (1 + square(fourth(between / (copy * warm_share))));
}

double tensor_conv_missed(Bytes bytes, const GpuSizes& sizes) {
  return std::max(0.0, 1 - sizes.l2_copy() * sizes.constants[TensorConstant::warm_share] / bytes);
}

double shared_loads(const Launch& launch, const GpuSizes& sizes) {
  return launch.product.shares_loads ? sizes.shared_loads : 1;
}

Bytes tensor_l2_loads(const Launch& launch, const GpuSizes& sizes) {
  return std::max(launch.l2_load / shared_loads(launch, sizes), launch.dram_load);
}

Misses tensor_gemm_misses(const Launch& launch, const GpuSizes& sizes) {
  if (sizes.weight_sets == 0) return {};
  const Used used = used_by(launch);
  const Bytes activations = used.activations + launch.dram_store;
  if (sizes.rotates) {
    const double missed = 1 - gemm_share_kept((activations + used.weights) * sizes.weight_sets, sizes);
    return {missed, missed};
  }
  // A network that is small enough leaves its weights for its next pass.
  Bytes between = activations + used.weights * sizes.weight_sets;
  if (sizes.pass_bytes > Bytes(0)) between = std::min(between, sizes.pass_bytes);
  return {1 - gemm_share_kept(activations + used.weights, sizes), 1 - gemm_share_kept(between, sizes)};
}

DramBytes tensor_gemm_once(const Launch& launch, const Misses& misses) {
  const Used used = used_by(launch);
  return {used.activations * misses.activations + used.weights * misses.weights,
          launch.dram_store * misses.activations};
}

DramBytes tensor_gemm_dram(const Launch& launch, const GpuSizes& sizes, const Misses& misses) {
  DramBytes bytes = tensor_gemm_once(launch, misses);
  if (sizes.flushed) bytes.store += written_back(bytes, sizes);
  bytes.load += Bytes(sizes.constants[TensorConstant::reread] * reread_bytes(launch, sizes));
  return bytes;
}

}  // namespace rooftile
