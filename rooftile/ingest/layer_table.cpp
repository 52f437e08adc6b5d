#include "rooftile/ingest/layer_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/error/nearest.hpp"
#include "rooftile/error/one_line.hpp"
#include "rooftile/ingest/csv.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

constexpr std::array<const char*, 5> kLaterOps = {"rnn", "attention", "stream", "collective", "network"};
constexpr std::array<const char*, 7> kLaterPasses = {"bwd",  "bwd_data",         "bwd_weight", "fwd_bwd",
                                                     "step", "step_as_profiled", "training"};
constexpr std::array<DType, 6> kPrecisions = {DType::fp32, DType::tf32, DType::fp16,
                                              DType::bf16, DType::fp8,  DType::int8};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A cell as a message shows it.
std::string shown(std::string_view cell) { return one_line(cell, 40); }

std::string lower(std::string_view cell) {
  std::string text(cell);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Result<DType> parse_precision(std::string_view text) {
  const auto dtype = parse_dtype(lower(text));
  if (dtype && std::find(kPrecisions.begin(), kPrecisions.end(), *dtype) != kPrecisions.end()) return *dtype;
  std::vector<std::string> names;
  for (const DType known : kPrecisions) names.emplace_back(name_of(known));
  return fail(ErrorCode::not_found, fmt::format("unknown precision '{}', known are {}{}", shown(text),
                                                fmt::join(names, ", "), did_you_mean(text, names)));
}

// Reads the cells of one row by column name. The first error is kept, later reads return anything valid.
class Row {
 public:
  Row(const std::unordered_map<std::string, std::size_t>& columns, const CsvRow& row, std::string_view where)
      : columns_(columns), row_(row), where_(where) {}

  const std::optional<Error>& error() const { return error_; }

  void reject(const std::string& column, std::string message, ErrorCode code = ErrorCode::bad_input) {
    if (error_) return;
    const std::string at = fmt::format("{}:{}", where_, row_.line);
    error_ = Error{code, std::move(message), column.empty() ? at : fmt::format("{}, column {}", at, column)};
  }

  // Empty if the table has no such column.
  std::string_view text(const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? std::string_view() : trimmed(row_.cells[found->second]);
  }

  std::int64_t required(const std::string& column, std::int64_t least) {
    if (columns_.count(column) == 0) {
      std::vector<std::string> names;
      for (const auto& item : columns_) names.push_back(item.first);
      std::sort(names.begin(), names.end());
      reject("",
             fmt::format("the table has no column '{}', which this row needs{}", column, did_you_mean(column, names)));
      return 1;
    }
    if (text(column).empty()) {
      reject(column, "the cell is empty");
      return 1;
    }
    return optional(column, least, least);
  }

  std::int64_t optional(const std::string& column, std::int64_t least, std::int64_t fallback) {
    const std::string_view cell = text(column);
    if (cell.empty()) return fallback;
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    const bool whole = end == cell.data() + cell.size() && status != std::errc::invalid_argument;
    if (!whole) {
      reject(column, fmt::format("'{}' is not a whole number", shown(cell)));
      return fallback;
    }
    if (status != std::errc() || number < least || number > kMaxDimension) {
      reject(column, fmt::format("{} is not between {} and {}", shown(cell), least, kMaxDimension));
      return fallback;
    }
    return number;
  }

  // N: as stored, T: transposed.
  bool transposed(const std::string& column) {
    const std::string_view cell = text(column);
    const bool yes = cell == "T" || cell == "t";
    if (!yes && cell != "N" && cell != "n" && !cell.empty()) {
      reject(column, fmt::format("'{}' is neither N nor T", shown(cell)));
    }
    return yes;
  }

 private:
  const std::unordered_map<std::string, std::size_t>& columns_;
  const CsvRow& row_;
  std::string_view where_;
  std::optional<Error> error_;
};

ConvAxis read_axis(Row& row, const char* in, const char* filter, const std::string& suffix) {
  ConvAxis axis;
  axis.in = row.required(in, 1);
  axis.filter = row.required(filter, 1);
  axis.pad_begin = row.required("pad" + suffix, 0);
  axis.pad_end = row.optional("pad" + suffix + "_end", 0, axis.pad_begin);
  axis.stride = row.required("stride" + suffix, 1);
  axis.dilation = row.optional("dilation" + suffix, 1, 1);
  return axis;
}

void check_outputs(Row& row, const std::string& column, const ConvAxis& axis) {
  const std::int64_t geometry = out_positions(axis, false);
  const std::int64_t stated = row.optional(column, 1, geometry);
  if (stated != geometry) row.reject(column, fmt::format("{}, but the geometry gives {}", stated, geometry));
}

Conv read_conv(Row& row) {
  Conv conv;
  conv.batch = row.required("N", 1);
  conv.in_channels = row.required("C", 1);
  conv.axes[1] = read_axis(row, "H", "R", "_h");
  conv.axes[2] = read_axis(row, "W", "S", "_w");
  conv.out_channels = row.required("K", 1);
  conv.groups = row.optional("groups", 1, 1);
  if (row.error()) return conv;
  if (auto geometry = check(conv); !geometry) {
    row.reject("", geometry.error().message);
    return conv;
  }
  check_outputs(row, "out_h", conv.axes[1]);
  check_outputs(row, "out_w", conv.axes[2]);
  const Shape input = {conv.batch, conv.in_channels, conv.axes[1].in, conv.axes[2].in};
  const Shape filter = {conv.out_channels, conv.in_channels / conv.groups, conv.axes[1].filter, conv.axes[2].filter};
  const Shape output = {conv.batch, conv.out_channels, out_positions(conv.axes[1], false),
                        out_positions(conv.axes[2], false)};
  for (const Shape& shape : {input, filter, output}) {
    if (elements(shape) > kMaxElements) row.reject("", fmt::format("a tensor of {} is too large", print(shape)));
  }
  return conv;
}

Gemm read_gemm(Row& row) {
  Gemm gemm;
  gemm.batch = row.optional("batch", 1, 1);
  gemm.m = row.required("M", 1);
  gemm.n = row.required("N", 1);
  gemm.k = row.required("K", 1);
  gemm.trans_a = row.transposed("transA");
  gemm.trans_b = row.transposed("transB");
  for (const Shape& shape :
       {Shape{gemm.batch, gemm.m, gemm.k}, Shape{gemm.batch, gemm.k, gemm.n}, Shape{gemm.batch, gemm.m, gemm.n}}) {
    if (elements(shape) > kMaxElements) row.reject("", fmt::format("a matrix of {} is too large", print(shape)));
  }
  if (elements({gemm.batch, gemm.m, gemm.n, gemm.k}) > kMaxMacs) row.reject("", "too many multiply-accumulates");
  return gemm;
}

void read_op(Row& row, std::string_view cell, LayerRow& layer) {
  const std::string op = lower(cell);
  if (op == "conv") {
    layer.op = read_conv(row);
  } else if (op == "gemm") {
    layer.op = read_gemm(row);
  } else if (op.empty()) {
    row.reject("op", "the cell is empty");
  } else if (std::find(kLaterOps.begin(), kLaterOps.end(), op) != kLaterOps.end()) {
    row.reject("op", fmt::format("{} rows are not supported yet; conv and gemm are", op), ErrorCode::unsupported);
  } else {
    std::vector<std::string> names = {"conv", "gemm"};
    names.insert(names.end(), kLaterOps.begin(), kLaterOps.end());
    row.reject("op", fmt::format("unknown op '{}'{}", shown(cell), did_you_mean(op, names)), ErrorCode::not_found);
  }
}

void check_pass(Row& row) {
  const std::string pass = lower(row.text("pass"));
  if (pass.empty() || pass == "fwd" || pass == "inference") return;
  if (std::find(kLaterPasses.begin(), kLaterPasses.end(), pass) != kLaterPasses.end()) {
    row.reject("pass", fmt::format("'{}': backward passes are not built yet; fwd is", pass), ErrorCode::unsupported);
  } else {
    std::vector<std::string> names = {"fwd", "inference"};
    names.insert(names.end(), kLaterPasses.begin(), kLaterPasses.end());
    row.reject("pass", fmt::format("unknown pass '{}'{}", shown(row.text("pass")), did_you_mean(pass, names)),
               ErrorCode::not_found);
  }
}

// The row's own cell, unless it is empty or overridden by what the caller gives.
std::string_view choose(std::string_view cell, std::string_view given, bool override_cells) {
  return cell.empty() || (override_cells && !given.empty()) ? given : cell;
}

class Table {
 public:
  static Result<Table> from_header(const CsvRow& header, std::string_view where) {
    Table table;
    table.where_ = where;
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
      const std::string name(trimmed(header.cells[i]));
      if (!name.empty() && !table.columns_.emplace(name, i).second) {
        return fail(ErrorCode::bad_input, fmt::format("two columns are called '{}'", shown(name)),
                    fmt::format("{}:{}", where, header.line));
      }
    }
    table.width_ = header.cells.size();
    const auto has = [&](const char* name) { return table.columns_.count(name) > 0; };
    if (!has("op")) {
      if (!(has("C") && has("R")) && !has("M")) {
        return fail(ErrorCode::bad_input,
                    "no column 'op', and neither those of conv (C and R) nor that of gemm (M): not a layer table",
                    fmt::format("{}:{}", where, header.line));
      }
      table.default_op_ = has("C") && has("R") ? "conv" : "gemm";
    }
    return table;
  }

  Result<LayerRow> read(CsvRow cells, const LayerTableOptions& options, DType default_precision) const {
    Row row(columns_, cells, where_);
    LayerRow layer;
    layer.line = cells.line;
    if (cells.cells.size() != width_) {
      row.reject("", fmt::format("{} cells in a table of {} columns", cells.cells.size(), width_));
      return tl::unexpected(*row.error());
    }
    read_op(row, default_op_.empty() ? row.text("op") : std::string_view(default_op_), layer);
    check_pass(row);
    layer.gpu = choose(row.text("gpu"), options.gpu, options.override_cells);
    layer.precision = default_precision;
    const std::string_view own = row.text("precision");
    if (!own.empty() && choose(own, options.precision, options.override_cells) == own) {
      const auto precision = parse_precision(own);
      if (precision) layer.precision = *precision;
      if (!precision) row.reject("precision", precision.error().message, precision.error().code);
    }
    if (row.error()) return tl::unexpected(*row.error());
    layer.cells = std::move(cells.cells);
    return layer;
  }

 private:
  std::unordered_map<std::string, std::size_t> columns_;
  std::size_t width_ = 0;
  std::string default_op_;  // of a table without the column
  std::string_view where_;
};

}  // namespace

Result<LayerTable> parse_layer_table(std::string_view csv, std::string_view where, const LayerTableOptions& options) {
  DType default_precision = DType::fp32;
  if (!options.precision.empty()) {
    const auto precision = parse_precision(options.precision);
    if (!precision) return fail(ErrorCode::usage, precision.error().message);
    default_precision = *precision;
  }
  auto rows = parse_csv(csv, where);
  if (!rows) return tl::unexpected(rows.error());
  if (rows->empty()) return fail(ErrorCode::bad_input, "the table is empty", std::string(where));
  const auto table = Table::from_header(rows->front(), where);
  if (!table) return tl::unexpected(table.error());

  LayerTable result;
  result.columns = std::move(rows->front().cells);
  for (std::size_t i = 1; i < rows->size(); ++i) {
    auto row = table->read(std::move((*rows)[i]), options, default_precision);
    if (row) {
      result.rows.push_back(std::move(*row));
    } else if (options.skip_bad_rows) {
      result.bad_rows.push_back(std::move(row.error()));
    } else {
      return tl::unexpected(row.error());
    }
  }
  return result;
}

}  // namespace rooftile
