#include "rooftile/ops/stream_layer.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "rooftile/base/lower_case.hpp"

namespace rooftile {
namespace {

struct KindRow {
  StreamKind kind;
  std::string_view name;
  double inputs, flops;  // per element of the output
};
constexpr std::array kKinds = {
    KindRow{StreamKind::norm, "norm", 1, 5},
    KindRow{StreamKind::layernorm, "layernorm", 1, 7},
    KindRow{StreamKind::softmax, "softmax", 1, 5},
    KindRow{StreamKind::gelu, "gelu", 1, 8},
    KindRow{StreamKind::activation, "activation", 1, 4},
    KindRow{StreamKind::gated_activation, "gated_activation", 2, 5},
    KindRow{StreamKind::add, "add", 2, 1},
};
static_assert(kKinds.size() == kStreamKinds.size());

const KindRow& row_of(StreamKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

double elements_of(const StreamLayer& layer) {
  return static_cast<double>(layer.rows) * static_cast<double>(layer.columns);
}

}  // namespace

std::string_view name_of(StreamKind kind) { return row_of(kind).name; }

std::optional<StreamKind> parse_stream_kind(std::string_view text) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& row) { return row.name == text; });
  return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

NormKernels norm_kernels(std::string_view kernel) {
  struct Part {
    std::string_view text;
    NormKernels kernels;
  };
  constexpr std::array kParts = {Part{"cudnn", NormKernels::fused}, Part{"compile", NormKernels::compiled},
                                 Part{"triton", NormKernels::compiled}, Part{"torch", NormKernels::eager},
                                 Part{"at::native", NormKernels::eager}};
  const std::string name = lower_case(kernel);
  for (const Part& part : kParts) {
    if (name.find(part.text) != std::string::npos) return part.kernels;
  }
  return NormKernels::serving;
}

OperandBytes operand_bytes(const StreamLayer& layer, Bytes element) {
  const Bytes output = element * elements_of(layer);
  return {output * row_of(layer.kind).inputs, output};
}

Flops flops(const StreamLayer& layer) { return Flops(row_of(layer.kind).flops * elements_of(layer)); }

}  // namespace rooftile
