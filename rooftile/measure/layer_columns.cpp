#include "rooftile/measure/layer_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/ops/stream_layer.hpp"

namespace rooftile::measure {
namespace {

using Cells = std::vector<Cell>;

std::string number(std::int64_t value) { return fmt::format("{}", value); }
std::string number(double value) { return fmt::format("{:.6g}", value); }

Cells geometry(const Conv& conv) {
  const ConvAxis &h = conv.axes[1], &w = conv.axes[2];
  return {{"N", number(conv.batch)},
          {"C", number(conv.in_channels)},
          {"H", number(h.in)},
          {"W", number(w.in)},
          {"K", number(conv.out_channels)},
          {"R", number(h.filter)},
          {"S", number(w.filter)},
          {"pad_h", number(h.pad_begin)},
          {"pad_w", number(w.pad_begin)},
          {"pad_h_end", number(h.pad_end)},
          {"pad_w_end", number(w.pad_end)},
          {"stride_h", number(h.stride)},
          {"stride_w", number(w.stride)},
          {"dilation_h", number(h.dilation)},
          {"dilation_w", number(w.dilation)},
          {"groups", number(conv.groups)}};
}

Cells geometry(const Gemm& gemm) {
  return {{"batch", number(gemm.batch)},
          {"M", number(gemm.m)},
          {"N", number(gemm.n)},
          {"K", number(gemm.k)},
          {"transA", gemm.trans_a ? "T" : "N"},
          {"transB", gemm.trans_b ? "T" : "N"},
          {"bias", gemm.bias ? "1" : "0"}};
}

Cells geometry(const Attention& attention) {
  return {{"phase", attention.q_len == 1 ? "decode" : "prefill"},
          {"batch", number(attention.batch)},
          {"q_len", number(attention.q_len)},
          {"kv_len", number(attention.kv_len)},
          {"heads", number(attention.heads)},
          {"kv_heads", number(attention.kv_heads)},
          {"head_dim", number(attention.head_dim)},
          {"window", number(attention.window)},
          {"kv_precision", attention.kv_precision ? std::string(name_of(*attention.kv_precision)) : ""}};
}

Cells geometry(const Recurrent& recurrent) {
  return {{"cell", recurrent.cell},
          {"batch", number(recurrent.batch)},
          {"steps", number(recurrent.steps)},
          {"input", number(recurrent.input)},
          {"hidden", number(recurrent.hidden)},
          {"layers", number(recurrent.layers)},
          {"directions", number(recurrent.directions)},
          {"input_projection", recurrent.input_projection ? "1" : "0"}};
}

Cells geometry(const StreamLayer& layer) {
  return {{"kind", std::string(name_of(layer.kind))}, {"rows", number(layer.rows)}, {"columns", number(layer.columns)}};
}

// Which library runs the op. Attention is one fused kernel of cuDNN's, or two products and an own kernel.
std::string framework_of(const LayerCase& layer, const LayerTiming& timing, const RowContext& context) {
  std::string cudnn = "cuDNN " + context.cudnn, cublas = "cuBLASLt " + context.cublas;
  if (std::holds_alternative<Gemm>(layer.op)) return cublas;
  if (std::holds_alternative<Attention>(layer.op)) return timing.algorithm == "fused" ? cudnn : cublas;
  if (std::holds_alternative<StreamLayer>(layer.op)) return "rooftile-measure " + context.version;
  return cudnn;
}

// The algorithms that a layer table knows; any other word goes to the column `variant`.
bool is_table_algorithm(const std::string& name) {
  constexpr std::array<std::string_view, 6> kAlgorithms = {"implicit_gemm", "winograd", "winograd_nonfused",
                                                           "fft",           "direct",   "explicit_gemm"};
  return std::find(kAlgorithms.begin(), kAlgorithms.end(), name) != kAlgorithms.end();
}

// The longest kernel, which is the one that the planner of the models describes.
Cells kernel_cells(const std::vector<KernelRun>& kernels) {
  constexpr std::array<std::string_view, 7> kColumns = {"kernel",        "grid_x",    "grid_y",    "grid_z",
                                                        "block_threads", "registers", "smem_bytes"};
  Cells cells = {{"kernel_launches", kernels.empty() ? "" : fmt::format("{}", kernels.size())}};
  if (kernels.empty()) {
    for (const std::string_view column : kColumns) cells.push_back({column, ""});
    return cells;
  }
  const KernelRun& longest =
      *std::max_element(kernels.begin(), kernels.end(),
                        [](const KernelRun& a, const KernelRun& b) { return a.duration_us < b.duration_us; });
  constexpr std::size_t kLongestName = 300;
  const std::array<std::string, kColumns.size()> texts = {
      one_line(longest.name, kLongestName),
      number(longest.grid[0]),
      number(longest.grid[1]),
      number(longest.grid[2]),
      number(longest.block[0] * longest.block[1] * longest.block[2]),
      number(longest.registers),
      number(longest.smem_bytes)};
  for (std::size_t i = 0; i < kColumns.size(); ++i) cells.push_back({kColumns[i], texts[i]});
  return cells;
}

Cells row_cells(const LayerCase& layer, const LayerTiming& timing, const RowContext& context) {
  Cells cells = identity_cells(layer, context.l2);
  const bool conv = std::holds_alternative<Conv>(layer.op);
  const bool known = conv && is_table_algorithm(timing.algorithm);
  if (conv) cells.push_back({"algorithm", known ? timing.algorithm : ""});
  const Cells measured = {
      {"variant", known ? "" : timing.algorithm},          {"gpu", context.gpu},
      {"framework", framework_of(layer, timing, context)}, {"time_us", number(timing.time_us.median)},
      {"time_low_us", number(timing.time_us.low)},         {"time_high_us", number(timing.time_us.high)},
      {"repeats", fmt::format("{}", timing.time_us.count)}};
  cells.insert(cells.end(), measured.begin(), measured.end());
  const Cells kernel = kernel_cells(timing.kernels);
  cells.insert(cells.end(), kernel.begin(), kernel.end());
  const Cells rest = {{"launched", timing.launched},
                      {"input_sets", fmt::format("{}", timing.input_sets)},
                      {"workspace_bytes", number(timing.workspace_bytes)},
                      {"error", number(timing.error)},
                      {"layer", one_line(layer.layer)},
                      {"date", context.date},
                      {"driver", context.driver},
                      {"l1_bytes_measured", ""},
                      {"l2_bytes_measured", ""},
                      {"dram_bytes_measured", ""},
                      {"stalls", ""}};
  cells.insert(cells.end(), rest.begin(), rest.end());
  return cells;
}

// Any case of the table, for its columns.
LayerCase example(std::size_t table) {
  const std::array<CaseOp, kTables.size()> ops = {Conv(), Gemm(), Attention(), Recurrent(), StreamLayer()};
  LayerCase layer;
  layer.op = ops[table];
  return layer;
}

std::string key_of(const Cells& cells) {
  std::string key = cells.front().text;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (!cells[i].text.empty()) key += fmt::format(" {}={}", cells[i].column, cells[i].text);
  }
  return key;
}

}  // namespace

