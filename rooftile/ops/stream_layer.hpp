// A streaming operator by the numbers that a layer table gives it: rows of so many columns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rooftile/base/units.hpp"
#include "rooftile/ops/work.hpp"

namespace rooftile {

enum class StreamKind {
  norm,  // RMS norm
  layernorm,
  softmax,
  gelu,
  activation,        // one input, as wide as the output
  gated_activation,  // two inputs as wide as the output
  add,               // two inputs
};
inline constexpr std::array kStreamKinds = {StreamKind::norm, StreamKind::layernorm,  StreamKind::softmax,
                                            StreamKind::gelu, StreamKind::activation, StreamKind::gated_activation,
                                            StreamKind::add};
std::string_view name_of(StreamKind kind);
std::optional<StreamKind> parse_stream_kind(std::string_view text);

struct StreamLayer {
  StreamKind kind = StreamKind::activation;
  std::int64_t rows = 1;
  std::int64_t columns = 1;  // of the output

  bool operator==(const StreamLayer&) const = default;
};

// Who wrote the kernels of a norm.
enum class NormKernels {
  serving,   // serving systems
  eager,     // PyTorch: rows in two passes; gradients of activations and of weights apart
  compiled,  // PyTorch's compiler: rows in one pass
  fused,     // cuDNN: rows in one pass, and one kernel for all gradients
};
// By a kernel's name; serving where it says nothing.
NormKernels norm_kernels(std::string_view kernel);

// Each input once and the output once; `element` is the size of one element.
OperandBytes operand_bytes(const StreamLayer& layer, Bytes element);

// A nominal count per element, as flops() of work.hpp has it.
Flops flops(const StreamLayer& layer);

}  // namespace rooftile
