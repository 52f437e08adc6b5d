// End-to-end models: the time of whole runs from what is known of them, each group of rows by itself, judged on rows
// held out.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/networks/network_rows.hpp"
#include "rooftile/learn/networks/network_ways.hpp"
#include "rooftile/regression/fit_equation.hpp"
#include "rooftile/validate/filter.hpp"

namespace rooftile {

enum class SplitKind { none, hold_out, k_fold, extrapolation };

struct NetworkFitOptions {
  std::vector<std::string> by = {};  // columns whose cells make the groups; none: one group
  SplitKind split = SplitKind::hold_out;
  std::optional<Filter> beyond = {};  // extrapolation: rows that are held out
  double share = 0.2;                 // of a hold-out
  std::vector<Way> ways = all_ways();
  WayOptions way = {};
  // An equation of the caller's own, besides the ways; its terms or columns and its technique are set.
  std::optional<regression::EquationOptions> own = {};
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // fits
};

// One model of one group.
struct NetworkVerdict {
  std::string way;
  regression::EquationFit fit;                        // to the rows of training; of k folds to all rows
  regression::Errors training;                        // of k folds: as validation
  regression::Errors validation;                      // `inside` where there is an interval
  std::vector<double> measured = {}, predicted = {};  // of validation
  std::vector<regression::FitWarning> beyond = {};    // how far each column is beyond the fit, at most
};

struct NetworkGroup {
  std::vector<std::string> key;  // a cell for each column of `by`
  std::size_t training = 0, validation = 0;
  std::vector<NetworkVerdict> verdicts;
  std::vector<Error> left_out = {};  // ways that do not apply: name in `where`
  // Of what says which runs these are (batch, GPUs, work, rates), in the rows of training: a prediction of another run
  // is an extrapolation, whether an equation has the column or not.
  std::vector<regression::ColumnRange> ranges = {};
};

// A way over all groups that it applies to.
struct NetworkTotal {
  std::string way;
  std::size_t groups = 0, training = 0;
  regression::Errors validation;
};

struct NetworkFit {
  std::vector<std::string> by;
  std::string split;                             // "hold-out 20 %", "depth > 50"
  std::vector<std::string> beyond_columns = {};  // of an extrapolation: what it goes beyond
  std::vector<NetworkGroup> groups;              // by key
  std::vector<NetworkTotal> totals;
  regression::FittedOn fitted_on = {};   // the rows of training, all groups together
  std::size_t groups_without_split = 0;  // nothing to fit to, or nothing to judge by
};

// Errors: an unknown column, no group that can be split, an equation of the caller's own that cannot be fitted.
Result<NetworkFit> fit_networks(const RunRows& rows, const NetworkFitOptions& options);

constexpr std::string_view kNetworkKind = "network";  // FittedModel::kind

// The equations of a way, one a group, as a model to keep.
regression::FittedModel fitted_model(const NetworkFit& fit, const std::string& way);

}  // namespace rooftile
