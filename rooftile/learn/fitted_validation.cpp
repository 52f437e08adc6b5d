#include "rooftile/learn/fitted_validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/learn/grey_box/rows.hpp"
#include "rooftile/learn/layers/layer_model.hpp"
#include "rooftile/learn/layers/layer_samples.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/learn/networks/network_prediction.hpp"
#include "rooftile/learn/networks/network_rows.hpp"

namespace rooftile {
namespace {

using regression::FittedModel;
using regression::Predicted;

class Judge {
 public:
  Judge(const FittedModel& model, const std::vector<MeasuredTable>& tables, const FittedValidationOptions& options)
      : model_(model), tables_(tables), options_(options) {
    Validation& validation = result_.validation;
    validation.by = options.by;
    validation.methods = {model.kind};
    if (options.where) validation.where = options.where->text();
    for (const MeasuredTable& table : tables) {
      validation.tables.push_back(table.name());
      const std::vector<Error>& bad = table.table().bad_rows;
      validation.bad_rows.insert(validation.bad_rows.end(), bad.begin(), bad.end());
    }
    leave_out("wrong", validation.bad_rows.size());
  }

  Result<FittedValidation> run() {
    if (without_rows()) return nothing_to_compare();
    TRY(model_.kind == kLayersKind    ? by_layers()
        : model_.kind == kNetworkKind ? by_runs()
        : model_.kind == kGreyBoxKind ? by_grey_box()
                                      : no_judge());
    if (result_.rows.empty()) return nothing_to_compare();
    std::vector<KeyedComparison> rows;
    for (const FittedComparison& one : result_.rows) rows.push_back(one.row);
    add_scores(result_.validation, rows, model_.kind);
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& reason, std::size_t rows = 1) {
    if (rows == 0) return;
    for (LeftOut& known : result_.validation.left_out) {
      if (known.reason != reason) continue;
      known.rows += rows;
      return;
    }
    result_.validation.left_out.push_back({rows, "", reason});
  }

  bool without_rows() const {
    return std::all_of(tables_.begin(), tables_.end(), [](const MeasuredTable& table) {
      return table.table().rows.empty() && table.table().unsupported.empty();
    });
  }

  tl::unexpected<Error> nothing_to_compare() const {
    std::string reasons;
    for (const LeftOut& left : result_.validation.left_out) {
      reasons += fmt::format("{} {} ({})", reasons.empty() ? "; left out:" : ",", left.reason, left.rows);
    }
    return fail(ErrorCode::bad_input, "no row to compare" + reasons);
  }

  Result<void> no_judge() const {
    return fail(ErrorCode::unsupported,
                fmt::format("a fitted model of kind '{}' does not predict rows", one_line(model_.kind)));
  }

  // Whether the fit had what a row names; a fit or a row that says nothing of it may be of it.
  static bool has(const std::vector<std::string>& of_fit, std::string_view name) {
    return name.empty() || of_fit.empty() || std::find(of_fit.begin(), of_fit.end(), name) != of_fit.end();
  }

  static bool count_unseen(UnseenRows& unseen, const std::vector<std::string>& of_fit, std::string_view name) {
    if (has(of_fit, name)) return false;
    ++unseen.rows;
    unseen.names.emplace(name);
    return true;
  }

  struct RunsOn {
    std::string_view gpu, precision;
  };

  void add(std::string place, std::vector<std::string> key, double measured, const Predicted& predicted,
           const RunsOn& ran) {
    if (!(predicted.value > 0) || !std::isfinite(predicted.value)) return leave_out("no positive time predicted");
    const bool other_gpu = count_unseen(result_.other_gpus, model_.fitted_on.gpus, ran.gpu);
    const bool other_precision = count_unseen(result_.other_precisions, model_.fitted_on.precisions, ran.precision);
    FittedComparison one;
    one.place = std::move(place);
    one.row.key = std::move(key);
    one.row.values = {measured, predicted.value, predicted.low, predicted.high};
    one.beyond = !predicted.warnings.empty() || other_gpu || other_precision;
    result_.rows.push_back(std::move(one));
  }

  // --where and --by are of the tables' columns.
  Result<void> check_columns() const {
    for (const std::string& column : options_.by) {
      if (auto known = check_column(column, tables_); !known) {
        return fail(known.error().code, known.error().message, "--by");
      }
    }
    if (!options_.where) return {};
    for (const Filter::Use& use : options_.where->columns()) {
      if (auto known = check_column(use.column, tables_); !known) {
        return fail(known.error().code, known.error().message, fmt::format("--where: character {}", use.place));
      }
    }
    return {};
  }

