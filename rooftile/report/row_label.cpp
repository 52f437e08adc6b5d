#include "rooftile/report/row_label.hpp"

#include <string>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"

namespace rooftile {
namespace {

std::string words_of(const Conv& conv) {
  const ConvAxis &height = conv.axes[1], &width = conv.axes[2];
  return fmt::format("conv {}x{}x{}x{}, {} of {}x{}", conv.batch, conv.in_channels, height.in, width.in,
                     conv.out_channels, height.filter, width.filter);
}

std::string words_of(const Gemm& gemm) {
  return fmt::format("gemm {}{}x{}x{}", gemm.batch > 1 ? fmt::format("{} of ", gemm.batch) : "", gemm.m, gemm.n,
                     gemm.k);
}

std::string words_of(const Attention& attention) {
  return fmt::format("attention {}x{}, {} of {}", attention.batch, attention.heads, attention.q_len, attention.kv_len);
}

std::string words_of(const Recurrent& layer) {
  return fmt::format("{} {}x{}, {} to {}", layer.cell, layer.batch, layer.steps, layer.input, layer.hidden);
}

std::string words_of(const StreamLayer& layer) {
  return fmt::format("{} {}x{}", name_of(layer.kind), layer.rows, layer.columns);
}

std::string words_of(const NetworkRun& run) {
  return run.batch ? fmt::format("{}, batch {}", run.model, *run.batch) : run.model;
}

std::string words_of(const Collective& collective) {
  return fmt::format("{} on {}, {}", name_of(collective.kind), collective.gpus, print(collective.bytes));
}

}  // namespace

std::string label_of(const LayerRow& row) {
  const std::string words = std::visit([](const auto& op) { return words_of(op); }, row.op);
  return row.phase == Phase::fwd ? words : fmt::format("{}, {}", words, name_of(row.phase));
}

}  // namespace rooftile
