#include "rooftile/learn/layers/layer_samples.hpp"

#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/layers/layer_walk.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kNetworkLayer = "network_layer";

std::optional<LayerDirection> direction_of(Phase phase) {
  if (phase == Phase::fwd) return LayerDirection::forward;
  if (phase == Phase::bwd) return LayerDirection::backward;
  return {};
}

// The time of a row that the reader of layer tables does not know, without the harness's own; none for an empty cell
// or one that is all the harness's.
std::optional<Seconds> time_of(TableRow& row) {
  struct Unit {
    const char* column;
    double seconds;
  };
  for (const Unit& unit : {Unit{"time_us", 1e-6}, Unit{"time_ms", 1e-3}, Unit{"time_s", 1}}) {
    const auto time = row.amount(unit.column, true);
    if (!time) continue;
    constexpr double kMicro = 1e-6;
    const double own = *time * unit.seconds - kMicro * row.amount("host_overhead_us", false).value_or(0);
    return own > 0 ? std::optional(Seconds(own)) : std::nullopt;
  }
  return {};
}

class Reader {
 public:
  Reader(const std::vector<MeasuredTable>& tables, const LayerSampleOptions& options)
      : tables_(tables), options_(options) {}

  Result<LayerSamples> read() {
    for (const MeasuredTable& table : tables_) {
      for (const LayerRow& row : table.table().rows) add(table, row);
      TRY(add_networks(table));
    }
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& what, std::optional<Seconds> time) {
    LeftOutLayers& layers = result_.left_out[what];
    ++layers.rows;
    if (time) layers.time += *time;
  }

  bool kept(const RowCell& cell) const { return !options_.keep || options_.keep(cell); }

  // A sample of a row that is kept.
  void add(LayerSample sample, const RowCell& cell, const LayerComplexity& complexity, Seconds time) {
    sample.network = cell("model");
    sample.layer = cell("layer");
    sample.category = complexity.category;
    sample.complexity = complexity.of(sample.direction);
    sample.time = time;
    sample.gpu = cell("gpu");
    sample.precision = cell("precision");
    sample.software = cell("framework");
    if (!options_.group_by.empty()) sample.group = cell(options_.group_by);
    sample.held_out = options_.hold_out && options_.hold_out(cell);
    for (const std::string& column : options_.columns) sample.cells.emplace_back(cell(column));
    result_.samples.push_back(std::move(sample));
  }

  void add(const MeasuredTable& table, const LayerRow& row) {
    const RowCell cell = [&](const std::string& column) { return table.cell(row, column, gpus_); };
    if (!kept(cell)) return;
    const auto* conv = std::get_if<Conv>(&row.op);
    const auto* gemm = std::get_if<Gemm>(&row.op);
    const auto direction = direction_of(row.phase);
    const Seconds overhead = row.measured.host_overhead;
    if (conv == nullptr && gemm == nullptr) return leave_out(fmt::format("{} rows", name_of(row.op)), {});
    if (!row.flag.empty()) return leave_out("flagged rows", {});
    if (!direction) return leave_out(fmt::format("{} rows", name_of(row.phase)), {});
    if (!row.measured.time || *row.measured.time <= overhead) return leave_out("rows without a time", {});
    LayerSample sample;
    sample.where = fmt::format("{}:{}", table.name(), row.line);
    sample.direction = *direction;
    add(std::move(sample), cell, conv != nullptr ? complexity_of(*conv) : complexity_of(*gemm),
        *row.measured.time - overhead);
  }

