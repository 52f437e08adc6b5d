// One layer to be measured: what it computes and how.
#pragma once

#include <string>
#include <variant>

#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile::measure {

enum class Layout { nchw, nhwc };

using CaseOp = std::variant<Conv, Gemm, Attention, Recurrent, StreamLayer>;

struct LayerCase {
  CaseOp op;
  DType precision = DType::fp32;
  Pass pass = Pass::fwd;
  Layout layout = Layout::nchw;  // of convolutions
  // Of convolutions: a name of the column `algorithm` (docs/formats.md); empty: the one that the library's own
  // heuristic puts first.
  std::string algorithm;
  std::string layer;  // where it comes from, for people: "resnet50 layer1.0.conv1"; may be empty

  bool operator==(const LayerCase&) const = default;
};

}  // namespace rooftile::measure
