#include "rooftile/cli/table_options.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/store_commands.hpp"
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

Result<Filter> parse_condition(const std::string& option, const std::string& text) {
  auto filter = Filter::parse(text);
  if (!filter) {
    return fail(ErrorCode::usage, filter.error().message, fmt::format("{}: {}", option, filter.error().where));
  }
  constexpr std::array<std::string_view, 5> kOfEveryRow = {"gpu", "op", "pass", "precision", "table"};
  for (const Filter::Use& use : filter->columns()) {
    const bool always = std::find(kOfEveryRow.begin(), kOfEveryRow.end(), use.column) != kOfEveryRow.end();
    if (!use.alone || !always) continue;
    return fail(ErrorCode::usage, fmt::format("every row names its {0}; write {0} = VALUE", use.column),
                fmt::format("{}: character {}", option, use.place));
  }
  return filter;
}

CLI::Option* add_tables(CLI::App* app, std::vector<std::string>& tables) {
  return app
      ->add_option_function<std::vector<std::string>>(
          "TABLE",
          [&tables](const std::vector<std::string>& paths) {
            tables = paths;
            for (std::string& path : tables) {
              if (path == "stored") path = store_path("").value_or("");  // without a place for it there is no store
            }
          },
          "layer tables with measurements (CSV), store files, or 'stored': the store of 'rooftile import'")
      ->required()
      ->type_name("FILE");
}

CLI::Option* add_condition(CLI::App* app, const std::string& name, std::optional<Filter>& condition,
                           const std::string& help, std::string* text) {
  return add_value(
      app, name, condition, "CONDITION",
      [text](const std::string& option, const std::string& given) {
        if (text != nullptr) *text = given;
        return parse_condition(option, given);
      },
      help);
}

CLI::Option* add_where(CLI::App* app, std::optional<Filter>& where, std::string* condition) {
  return add_condition(app, "--where", where, "only these rows, as in \"gpu = t4 and K >= 64\"", condition);
}

CLI::Option* add_precision_name(CLI::App* app, std::string& name, const std::string& help) {
  return add_value(
      app, "--precision", name, fmt::format("{}", fmt::join(precision_names(), "|")),
      [](const std::string& option, const std::string& text) -> Result<std::string> {
        return std::string(name_of(TRY(parse_precision(option, text))));
      },
      help);
}

CLI::Option* add_skip_bad_rows(CLI::App* app, bool& skip) {
  return app->add_flag("--skip-bad-rows", skip, "skip invalid rows, and list them");
}

Result<std::vector<MeasuredTable>> read_measured(const std::vector<std::string>& paths, LayerTableOptions options,
                                                 const std::optional<Filter>& where) {
  options.keep_unsupported = true;
  options.measurements = true;
  std::vector<MeasuredTable> tables;
  std::set<std::string> stores;
  for (const std::string& path : paths) {
    if (store::is_store(path) || path.ends_with(".db")) {  // where it is none, opening it says so
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

std::function<bool(std::size_t table, std::size_t row)> rows_where(const std::vector<MeasuredTable>& tables,
                                                                   const std::optional<Filter>& where) {
  if (!where) return {};
  return [&tables, &where, gpus = std::make_shared<GpuCache>()](std::size_t table, std::size_t row) {
    const LayerRow& layer = tables[table].table().rows[row];
    return where->matches([&](const std::string& column) { return tables[table].cell(layer, column, *gpus); });
  };
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