  // The rows of each network and direction, through a walk of their own.
  Result<void> add_networks(const MeasuredTable& table) {
    ColumnIndex columns;
    for (std::size_t i = 0; i < table.table().columns.size(); ++i) {
      columns.emplace(trimmed(table.table().columns[i]), i);
    }
    std::unordered_map<std::string, std::vector<std::string>> modules;
    std::unordered_map<std::string, LayerWalk> walks;
    for (const bool walking : {false, true}) {
      for (const UnsupportedRow& row : table.table().unsupported) {
        if (lower_case(table.raw(row.cells, "op")) != kNetworkLayer) {
          if (walking) leave_out(row.what, {});
          continue;
        }
        const std::string network = network_of(table, row.cells);
        if (!walking) {
          if (lower_case(table.raw(row.cells, "type")) != "concat") continue;
          modules[network].emplace_back(LayerWalk::module_of(table.raw(row.cells, "layer")));
        } else {
          TRY(add_layer(table, row, columns, modules[network], walks, network));
        }
      }
    }
    return {};
  }

  // What tells the runs of a table from each other.
  static std::string network_of(const MeasuredTable& table, const std::vector<std::string>& cells) {
    std::string key;
    for (const char* column : {"model", "gpu", "framework", "precision", "batch", "image_size", "pass"}) {
      key += std::string(table.raw(cells, column)) + '\n';
    }
    return key;
  }

  Result<void> add_layer(const MeasuredTable& table, const UnsupportedRow& source, const ColumnIndex& columns,
                         const std::vector<std::string>& modules, std::unordered_map<std::string, LayerWalk>& walks,
                         const std::string& network) {
    const CsvRow cells{source.line, source.cells};
    TableRow row(columns, cells, table.name());
    auto walk = walks.find(network);
    if (walk == walks.end()) {
      const std::int64_t batch = row.required("batch", 1), image_size = row.required("image_size", 1);
      walk = walks.emplace(network, LayerWalk(batch, image_size, modules)).first;
    }
    const auto phase = parse_phase(lower_case(row.text("pass").empty() ? "fwd" : row.text("pass")));
    const auto complexity = walk->second.next(row);
    const auto time = time_of(row);
    if (row.error()) return tl::unexpected(*row.error());

    const RowCell cell = [&](const std::string& column) -> std::string_view {
      if (column == "gpu") return gpu_of(row);
      if (column == "precision") return precision_of(row);
      if (column == "pass" && phase) return name_of(*phase);
      return column == "table" && !table.has(column) ? std::string_view(table.name()) : table.raw(source.cells, column);
    };
    if (!kept(cell)) return {};
    const auto direction = phase ? direction_of(*phase) : std::nullopt;
    const std::string type = one_line(row.text("type"), 40);
    if (!row.text("flag").empty()) {
      leave_out("flagged rows", {});
    } else if (!direction) {
      leave_out(fmt::format("network_layer rows of pass {}", one_line(row.text("pass"), 40)), time);
    } else if (!complexity) {
      leave_out(type.empty() ? "layers without a type" : type + " layers", time);
    } else if (!time) {
      leave_out("rows without a time", {});
    } else {
      LayerSample sample;
      sample.where = fmt::format("{}:{}", table.name(), source.line);
      sample.direction = *direction;
      add(std::move(sample), cell, *complexity, *time);
    }
    return {};
  }

  // By its own name, as the reader of layer tables gives it to the rows that it knows.
  std::string_view gpu_of(const TableRow& row) {
    const std::string_view own = row.text("gpu");
    const std::string_view name = own.empty() ? std::string_view(options_.gpu) : own;
    const auto gpu = gpus_.find(std::string(name));
    return gpu ? std::string_view((*gpu)->id) : name;
  }

  static std::string_view precision_of(const TableRow& row) {
    const std::string_view own = row.text("precision");
    if (own.empty()) return name_of(DType::fp32);
    const auto precision = parse_dtype(lower_case(own));
    return precision ? name_of(*precision) : own;
  }

  const std::vector<MeasuredTable>& tables_;
  const LayerSampleOptions& options_;
  GpuCache gpus_;
  LayerSamples result_;
};

}  // namespace

Result<LayerSamples> layer_samples(const std::vector<MeasuredTable>& tables, const LayerSampleOptions& options) {
  return Reader(tables, options).read();
}

}  // namespace rooftile
