// How a framework runs a network: operator by operator, compiled into fused kernels, or by an inference engine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/workload/dtype.hpp"

namespace rooftile {

enum class Execution {
  eager,     // every operator its own kernels (PyTorch)
  compiled,  // chains of operators fused into generated kernels (torch.compile, XLA)
  engine,    // hand-written fused kernels, weights in the best layout (TensorRT, FasterTransformer)
};

std::string_view name_of(Execution execution);
std::optional<Execution> parse_execution(std::string_view text);
std::vector<std::string> execution_names();

// The precision of a run. With autocast weights stay FP32, and operators on a list run in `dtype`.
struct RunPrecision {
  DType dtype = DType::fp32;
  bool autocast = false;

  bool operator==(const RunPrecision&) const = default;
};

// What all stays in that is no product of a run in FP8 or FP4.
inline constexpr DType kBesideNarrow = DType::bf16;
// What weights and their gradients are kept in while they are trained.
DType trained_in(const RunPrecision& precision);

// "fp16", "amp-fp16".
std::string name_of(const RunPrecision& precision);
// Those names, "amp", and others that parse_dtype() takes.
std::optional<RunPrecision> parse_run_precision(std::string_view text);

}  // namespace rooftile
