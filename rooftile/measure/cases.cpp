#include "rooftile/measure/cases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/measure/layer_columns.hpp"
#include "rooftile/ops/stream_kernels.hpp"

namespace rooftile::measure {
namespace {

// The kind of an element-wise operator, where it is one of those that are measured.
std::optional<StreamKind> kind_of(const Elementwise& op, std::size_t inputs) {
  if (op.function == "add" && inputs == 2) return StreamKind::add;
  if (inputs != 1) return std::nullopt;
  if (op.function == "gelu") return StreamKind::gelu;
  for (const char* activation : {"relu", "silu", "tanh", "sigmoid"}) {
    if (op.function == activation) return StreamKind::activation;
  }
  return std::nullopt;
}

// Rows of the last dimension, as the models take them.
StreamLayer stream(StreamKind kind, const Shape& shape) {
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  return {kind, static_cast<std::int64_t>(elements(shape)) / columns, columns};
}

std::optional<CaseOp> case_op(const Workload& network, const Op& op) {
  const Shape& shape = network.tensors[op.outputs.front()].shape;
  return std::visit(
      [&](const auto& kind) -> std::optional<CaseOp> {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, Conv>) {
          Conv conv = kind;
          conv.bias = false;
          const bool flat = conv.axes[0] == ConvAxis();
          return flat && !conv.transposed ? std::optional<CaseOp>(conv) : std::nullopt;
        } else if constexpr (std::is_same_v<Kind, Attention>) {
          return kind.causal ? std::optional<CaseOp>(kind) : std::nullopt;
        } else if constexpr (std::is_same_v<Kind, Gemm> || std::is_same_v<Kind, Recurrent>) {
          return CaseOp(kind);
        } else if constexpr (std::is_same_v<Kind, Softmax>) {
          return CaseOp(stream(StreamKind::softmax, shape));
        } else if constexpr (std::is_same_v<Kind, Normalize>) {
          return kind.function == "layer" ? std::optional<CaseOp>(stream(StreamKind::layernorm, shape)) : std::nullopt;
        } else if constexpr (std::is_same_v<Kind, Elementwise>) {
          const auto known = kind_of(kind, op.inputs.size());
          return known ? std::optional<CaseOp>(stream(*known, shape)) : std::nullopt;
        } else {
          return std::nullopt;
        }
      },
      op.kind);
}

bool makes_sense(const CaseOp& op, DType precision, Pass pass) {
  const bool gradients =
      std::holds_alternative<Conv>(op) || std::holds_alternative<Gemm>(op) || std::holds_alternative<Recurrent>(op);
  if (pass != Pass::fwd && !gradients) return false;
  switch (precision) {
    case DType::fp32:
    case DType::fp16:
    case DType::bf16:
      return true;
    case DType::tf32:
      return gradients;
    case DType::fp8:
    case DType::int8:
      return std::holds_alternative<Gemm>(op) && pass == Pass::fwd;
    default:
      return false;
  }
}

Result<Layout> layout_of(std::string_view cell, const std::string& place) {
  if (cell.empty() || cell == name_of(Layout::nchw)) return Layout::nchw;
  if (cell == name_of(Layout::nhwc)) return Layout::nhwc;
  return fail(ErrorCode::not_found, fmt::format("unknown layout '{}'; one of nchw, nhwc", shown(cell)), place);
}

}  // namespace

std::vector<LayerCase> layers_of(const Workload& network) {
  std::vector<LayerCase> layers;
  for (const Op& op : network.ops) {
    if (auto known = case_op(network, op)) {
      layers.push_back({*known, DType::fp32, Pass::fwd, Layout::nchw, "", fmt::format("{} {}", network.name, op.name)});
    }
  }
  return unique_cases(layers);
}

std::vector<LayerCase> cases_of(const std::vector<LayerCase>& layers, const CaseChoice& choice) {
  std::vector<LayerCase> cases;
  const std::vector<Layout> one_layout = {Layout::nchw};
  const std::vector<std::string> no_algorithm = {""};
  for (const LayerCase& layer : layers) {
    const bool conv = std::holds_alternative<Conv>(layer.op);
    for (const DType precision : choice.precisions) {
      for (const Pass pass : choice.passes) {
        if (!makes_sense(layer.op, precision, pass)) continue;
        for (const Layout layout : conv ? choice.layouts : one_layout) {
          for (const std::string& algorithm : conv ? choice.algorithms : no_algorithm) {
            cases.push_back({layer.op, precision, pass, layout, algorithm, layer.layer});
          }
        }
      }
    }
  }
  return unique_cases(cases);
}

Result<TableCases> cases_of_table(std::string_view csv, std::string_view where) {
  LayerTableOptions options;
  options.keep_unsupported = true;
  const auto table = TRY(parse_layer_table(csv, where, options));
  const auto column = [&](const LayerRow& row, std::string_view name) -> std::string_view {
    const auto found = std::find(table.columns.begin(), table.columns.end(), name);
    if (found == table.columns.end()) return {};
    return trimmed(row.cells[static_cast<std::size_t>(found - table.columns.begin())]);
  };
  TableCases result;
  result.left_out = table.unsupported.size();
  for (const LayerRow& row : table.rows) {
    if (std::holds_alternative<NetworkRun>(row.op) || std::holds_alternative<Collective>(row.op)) {
      ++result.left_out;
      continue;
    }
    const auto layout = TRY(layout_of(column(row, "layout"), fmt::format("{}:{}, column layout", where, row.line)));
    std::string layer(column(row, "layer"));
    if (layer.empty()) layer = fmt::format("{}:{}", where, row.line);
    for (const Pass pass : passes_of(row.phase)) {
      LayerCase one;
      std::visit(
          [&](const auto& op) {
            if constexpr (std::is_constructible_v<CaseOp, decltype(op)>) one.op = op;
          },
          row.op);
      one.precision = row.precision;
      one.pass = pass;
      one.layout = layout;
      one.algorithm = row.algorithm;
      one.layer = layer;
      result.cases.push_back(std::move(one));
    }
  }
  return result;
}

std::vector<LayerCase> quick(const std::vector<LayerCase>& cases) {
  constexpr std::size_t kOfEach = 6;
  std::array<std::size_t, kTables.size()> there{}, seen{}, taken{};
  for (const LayerCase& layer : cases) ++there[layer.op.index()];
  std::vector<LayerCase> few;
  for (const LayerCase& layer : cases) {
    const std::size_t op = layer.op.index();
    // Evenly over all of its kind.
    if (seen[op]++ * kOfEach >= taken[op] * there[op] && taken[op] < kOfEach) {
      few.push_back(layer);
      ++taken[op];
    }
  }
  return few;
}

std::vector<LayerCase> unique_cases(const std::vector<LayerCase>& cases) {
  std::set<std::string> seen;
  std::vector<LayerCase> unique;
  for (const LayerCase& layer : cases) {
    if (seen.insert(key_of(layer, L2State::cold)).second) unique.push_back(layer);
  }
  return unique;
}

}  // namespace rooftile::measure
