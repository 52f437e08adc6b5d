#include "rooftile/cli/tables.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/store/measurements.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::cli {

namespace {

// What all rows of a subject have in a column once they are read; nothing where the options may fill or hide it.
std::optional<std::string_view> cell_of(const store::Subject& subject, const std::string& column,
                                        const LayerTableOptions& options) {
  const bool hidden = std::find(options.ignore.begin(), options.ignore.end(), column) != options.ignore.end();
  if (hidden) return {};
  if (column == "op") return subject.op;
  const bool own = !subject.gpu.empty() && !(options.override_cells && !options.gpu.empty());
  if (column == "gpu" && own) return subject.gpu;
  return {};
}

bool has_all_columns(const Filter& where, const std::vector<MeasuredTable>& tables) {
  return std::all_of(where.columns().begin(), where.columns().end(),
                     [&](const Filter::Use& use) { return check_column(use.column, tables).has_value(); });
}

Result<std::vector<MeasuredTable>> read_stored(const std::string& path, const LayerTableOptions& options,
                                               const std::optional<Filter>& where) {
  auto store = TRY(store::Store::open(path));
  if (where) {
    store::MeasurementQuery query;
    query.about = [&](const store::Subject& subject) {
      return where->may_match([&](const std::string& column) { return cell_of(subject, column, options); });
    };
    auto tables = store::measured_tables(store, query, options);
    // Else the rows of other subjects tell what is wrong with the condition.
    if (tables && has_all_columns(*where, *tables)) return tables;
  }
  return store::measured_tables(store, {}, options);
}

// The same for all names of a file.
std::string canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::canonical(path, error);
  return error ? path : found.string();
}

}  // namespace

Result<std::vector<MeasuredTable>> read_measured(const std::vector<std::string>& paths, LayerTableOptions options,
                                                 const std::optional<Filter>& where) {
  options.keep_unsupported = true;
  options.measurements = true;
  std::vector<MeasuredTable> tables;
  std::set<std::string> stores;
  for (const std::string& path : paths) {
    if (store::is_store(path)) {
      if (!stores.insert(canonical(path)).second) continue;
      auto stored = TRY(read_stored(path, options, where));
      std::move(stored.begin(), stored.end(), std::back_inserter(tables));
      continue;
    }
    const auto text = TRY(read_text_file(path));
    auto table = TRY(parse_layer_table(text, path, options));
    tables.emplace_back(path, std::move(table));
  }
  return tables;
}

void write_left_out(const std::vector<Error>& rows, std::size_t all) {
  if (rows.empty()) return;
  write_error(fmt::format("{} of {} rows left out:", rows.size(), all));
  for (const Error& row : rows) write_error(row.text());
}

Result<std::optional<Filter>> parse_condition(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<Filter>();
  auto filter = Filter::parse(text);
  if (!filter) {
    return fail(filter.error().code, filter.error().message, fmt::format("{}: {}", option, filter.error().where));
  }
  return std::optional<Filter>(std::move(*filter));
}

Result<std::optional<Filter>> parse_where(const std::string& text) { return parse_condition("--where", text); }

std::function<bool(std::size_t table, std::size_t row)> rows_where(const std::vector<MeasuredTable>& tables,
                                                                   const std::optional<Filter>& where) {
  if (!where) return {};
  return [&tables, &where, gpus = std::make_shared<GpuCache>()](std::size_t table, std::size_t row) {
    const LayerRow& layer = tables[table].table().rows[row];
    return where->matches([&](const std::string& column) { return tables[table].cell(layer, column, *gpus); });
  };
}

Result<std::vector<std::string>> list_of(std::string_view option, const std::string& text) {
  if (text.empty()) return std::vector<std::string>();
  auto list = parse_list(option, text);
  if (!list) return list;
  std::set<std::string> seen;
  for (const std::string& name : *list) {
    if (!seen.insert(name).second) {
      return fail(ErrorCode::usage, fmt::format("'{}' is named twice", name), std::string(option));
    }
  }
  return list;
}

Result<void> check_ignored(const std::vector<std::string>& ignored, const std::vector<MeasuredTable>& tables) {
  for (const std::string& column : ignored) {
    const std::string stands_for = column == "grid" ? "grid_x" : column;
    if (auto known = check_column(stands_for, tables); !known) {
      return fail(known.error().code, known.error().message, "--ignore");
    }
  }
  return {};
}

Result<void> check_condition(std::string_view option, const std::optional<Filter>& condition,
                             const std::vector<MeasuredTable>& tables) {
  if (!condition) return {};
  for (const Filter::Use& use : condition->columns()) {
    if (auto known = check_column(use.column, tables); !known) {
      return fail(known.error().code, known.error().message, std::string(option));
    }
  }
  return {};
}

}  // namespace rooftile::cli
