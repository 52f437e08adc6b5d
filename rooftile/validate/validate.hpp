// Predictions against measurements: every row of some tables by every method, scored by group.
//
//     const std::string csv = "gpu,M,N,K,time_us\nt4,512,512,512,60\n";
//     const LayerTable rows = parse_layer_table(csv, "mine.csv", {.measurements = true}).value();
//     const std::vector<PredictOptions> methods = {{.method = Method::rooftile}, {.method = Method::roofline}};
//     const Validation result = validate({MeasuredTable("mine.csv", rows)}, {.methods = methods}).value();
//     assert(result.overall.size() == 2);
//     assert(result.overall[0].score.gmae < result.overall[1].score.gmae);
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"
#include "rooftile/validate/quantity.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {

struct ValidateOptions {
  std::vector<PredictOptions> methods = {};  // side by side; at least one
  ComparedQuantity quantity = ComparedQuantity::time;
  std::vector<std::string> by = {};      // columns whose cells make the groups; none: one group
  std::optional<Filter> where = {};      // rows that are meant
  std::vector<std::string> ignore = {};  // columns that were hidden, for the report
  // The calibration of each row, by its places as in ComparedRow; none: that of the method's options.
  std::function<const Calibration*(std::size_t table, std::size_t row)> calibration = {};
  // Why a row is not scored, by its places; empty: it is.
  std::function<std::string(std::size_t table, std::size_t row)> leave_out = {};
  bool flagged = false;                                                 // in the figures, not beside them
  bool bias_kernel = false;                                             // see compare()
  bool skip_bad_rows = false;                                           // list rows that are wrong instead of failing
  std::function<void(std::size_t done, std::size_t of)> progress = {};  // rows
};

// One row by one method.
struct ComparedRow {
  std::size_t table = 0, row = 0;  // places in the tables and in the rows of that table
  std::size_t method = 0;          // place in ValidateOptions::methods
  Compared values;                 // in unit_of() the quantity
  LayerEstimate layer;             // without the terms of its kernels
};

struct ScoredGroup {
  std::vector<std::string> key;  // one cell for each column of `by`
  std::string method;            // label_of()
  Score score;
};

// Rows that no figure covers.
struct LeftOut {
  std::size_t rows = 0;
  std::string method;  // of a method that does not take them; empty: of all
  std::string reason;
};

// Two rows of one table are a pair of GPUs if they ran the same work (operator or network, precision, pass, layout,
// framework) on different ones, and their measured times differ by more than kPairsApart.
constexpr double kPairsApart = 0.10;

struct GpuPairs {
  std::vector<std::string> key;  // of both rows, one cell for each column of `by`
  std::string method;            // label_of()
  std::size_t pairs = 0;
  double ordered = 0;      // share whose faster GPU is predicted to be the faster
  double ratio_error = 0;  // median of exp |ln(predicted / measured)| - 1, of the ratio of their times
};

struct Validation {
  ComparedQuantity quantity = ComparedQuantity::time;
  std::vector<std::string> tables, by, methods, ignored;
  std::string where;                 // empty: all rows
  std::vector<ScoredGroup> groups;   // by key, numbers in their order; then in the order of the methods
  std::vector<ScoredGroup> overall;  // one for each method, without a key
  std::vector<LeftOut> left_out;     // in the order of their first row
  std::vector<LeftOut> no_interval;  // rows in the figures whose method has intervals, but none for them
  std::vector<GpuPairs> pairs = {};  // of gpu_pairs(), where they were asked for
  std::vector<Error> bad_rows;       // only with skip_bad_rows
  std::vector<ComparedRow> rows;     // table by table, row by row, method by method; without flagged ones
};

// The tables must have been read with their measurements. Errors: a column that no table has, a bad row, no row to
// compare.
Result<Validation> validate(const std::vector<MeasuredTable>& tables, const ValidateOptions& options);

// A comparison with the key of its group.
struct KeyedComparison {
  std::vector<std::string> key;
  Compared values;
};

// Sets `groups` and `overall` from the comparisons of one method.
void add_scores(Validation& validation, const std::vector<KeyedComparison>& rows, const std::string& method);

// The key of a row, as its group has it.
std::vector<std::string> key_of(const ComparedRow& row, const std::vector<MeasuredTable>& tables,
                                const std::vector<std::string>& by, GpuCache& gpus);

}  // namespace rooftile
