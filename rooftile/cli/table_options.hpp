// Measured tables and the condition on their rows: the options that name them, and reading them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile::cli {

// TABLE…: files of layer tables, of stores, or "stored", which stands for the user's own store.
CLI::Option* add_tables(CLI::App* app, std::vector<std::string>& tables);
// --where; `condition`: where its text is wanted, too.
CLI::Option* add_where(CLI::App* app, std::optional<Filter>& where, std::string* condition = nullptr);
CLI::Option* add_condition(CLI::App* app, const std::string& name, std::optional<Filter>& condition,
                           const std::string& help, std::string* text = nullptr);
Result<Filter> parse_condition(const std::string& option, const std::string& text);
CLI::Option* add_skip_bad_rows(CLI::App* app, bool& skip);
CLI::Option* add_precision_name(CLI::App* app, std::string& name, const std::string& help);

// The tables with their measurements; rows that are not predicted yet stand apart. A path may be that of a store: the
// tables that were imported into it, once however often it is named, without rows whose GPU and op say that `where`
// does not mean them.
Result<std::vector<MeasuredTable>> read_measured(const std::vector<std::string>& paths, LayerTableOptions options,
                                                 const std::optional<Filter>& where = {});

// Lists on standard error why rows of a table of `all` rows are left out; says nothing where none is.
void write_left_out(const std::vector<Error>& rows, std::size_t all);

// Whether a row, by its table and its place there, meets the condition; nothing where there is none. Both arguments
// must outlive it.
std::function<bool(std::size_t table, std::size_t row)> rows_where(const std::vector<MeasuredTable>& tables,
                                                                   const std::optional<Filter>& where);

// Every column of --ignore must be in a table.
Result<void> check_ignored(const std::vector<std::string>& ignored, const std::vector<MeasuredTable>& tables);

// Every column of the condition that `option` gave, if it gave one, must be in a table.
Result<void> check_condition(std::string_view option, const std::optional<Filter>& condition,
                             const std::vector<MeasuredTable>& tables);

}  // namespace rooftile::cli
