#include "rooftile/ops/stream_layer.hpp"

#include <algorithm>

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

OperandBytes operand_bytes(const StreamLayer& layer, Bytes element) {
  const Bytes output = element * elements_of(layer);
  return {output * row_of(layer.kind).inputs, output};
}

Flops flops(const StreamLayer& layer) { return Flops(row_of(layer.kind).flops * elements_of(layer)); }

}  // namespace rooftile
