// The measured rows that the models of fit are made from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile::cli {

struct FitTables {
  std::vector<MeasuredTable> tables;
  std::optional<Filter> where;
};

// The tables of the arguments, the columns of --ignore hidden; `gpu`: of rows that name none. Errors: those of the
// tables; a column of --ignore or --where that no table has.
Result<FitTables> read_fit_tables(const FitArguments& arguments, const std::string& gpu = {});

}  // namespace rooftile::cli
