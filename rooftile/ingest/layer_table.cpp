#include "rooftile/ingest/layer_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/time_range.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/ingest/corrections.hpp"
#include "rooftile/ingest/layer_table_op.hpp"
#include "rooftile/ingest/layer_table_reader.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/ingest/published_run.hpp"

namespace rooftile {
namespace {

constexpr std::array<const char*, 3> kLaterOps = {"network_layer", "kernel", "benchmark"};
// With more than the op in them.
constexpr std::array<const char*, 1> kLaterPasses = {"step_as_profiled"};

// A reader of each op that is predicted.
struct OpReader {
  const char* op;
  RowOp (*read)(TableRow&);
};
constexpr std::array kOpReaders = {
    OpReader{"conv", [](TableRow& row) { return RowOp(read_conv(row)); }},
    OpReader{"gemm", [](TableRow& row) { return RowOp(read_gemm(row)); }},
    OpReader{"attention", [](TableRow& row) { return RowOp(read_attention(row)); }},
    OpReader{"rnn", [](TableRow& row) { return RowOp(read_recurrent(row)); }},
    OpReader{"stream", [](TableRow& row) { return RowOp(read_stream(row)); }},
    OpReader{"network", [](TableRow& row) { return RowOp(read_network(row)); }},
    OpReader{"collective", [](TableRow& row) { return RowOp(read_collective(row)); }},
};
static_assert(kOpReaders.size() == std::variant_size_v<RowOp>, "in the order of RowOp");
constexpr std::array<const char*, 6> kAlgorithms = {"implicit_gemm", "winograd", "winograd_nonfused",
                                                    "fft",           "direct",   "explicit_gemm"};
constexpr std::array<DType, 9> kPrecisions = {DType::fp32, DType::tf32, DType::fp16,  DType::bf16, DType::fp8,
                                              DType::int8, DType::int4, DType::nvfp4, DType::mxfp4};

// Precisions of measured rows that no method predicts.
constexpr std::array<std::string_view, 2> kUnsupportedPrecisions = {"fp64", "double"};

template <class Names>
bool is_one_of(const std::string& name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<DType> parse_precision(std::string_view text) {
  const auto dtype = parse_dtype(lower_case(text));
  if (dtype && std::find(kPrecisions.begin(), kPrecisions.end(), *dtype) != kPrecisions.end()) return *dtype;
  if (is_one_of(lower_case(text), kUnsupportedPrecisions)) {
    return fail(ErrorCode::unsupported, fmt::format("precision {} is not supported yet", shown(text)));
  }
  std::vector<std::string> names;
  for (const DType known : kPrecisions) names.emplace_back(name_of(known));
  return fail(ErrorCode::not_found, fmt::format("unknown precision '{}'{}", shown(text), one_of(text, names)));
}

// Nothing for an empty cell.
std::optional<DType> read_precision(TableRow& row, const std::string& column) {
  const std::string_view cell = row.text(column);
  if (cell.empty()) return std::nullopt;
  const auto precision = parse_precision(cell);
  if (precision) return *precision;
  row.reject(column, precision.error().message, precision.error().code);
  return std::nullopt;
}

// What the row is, where that is not predicted yet; else empty. `row` then has the error.
std::string read_op(TableRow& row, std::string_view cell, LayerRow& layer) {
  const std::string op = lower_case(cell);
  std::vector<std::string> names;
  for (const OpReader& reader : kOpReaders) {
    names.emplace_back(reader.op);
    if (op != reader.op) continue;
    layer.op = reader.read(row);
    return {};
  }
  if (op.empty()) {
    row.reject("op", "the cell is empty");
  } else if (is_one_of(op, kLaterOps)) {
    row.reject("op", fmt::format("{} rows are not supported yet; {} are", op, fmt::join(names, ", ")),
               ErrorCode::unsupported);
    return op + " rows";
  } else {
    names.insert(names.end(), kLaterOps.begin(), kLaterOps.end());
    row.reject("op", fmt::format("unknown op '{}'{}", shown(cell), did_you_mean(op, names)), ErrorCode::not_found);
  }
  return {};
}

// The same for the pass.
std::string read_pass(TableRow& row, std::string_view op, LayerRow& layer) {
  const std::string pass = lower_case(row.text("pass"));
  if (pass.empty()) return {};
  if (const auto known = parse_phase(pass)) {
    layer.phase = *known;
    return {};
  }
  if (is_one_of(pass, kLaterPasses)) {
    row.reject("pass", fmt::format("'{}' is not supported yet; {} are", pass, fmt::join(phase_names(), ", ")),
               ErrorCode::unsupported);
    return fmt::format("{} rows of pass {}", op, pass);
  }
  std::vector<std::string> names = phase_names();
  names.insert(names.end(), kLaterPasses.begin(), kLaterPasses.end());
  row.reject("pass", fmt::format("unknown pass '{}'{}", shown(row.text("pass")), did_you_mean(pass, names)),
             ErrorCode::not_found);
  return {};
}

// Columns of a kernel's sizes as its name would say them: tile 128x64 of depth 32, two stages.
std::string kernel_of_sizes(TableRow& row) {
  if (row.text("tile_m").empty() || row.text("tile_n").empty()) return {};
  constexpr std::int64_t kDepth = 32, kStages = 2;
  return fmt::format("{}x{}_{}x{}", row.required("tile_m", 1), row.required("tile_n", 1),
                     row.optional("tile_k", 1, kDepth), row.optional("stages", 1, kStages));
}

// Whether a convolution's maps have their channels contiguous.
bool read_nhwc(TableRow& row) {
  const std::string layout = lower_case(row.text("layout"));
  if (layout == "nhwc") return true;
  if (layout.empty()) return published_nhwc(row);
  if (layout != "nchw") {
    row.reject("layout", fmt::format("unknown layout '{}'; one of nchw, nhwc", shown(row.text("layout"))),
               ErrorCode::not_found);
  }
  return false;
}

// That the core clock was kept from exceeding; nothing for an empty cell.
std::optional<Hertz> read_clock_limit(TableRow& row) {
  constexpr double kLeast = 100, kMost = 10000, kMega = 1e6;
  const auto mhz = row.amount("sm_clock_mhz", true);
  if (!mhz) return std::nullopt;
  if (*mhz < kLeast || *mhz > kMost) {
    row.reject("sm_clock_mhz", fmt::format("'{}' is not between 100 and 10,000", shown(row.text("sm_clock_mhz"))));
  }
  return Hertz(*mhz * kMega);
}

void read_kernel(TableRow& row, LayerRow& layer) {
  layer.framework = row.text("framework");
  layer.kind = row.text("kind");
  layer.kernel = row.text("kernel");
  if (std::holds_alternative<Conv>(layer.op)) {
    if (layer.kernel.empty()) layer.kernel = kernel_of_sizes(row);
  }
  if (std::holds_alternative<Conv>(layer.op) || std::holds_alternative<Gemm>(layer.op)) {
    layer.accumulate = read_precision(row, "accumulate");
    layer.output_precision = read_precision(row, "output_precision");
  }
  if (std::holds_alternative<Conv>(layer.op) || std::holds_alternative<NetworkRun>(layer.op)) {
    layer.nhwc = read_nhwc(row);
  }
  layer.sm_clock = read_clock_limit(row);
  layer.split_k = row.optional("split_k", 0, 0);
  layer.flag = row.text("flag");
  layer.algorithm = lower_case(row.text("algorithm"));
  if (!layer.algorithm.empty() && !is_one_of(layer.algorithm, kAlgorithms)) {
    const std::vector<std::string> names(kAlgorithms.begin(), kAlgorithms.end());
    row.reject("algorithm",
               fmt::format("unknown algorithm '{}'{}", shown(layer.algorithm), one_of(layer.algorithm, names)),
               ErrorCode::not_found);
  }
  layer.asked = !row.text("algorithm_asked").empty();
  layer.grid = {row.optional("grid_x", 1, 0), row.optional("grid_y", 1, 0), row.optional("grid_z", 1, 0)};
  layer.block_threads = row.optional("block_threads", 1, 0);
}

// What the throughput of a row counts for each sample of the batch: samples, or the tokens of a request, those of the
// prompt where nothing else was timed.
std::optional<double> counted_of_a_sample(TableRow& row) {
  const std::string unit = lower_case(row.text("unit"));
  const auto is = [&](const std::string& name) { return unit == name || unit == name + "/s"; };
  if (is("images") || is("samples") || is("sequences")) return 1;
  const std::string phase = lower_case(row.text("phase"));
  if (!is("tokens") || phase.empty()) return std::nullopt;
  return static_cast<double>(row.required(phase == "prefill" ? "input_tokens" : "output_tokens", 1));
}

// A throughput whose unit its name says.
constexpr const char* kSamplesASecond = "samples_per_s";

// Of a batch, where the row tells how much of it a second there was, and as it was timed, unless the two differ.
void read_throughput(TableRow& row, Measured& measured) {
  constexpr double kRounded = 0.1;  // throughputs are printed with two digits and more
  const bool of_samples = !row.text(kSamplesASecond).empty();
  const std::string column = of_samples ? kSamplesASecond : "throughput";
  if (row.text(column).empty()) return;
  if (row.text("batch").empty()) {
    measured.untimed = "a throughput without a batch";
    return;
  }
  const auto counted = of_samples ? std::optional(1.0) : counted_of_a_sample(row);
  if (!counted) {
    measured.untimed = "a throughput of unknown unit";
    return;
  }
  const auto throughput = row.amount(column, true);
  if (!throughput) return;
  const Seconds time(static_cast<double>(row.required("batch", 1)) * *counted / *throughput);
  if (!is_time(time)) row.reject(column, fmt::format("the time of a batch is not {}", kTimeRange));
  if (measured.time && std::abs(time / *measured.time - 1) > kRounded) {
    row.reject(column, fmt::format("a batch takes {:.6g} us by its throughput, but {:.6g} us by its time",
                                   time.value() * 1e6, measured.time->value() * 1e6));
  }
  if (!measured.time) measured.time = time;
}

void read_measured(TableRow& row, Measured& measured) {
  struct Unit {
    const char* column;
    double seconds;
  };
  for (const Unit& unit : {Unit{"time_us", 1e-6}, Unit{"time_ms", 1e-3}, Unit{"time_s", 1}}) {
    const auto time = row.amount(unit.column, true);
    if (time && !is_time(Seconds(*time * unit.seconds))) {
      row.reject(unit.column, fmt::format("'{}' is not {}", shown(row.text(unit.column)), kTimeRange));
    }
    if (time && !measured.time) measured.time = Seconds(*time * unit.seconds);
  }
  read_throughput(row, measured);
  constexpr double kMicro = 1e-6;
  measured.host_overhead = Seconds(row.amount("host_overhead_us", false).value_or(0) * kMicro);
  if (measured.host_overhead > kLongestTime) row.reject("host_overhead_us", "is longer than a year");
  const auto bytes = [&](const char* column) {
    const auto count = row.amount(column, false);
    return count ? std::optional(Bytes(*count)) : std::nullopt;
  };
  measured.l1 = bytes("l1_bytes_measured");
  measured.l2 = bytes("l2_bytes_measured");
  measured.dram = bytes("dram_bytes_measured");
  measured.launches = row.amount("kernel_launches", false);
}

// What others call a column: "Batch Size", "latency (ms)".
struct OtherName {
  const char* name;  // as plain_column() has it
  const char* column;
};
constexpr std::array kOtherNames = {
    OtherName{"model", "model"},
    OtherName{"network", "model"},
    OtherName{"model_name", "model"},
    OtherName{"gpu", "gpu"},
    OtherName{"device", "gpu"},
    OtherName{"gpu_name", "gpu"},
    OtherName{"batch", "batch"},
    OtherName{"batch_size", "batch"},
    OtherName{"bs", "batch"},
    OtherName{"precision", "precision"},
    OtherName{"dtype", "precision"},
    OtherName{"data_type", "precision"},
    OtherName{"time_ms", "time_ms"},
    OtherName{"latency_ms", "time_ms"},
    OtherName{"time_us", "time_us"},
    OtherName{"latency_us", "time_us"},
    OtherName{"latency_s", "time_s"},
    OtherName{"samples_per_s", kSamplesASecond},
    OtherName{"samples_s", kSamplesASecond},
    OtherName{"samples_sec", kSamplesASecond},
    OtherName{"samples_per_sec", kSamplesASecond},
    OtherName{"images_per_s", kSamplesASecond},
    OtherName{"images_s", kSamplesASecond},
    OtherName{"images_sec", kSamplesASecond},
    OtherName{"images_per_sec", kSamplesASecond},
    OtherName{"img_s", kSamplesASecond},
    OtherName{"img_sec", kSamplesASecond},
    OtherName{"fps", kSamplesASecond},
    OtherName{"throughput_img_s", kSamplesASecond},
    OtherName{"throughput_images_s", kSamplesASecond},
    OtherName{"throughput_samples_s", kSamplesASecond},
    OtherName{"framework", "framework"},
    OtherName{"seq_length", "seq_len"},
    OtherName{"seq_len", "seq_len"},
    OtherName{"sequence_length", "seq_len"},
    OtherName{"image_size", "image_size"},
    OtherName{"img_size", "image_size"},
    OtherName{"resolution", "image_size"},
};

// Beside a column `model` it is what joins the GPUs.
constexpr std::string_view kNetwork = "network", kCollective = "collective";

// In small letters, with one underscore for whatever lies between letters and digits.
std::string plain_column(std::string_view name) {
  std::string plain;
  for (const char c : lower_case(name)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (kept) {
      plain += c;
    } else if (!plain.empty() && plain.back() != '_') {
      plain += '_';
    }
  }
  if (plain.ends_with('_')) plain.pop_back();
  return plain;
}

// The row's own cell, unless it is empty or overridden by what the caller gives.
std::string_view choose(std::string_view cell, std::string_view given, bool override_cells) {
  return cell.empty() || (override_cells && !given.empty()) ? given : cell;
}

}  // namespace

std::string_view name_of(const RowOp& op) { return kOpReaders[op.index()].op; }

Result<LayerTableReader> LayerTableReader::from_header(const CsvRow& header, std::string_view where,
                                                       LayerTableOptions options) {
  LayerTableReader table;
  table.where_ = where;
  if (!options.precision.empty()) {
    const auto precision = parse_precision(options.precision);
    if (!precision) return fail(ErrorCode::usage, precision.error().message);
    table.default_precision_ = *precision;
  }
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    const std::string name(trimmed(header.cells[i]));
    if (!name.empty() && !table.columns_.emplace(name, i).second) {
      return fail(ErrorCode::bad_input, fmt::format("two columns are called '{}'", shown(name)),
                  fmt::format("{}:{}", where, header.line));
    }
  }
  // What is hidden has no meaning, neither under its own name nor under ours.
  const auto hidden = [&](std::size_t column, std::string_view meaning) {
    return std::any_of(options.ignore.begin(), options.ignore.end(), [&](const std::string& name) {
      return name == meaning || name == trimmed(header.cells[column]);
    });
  };
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    const std::string name = plain_column(header.cells[i]);
    for (const OtherName& other : kOtherNames) {
      if (name != other.name || hidden(i, other.column)) continue;
      const auto [first, added] = table.columns_.emplace(other.column, i);
      if (added || first->second == i || name == kNetwork || hidden(first->second, other.column)) continue;
      return fail(ErrorCode::bad_input,
                  fmt::format("columns '{}' and '{}' mean the same; rename one of them",
                              shown(header.cells[first->second]), shown(header.cells[i])),
                  fmt::format("{}:{}", where, header.line));
    }
  }
  for (const std::string& name : options.ignore) table.columns_.erase(name);
  table.width_ = header.cells.size();
  const auto has = [&](const char* name) { return table.columns_.count(name) > 0; };
  if (!has("op")) {
    const bool conv = has("C") && has("R");
    if (!conv && !has("M") && !has("model")) {
      return fail(ErrorCode::bad_input,
                  "not a layer table: no column 'op', nor C and R (conv), M (gemm) or model (network)",
                  fmt::format("{}:{}", where, header.line));
    }
    table.default_op_ = conv ? "conv" : has("M") ? "gemm" : "network";
  }
  table.options_ = std::move(options);
  return table;
}