  Result<void> by_layers() {
    TRY(check_columns());
    LayerSampleOptions reading;
    if (options_.where) reading.keep = [&](const RowCell& cell) { return options_.where->matches(cell); };
    reading.gpu = options_.gpu;
    reading.columns = options_.by;
    const auto samples = TRY(layer_samples(tables_, reading));
    for (const auto& [what, left] : samples.left_out) leave_out(what, left.rows);
    for (const LayerSample& sample : samples.samples) {
      LayerComplexity complexity;
      complexity.category = sample.category;
      (sample.direction == LayerDirection::forward ? complexity.forward : complexity.backward) = sample.complexity;
      const auto predicted = TRY(predict_layer(model_, complexity, sample.direction));
      if (predicted) {
        add(sample.where, sample.cells, sample.time.value(), *predicted, {sample.gpu, sample.precision});
      } else {
        leave_out(fmt::format("the model has no equation of {}", equation_name(sample.category, sample.direction)));
      }
    }
    return {};
  }

  Result<void> by_runs() {
    RunRowsOptions reading;
    reading.where = options_.where;
    reading.flagged = options_.flagged;
    reading.analytic =
        std::any_of(model_.equations.begin(), model_.equations.end(),
                    [](const regression::FittedEquation& equation) { return takes(equation, "analytic_s"); });
    const auto runs = TRY(run_rows(tables_, reading));
    for (const std::string& column : options_.by) {
      if (auto known = check_run_column(column, runs); !known) {
        return fail(known.error().code, known.error().message, "--by");
      }
    }
    leave_out("repeated, and counted once", runs.duplicates);
    leave_out("flagged", runs.flagged);
    leave_out("without a time", runs.unmeasured);
    for (const RunRow& run : runs.rows) {
      const auto predicted = predict_row(model_, run);
      if (!predicted) {
        leave_out(predicted.error().message);
        continue;
      }
      std::vector<std::string> key;
      for (const std::string& column : options_.by) key.emplace_back(run.cell(column));
      add(run.place, std::move(key), run.seconds, *predicted, {run.cell("gpu"), run.cell("precision")});
    }
    return {};
  }

  Result<void> by_grey_box() {
    TRY(check_columns());
    GpuCache gpus;
    const auto cell_of = [&](const MeasuredTable& table, const LayerRow& row) {
      return [&](const std::string& column) { return table.cell(row, column, gpus); };
    };
    GreyBoxRowsOptions reading;
    reading.keep = [&](std::size_t table, std::size_t place) {
      const LayerRow& row = tables_[table].table().rows[place];
      if (options_.where && !options_.where->matches(cell_of(tables_[table], row))) return false;
      const std::string why = why_no_grey_box(row);
      if (!why.empty()) leave_out(why);
      return why.empty();
    };
    const auto all = grey_box_rows(tables_, reading);
    if (!all) return result_.validation.left_out.empty() ? tl::unexpected(all.error()) : nothing_to_compare();
    const GreyBoxRows rows = rows_of_the_fit(*all);
    const auto predicted = TRY(predict_grey_box(model_, rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const MeasuredTable& table = tables_[rows.tables[i]];
      const LayerRow& row = *rows.rows[i];
      std::vector<std::string> key;
      for (const std::string& column : options_.by) key.emplace_back(table.cell(row, column, gpus));
      add(fmt::format("{}:{}", table.name(), row.line), std::move(key), rows.seconds[i], predicted[i],
          {rows.gpus[i], name_of(row.precision)});
    }
    return {};
  }

  // Rows of an operation and pass that the fit had, on whatever GPU; the others are left out.
  GreyBoxRows rows_of_the_fit(const GreyBoxRows& all) {
    std::map<std::string, bool> known;
    for (const std::string& part : all.parts) known.emplace(part, false);
    for (auto& [part, fitted] : known) fitted = knows_part(model_, part);
    std::vector<std::size_t> chosen;
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (known[all.parts[row]]) {
        chosen.push_back(row);
      } else {
        leave_out(fmt::format("{} rows, which the fit did not include", one_line(all.parts[row])));
      }
    }
    return rows_of(all, chosen);
  }

  // Empty: the row takes part.
  static std::string why_no_grey_box(const LayerRow& row) {
    if (!std::holds_alternative<Conv>(row.op) && !std::holds_alternative<Gemm>(row.op)) {
      return fmt::format("{} rows, which a grey box does not cover", name_of(row.op));
    }
    if (!row.flag.empty()) return "flagged";
    return row.measured.time && *row.measured.time > row.measured.host_overhead ? "" : "without a time";
  }

  const FittedModel& model_;
  const std::vector<MeasuredTable>& tables_;
  const FittedValidationOptions& options_;
  FittedValidation result_;
};

}  // namespace

Result<FittedValidation> validate_fitted(const FittedModel& model, const std::vector<MeasuredTable>& tables,
                                         const FittedValidationOptions& options) {
  return Judge(model, tables, options).run();
}

}  // namespace rooftile
