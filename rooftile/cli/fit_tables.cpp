#include "rooftile/cli/fit_tables.hpp"

#include <utility>

#include "rooftile/cli/tables.hpp"

namespace rooftile::cli {

Result<FitTables> read_fit_tables(const FitArguments& arguments, const std::string& gpu) {
  const auto ignored = list_of("--ignore", arguments.ignore);
  if (!ignored) return tl::unexpected(ignored.error());
  auto where = parse_where(arguments.where);
  if (!where) return tl::unexpected(where.error());
  LayerTableOptions options;
  options.gpu = gpu;
  options.skip_bad_rows = arguments.skip_bad_rows;
  options.ignore = hidden_columns(*ignored);
  auto tables = read_measured(arguments.tables, options, *where);
  if (!tables) return tl::unexpected(tables.error());
  if (auto known = check_ignored(*ignored, *tables); !known) return tl::unexpected(known.error());
  if (auto known = check_condition("--where", *where, *tables); !known) return tl::unexpected(known.error());
  return FitTables{std::move(*tables), std::move(*where)};
}

}  // namespace rooftile::cli
