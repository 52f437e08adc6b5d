#include "rooftile/plan/attention_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {

AttentionShape attention_shape(const Attention& attention, DType precision, AttentionLibrary library, const Gpu& gpu) {
  constexpr std::int64_t kMostDraft = 8;  // queries of speculative decoding
  AttentionShape shape;
  shape.batch = static_cast<double>(attention.batch);
  shape.q = static_cast<double>(attention.q_len);
  shape.kv = static_cast<double>(attention.kv_len);
  shape.heads = static_cast<double>(attention.heads);
  shape.kv_heads = static_cast<double>(attention.kv_heads);
  shape.dim = static_cast<double>(attention.head_dim);
  shape.value_dim = static_cast<double>(value_dim(attention));
  const double window = static_cast<double>(attention.window);
  shape.window = window > 0 ? window : shape.kv;
  shape.group = shape.heads / shape.kv_heads;
  const DType keys = attention.kv_precision.value_or(precision);
  shape.key_bytes = size_of(keys).value();
  shape.causal = attention.causal;
  shape.windowed = attention.window > 0;
  shape.decode = attention.q_len <= kMostDraft && attention.q_len < attention.kv_len;
  shape.fp8_keys = keys == DType::fp8;
  shape.fp8 = attention_precision(attention, precision, library, gpu) == DType::fp8;
  shape.generation = gpu.generation;
  shape.sms = gpu.sm_count;
  shape.smem = gpu.sm.smem.value();
  shape.sm_threads = gpu.sm.warps * gpu.sm.warp_size;
  return shape;
}

DType attention_precision(const Attention& attention, DType precision, AttentionLibrary library, const Gpu& gpu) {
  if (size_of(precision) == size_of(DType::fp32)) {
    const bool on_tensor_cores = gpu.peak(Peak::tensor_tf32) > FlopsPerSecond(0);
    return library == AttentionLibrary::xformers && on_tensor_cores ? DType::tf32 : precision;
  }
  if (gpu.peak(Peak::tensor_fp8) <= FlopsPerSecond(0)) return precision == DType::fp8 ? DType::bf16 : precision;
  if (precision == DType::fp8) return precision;
  const bool fp8_keys = attention.kv_precision.value_or(precision) == DType::fp8;
  return fp8_keys && generation::has_async_products(gpu.generation) ? DType::fp8 : precision;
}

AttentionUnits attention_units(const Gpu& gpu) {
  return {.asynchronous = generation::has_async_products(gpu.generation),
          .overlapped = generation::has_tensor_memory(gpu.generation),
          .exponentials = gpu.sm.exponentials};
}

TileSize group_tile(double rows) {
  constexpr double kInstructionRows = 16, kMostRows = 128, kKeys = 64;
  return {kInstructionRows * std::ceil(std::min(rows, kMostRows) / kInstructionRows), kKeys};
}

double kernel_dim(AttentionLibrary library, double dim) {
  constexpr std::array kFirst = {32.0, 64.0, 128.0};
  constexpr std::array kSecond = {32.0, 64.0, 96.0, 128.0, 192.0, 256.0};
  constexpr std::array kThird = {64.0, 96.0, 128.0, 192.0, 256.0};
  const auto least = [&](const auto& dims) {
    const auto found = std::find_if(dims.begin(), dims.end(), [&](double one) { return one >= dim; });
    return found == dims.end() ? dim : *found;
  };
  if (library == AttentionLibrary::flash1 || library == AttentionLibrary::xformers) return least(kFirst);
  if (library == AttentionLibrary::flash2) return least(kSecond);
  return library == AttentionLibrary::flash3 ? least(kThird) : dim;
}

bool spilled(const AttentionShape& shape) {
  return shape.fp8 && !generation::has_async_products(shape.generation) && (shape.dim <= 64 || shape.dim > 192);
}

}  // namespace rooftile