Result<void> LayerTableReader::read(CsvRow cells, LayerTable& into) const {
  TableRow row(columns_, cells, where_);
  LayerRow layer;
  layer.line = cells.line;
  std::string later;
  if (cells.cells.size() != width_) {
    row.reject("", fmt::format("{} cells in a table of {} columns", cells.cells.size(), width_));
  } else {
    later = read_cells(row, layer);
  }
  if (!row.error()) {
    layer.cells = std::move(cells.cells);
    into.rows.push_back(std::move(layer));
  } else if (options_.keep_unsupported && row.error()->code == ErrorCode::unsupported) {
    into.unsupported.push_back({cells.line, std::move(cells.cells), std::move(later)});
  } else if (options_.skip_bad_rows) {
    into.bad_rows.push_back(*row.error());
  } else {
    return tl::unexpected(*row.error());
  }
  return {};
}

std::string LayerTableReader::read_cells(TableRow& row, LayerRow& layer) const {
  const std::string_view op = default_op_.empty() ? row.text("op") : std::string_view(default_op_);
  // Calls are known by the names that constants of harnesses have.
  if (const std::string kind = lower_case(op); kind == kNetwork || kind == kCollective)
    row.read_as("framework", framework_meant(row.text("framework")));
  std::string later = read_op(row, op, layer);
  if (std::string pass = read_pass(row, lower_case(op), layer); later.empty()) later = std::move(pass);
  read_kernel(row, layer);
  layer.gpu = choose(corrected(row, "gpu"), options_.gpu, options_.override_cells);
  layer.precision = default_precision_;
  const std::string_view own = row.text("precision");
  if (!own.empty() && choose(own, options_.precision, options_.override_cells) == own) {
    // Mixed precision is of networks.
    const auto mixed =
        std::holds_alternative<NetworkRun>(layer.op) ? parse_run_precision(lower_case(own)) : std::nullopt;
    const bool detailed = mixed && lower_case(row.text("precision_detail")).starts_with("amp ");  // "amp fp16"
    layer.autocast = detailed || (mixed && mixed->autocast);
    const auto precision = layer.autocast ? std::optional(mixed->dtype) : read_precision(row, "precision");
    if (!precision && row.error()->code == ErrorCode::unsupported && later.empty()) {
      later = fmt::format("{} rows of precision {}", lower_case(op), shown(own));
    }
    layer.precision = precision.value_or(default_precision_);
  }
  const bool multiplies = std::holds_alternative<Gemm>(layer.op) || std::holds_alternative<NetworkRun>(layer.op);
  if (is_fp4(layer.precision) && !multiplies) {
    row.reject("precision", fmt::format("{} is of gemm and network rows", name_of(layer.precision)),
               ErrorCode::unsupported);
    if (later.empty()) later = fmt::format("{} rows of precision {}", lower_case(op), name_of(layer.precision));
  }
  if (auto* attention = std::get_if<Attention>(&layer.op)) {
    attention->kv_precision = read_precision(row, "kv_precision");
  }
  if (options_.measurements) read_measured(row, layer.measured);
  return later;
}

Result<LayerTable> parse_layer_table(std::string_view csv, std::string_view where, const LayerTableOptions& options) {
  auto rows = TRY(parse_csv(csv, where));
  if (rows.empty()) return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  const auto reader = TRY(LayerTableReader::from_header(rows.front(), where, options));

  LayerTable result;
  result.columns = std::move(rows.front().cells);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    TRY(reader.read(std::move(rows[i]), result));
  }
  return result;
}

}  // namespace rooftile
