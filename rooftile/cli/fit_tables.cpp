#include "rooftile/cli/fit_tables.hpp"

#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/tables.hpp"

namespace rooftile::cli {

Result<FitTables> read_fit_tables(const FitArguments& arguments, const std::string& gpu) {
  const auto ignored = TRY(list_of("--ignore", arguments.ignore));
  auto where = TRY(parse_where(arguments.where));
  LayerTableOptions options;
  options.gpu = gpu;
  options.skip_bad_rows = arguments.skip_bad_rows;
  options.ignore = hidden_columns(ignored);
  auto tables = TRY(read_measured(arguments.tables, options, where));
  TRY(check_ignored(ignored, tables));
  TRY(check_condition("--where", where, tables));
  return FitTables{std::move(tables), std::move(where)};
}

}  // namespace rooftile::cli
