// What the commands of fit share: the measured rows that a model is made from, and pictures of how it fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/format.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/report/regression.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile::cli {

struct FitArguments {
  std::vector<std::string> tables;
  std::optional<Filter> where;
  std::string condition;            // of `where`, as the user typed it
  std::vector<std::string> ignore;  // columns
  std::string gpu;                  // of rows that name none
  bool skip_bad_rows = false;
  std::string date, output;  // of the model that is written
  std::string plots;         // a folder; empty: no pictures
};

// TABLE, --where, --date, --skip-bad-rows and -o.
void add_fit_options(CLI::App* app, FitArguments& arguments, Format format, const std::string& output_help);
void add_ignore(CLI::App* app, std::vector<std::string>& ignore);
CLI::Option* add_plots(CLI::App* app, std::string& folder);

// --points and --draws: how a model does with so many rows, over draws of them.
CLI::Option* add_trial(CLI::App* app, std::int64_t most, std::vector<std::size_t>& points, std::size_t& draws);

// How the tables are to be read.
LayerTableOptions reading_options(const FitArguments& arguments);

// The tables, the columns of --ignore hidden. Errors: those of the tables; a column of --ignore or --where that no
// table has.
Result<std::vector<MeasuredTable>> read_fit_tables(const FitArguments& arguments);

// Writes the pictures, where they were asked for.
Result<void> draw_fit(const FitArguments& arguments, const FittedPoints& points);

}  // namespace rooftile::cli