std::string_view name_of(Layout layout) { return layout == Layout::nchw ? "nchw" : "nhwc"; }

std::string_view name_of(L2State state) { return state == L2State::cold ? "cold" : "warm"; }

std::vector<Cell> identity_cells(const LayerCase& layer, L2State l2) {
  Cells cells = {{"op", std::string(kTables[layer.op.index()])}};
  const Cells own = std::visit([](const auto& op) { return geometry(op); }, layer.op);
  cells.insert(cells.end(), own.begin(), own.end());
  if (std::holds_alternative<Conv>(layer.op)) {
    cells.push_back({"layout", std::string(name_of(layer.layout))});
    cells.push_back({"algorithm_asked", layer.algorithm});
  }
  cells.push_back({"precision", std::string(name_of(layer.precision))});
  cells.push_back({"pass", std::string(name_of(layer.pass))});
  cells.push_back({"l2", std::string(name_of(l2))});
  return cells;
}

std::string key_of(const LayerCase& layer, L2State l2) { return key_of(identity_cells(layer, l2)); }

std::vector<std::string> columns_of(std::size_t table) {
  std::vector<std::string> columns;
  for (const Cell& cell : row_cells(example(table), {}, {})) columns.emplace_back(cell.column);
  return columns;
}

std::vector<std::string> row_of(const LayerCase& layer, const LayerTiming& timing, const RowContext& context) {
  std::vector<std::string> row;
  for (const Cell& cell : row_cells(layer, timing, context)) row.push_back(cell.text);
  return row;
}

std::vector<std::string> keys_of(std::size_t table, const std::vector<std::vector<std::string>>& rows) {
  Cells cells = identity_cells(example(table), L2State::cold);
  std::vector<std::string> keys;
  for (const std::vector<std::string>& row : rows) {
    // The identity is the first of the columns.
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].text = row[i];
    keys.push_back(key_of(cells));
  }
  return keys;
}

}  // namespace rooftile::measure
