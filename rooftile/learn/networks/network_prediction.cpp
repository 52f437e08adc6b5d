#include "rooftile/learn/networks/network_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

using regression::FittedEquation;
using regression::FittedModel;
using regression::GroupCell;

constexpr std::size_t kShownGroups = 8;

std::optional<double> number_of(std::string_view cell) {
  const std::string text(cell);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? std::optional(number) : std::nullopt;
}

bool same_cell(const std::string& column, std::string_view a, std::string_view b) {
  if (column == "model") return same_model_name(a, b);
  const auto x = number_of(a), y = number_of(b);
  return x && y ? *x == *y : a == b;
}

// Whether the run has the cells of the group; what nobody said of the run may be anything.
bool is_of(const RunRow& run, const FittedEquation& equation) {
  return std::all_of(equation.group.begin(), equation.group.end(), [&](const GroupCell& cell) {
    const std::string_view own = run.cell(cell.column);
    return own.empty() || same_cell(cell.column, own, cell.cell);
  });
}

std::string text_of(const std::vector<GroupCell>& group) {
  std::vector<std::string> cells;
  for (const GroupCell& cell : group) cells.push_back(fmt::format("{} {}", cell.column, cell.cell));
  return one_line(fmt::format("{}", fmt::join(cells, ", ")), 120);
}

std::string list_of(std::vector<const FittedEquation*> groups) {
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), kShownGroups); ++i) {
    text += (i == 0 ? "" : "; ") + text_of(groups[i]->group);
  }
  if (groups.size() > kShownGroups) text += fmt::format("; and {} more", groups.size() - kShownGroups);
  return text;
}

// Those that agree with the run in most cells first.
std::string nearest_groups(const FittedModel& model, const RunRow& run) {
  std::vector<const FittedEquation*> groups;
  for (const FittedEquation& equation : model.equations) groups.push_back(&equation);
  const auto agreeing = [&](const FittedEquation* equation) {
    return std::count_if(equation->group.begin(), equation->group.end(), [&](const GroupCell& cell) {
      return same_cell(cell.column, run.cell(cell.column), cell.cell);
    });
  };
  std::stable_sort(groups.begin(), groups.end(), [&](auto a, auto b) { return agreeing(a) > agreeing(b); });
  return list_of(groups);
}

// The cells of the run in the columns that make groups.
std::string asked(const FittedModel& model, const RunRow& run) {
  std::vector<GroupCell> cells;
  for (const GroupCell& cell : model.equations.front().group) {
    if (const std::string_view own = run.cell(cell.column); !own.empty())
      cells.push_back({cell.column, std::string(own)});
  }
  return text_of(cells);
}

// The equations that may be of the run.
Result<std::vector<const FittedEquation*>> equations_for(const FittedModel& model, const RunRow& run) {
  std::vector<const FittedEquation*> found;
  for (const FittedEquation& equation : model.equations) {
    if (equation.group.empty() && model.equations.size() > 1) {
      return fail(ErrorCode::bad_input, fmt::format("'{}' does not say which rows its equations are for; fit it again",
                                                    one_line(model.name)));
    }
    if (is_of(run, equation)) found.push_back(&equation);
  }
  return found;
}

Result<const FittedEquation*> equation_for(const FittedModel& model, const RunRow& run) {
  const auto found = TRY(equations_for(model, run));
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return fail(ErrorCode::not_found, fmt::format("the fitted model has no group for {}; it has {}", asked(model, run),
                                                  nearest_groups(model, run)));
  }
  return fail(ErrorCode::usage, fmt::format("{} groups of the fitted model match this run: {}; tell them apart with "
                                            "--set NAME=VALUE",
                                            found.size(), list_of(found)));
}

Result<void> check_kind(const FittedModel& model) {
  if (model.kind == kNetworkKind) return {};
  return fail(ErrorCode::unsupported, fmt::format("a fitted model of kind '{}' has no time of whole runs; one of kind "
                                                  "'{}' has",
                                                  one_line(model.kind), kNetworkKind));
}

std::string meaning_of(const std::string& column) {
  for (const RunColumn& one : run_columns()) {
    if (one.name == column) return fmt::format(" ({})", one.meaning);
  }
  return "";
}

// Every column that the equation takes is a number of the run.
Result<void> check_columns(const FittedEquation& equation, const RunRow& run) {
  for (const std::string& column : equation.columns()) {
    if (run.numbers.contains(column)) continue;
    const bool given = !run.cell(column).empty();
    return fail(ErrorCode::unsupported,
                given ? fmt::format("the fit needs the column '{}', which is '{}' here: not a number", one_line(column),
                                    one_line(run.cell(column)))
                      : fmt::format("the fit needs the column '{}'{}, which the run does not determine; give "
                                    "--set {}=VALUE",
                                    one_line(column), meaning_of(column), one_line(column)));
  }
  return {};
}

Result<regression::Predicted> predict_by(const FittedEquation& equation, const RunRow& run) {
  TRY(check_columns(equation, run));
  regression::NumberTable table;
  table.values = regression::Matrix(1, run.numbers.size());
  for (const auto& [name, value] : run.numbers) {
    table.values(0, table.names.size()) = value;
    table.names.push_back(name);
  }
  auto predicted = TRY(regression::predict(equation, table));
  return std::move(predicted.front());
}

// A table with one row that says what is asked; `gpus` knows the GPU then.
MeasuredTable table_of(const AskedRun& run, const std::string& framework, GpuCache& gpus) {
  gpus.add(*run.gpu);
  LayerTable table;
  LayerRow row;
  std::map<std::string, std::string> cells = run.cells;
  cells.emplace("model", run.workload->name);
  cells.insert_or_assign("gpus", fmt::format("{}", run.gpus));
  cells.insert_or_assign("batch", fmt::format("{}", run.batch_of_all()));
  if (!framework.empty()) cells.insert_or_assign("framework", framework);
  if (run.iterations) cells.insert_or_assign("iterations", fmt::format("{}", *run.iterations));
  for (const TensorId id : run.workload->inputs) {
    constexpr std::size_t kImages = 4, kTexts = 2;  // dimensions
    const Shape& shape = run.workload->tensors[id].shape;
    if (shape.size() == kImages) cells.emplace("image_size", fmt::format("{}", shape.back()));
    if (shape.size() == kTexts) cells.emplace("seq_len", fmt::format("{}", shape.back()));
  }
  row.op = NetworkRun{.model = cells.at("model"), .batch = run.batch_of_all(), .seq_len = {}, .gpus = run.gpus};
  row.gpu = run.gpu->id;
  row.precision = run.precision;
  row.phase = run.phase;
  row.framework = framework;
  for (auto& [column, cell] : cells) {
    table.columns.push_back(column);
    row.cells.push_back(std::move(cell));
  }
  table.rows.push_back(std::move(row));
  return {"the run", std::move(table)};
}

RunRow numbers_of(const AskedRun& run, const std::string& framework, bool analytic) {
  GpuCache gpus;
  RunNumbers numbers(analytic);
  const MeasuredTable table = table_of(run, framework, gpus);
  return run_row(table, table.table().rows.front(), known_columns({table}), numbers, gpus, run.workload);
}

// As of a run without a group, whose own says it where nobody else does.
std::string framework_of(const FittedModel& model, const AskedRun& run, const FittedEquation& equation) {
  for (const GroupCell& cell : equation.group) {
    if (cell.column == "framework" && !run.cells.contains(cell.column)) return cell.cell;
  }
  return framework_of(model, run);
}

std::vector<RunNumber> shown_numbers(const FittedEquation& equation, const RunRow& run) {
  std::vector<RunNumber> numbers;
  for (const std::string& column : equation.columns()) {
    numbers.push_back({.column = column, .value = run.numbers.at(column), .in_equation = true});
  }
  for (const regression::ColumnRange& range : equation.ranges) {
    const auto known = std::find_if(numbers.begin(), numbers.end(),
                                    [&](const RunNumber& number) { return number.column == range.column; });
    if (known != numbers.end()) {
      known->fit = range;
    } else if (const auto value = run.numbers.find(range.column); value != run.numbers.end()) {
      numbers.push_back({.column = range.column, .value = value->second, .fit = range});
    }
  }
  return numbers;
}

// A network is known by any spelling of its name.
void warn_of_network(std::vector<std::string>& warnings, std::string_view own, const std::vector<std::string>& of_fit) {
  const bool known =
      std::any_of(of_fit.begin(), of_fit.end(), [&](const std::string& one) { return same_model_name(one, own); });
  if (!known && !of_fit.empty()) warnings.push_back(unseen_text("network", own, of_fit));
}

Result<void> check_pass(const FittedModel& model, Phase phase) {
  const auto& passes = model.fitted_on.passes;
  if (passes.empty() || std::find(passes.begin(), passes.end(), name_of(phase)) != passes.end()) return {};
  return fail(ErrorCode::unsupported,
              fmt::format("the fitted model is for pass {}, not {} (--pass)",
                          one_line(fmt::format("{}", fmt::join(passes, ", "))), name_of(phase)));
}

// Whether the fit can use the cells that are said of the run: others would change nothing without a word.
Result<void> check_cells(const FittedModel& model, const AskedRun& run) {
  std::vector<std::string> useful = {"model", "framework"};
  for (const FittedEquation& equation : model.equations) {
    for (const GroupCell& cell : equation.group) useful.push_back(cell.column);
    for (std::string& column : equation.columns()) useful.push_back(std::move(column));
  }
  std::vector<std::string> decided = {"gpu", "gpus", "precision", "pass", "op", "batch", "iterations"};
  for (const RunColumn& column : run_columns()) decided.emplace_back(column.name);
  for (const auto& [column, cell] : run.cells) {
    if (std::find(decided.begin(), decided.end(), column) != decided.end()) {
      return fail(ErrorCode::usage, fmt::format("{} follows from the run and cannot be set", column), "--set");
    }
    if (std::find(useful.begin(), useful.end(), column) == useful.end()) {
      return fail(ErrorCode::usage,
                  fmt::format("the fitted model does not use '{}'{}", one_line(column), did_you_mean(column, useful)),
                  "--set");
    }
  }
  return {};
}

}  // namespace

bool takes(const FittedEquation& equation, std::string_view column) {
  const std::vector<std::string> columns = equation.columns();
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

Result<NetworkPrediction> predict_network(const FittedModel& model, const AskedRun& run) {
  TRY(check_kind(model));
  TRY(check_pass(model, run.phase));
  TRY(check_cells(model, run));
  const auto equation = TRY(equation_for(model, numbers_of(run, framework_of(model, run), false)));
  if (takes(*equation, "iterations") && !run.iterations) {
    return fail(ErrorCode::unsupported, "the fitted model is for runs of many iterations; give --set iterations=N");
  }
  const std::string framework = framework_of(model, run, *equation);
  const RunRow row = numbers_of(run, framework, takes(*equation, "analytic_s"));
  const auto predicted = TRY(predict_by(*equation, row));
  if (!(predicted.value > 0) || !std::isfinite(predicted.value)) {
    return fail(ErrorCode::unsupported,
                fmt::format("the fitted model gives {:.4g} s, which is not a time: this run is too "
                            "far from those of the fit",
                            predicted.value));
  }
  const double each = takes(*equation, "iterations") ? static_cast<double>(*run.iterations) : 1;
  NetworkPrediction prediction;
  set_asked(prediction, model, run);
  prediction.group = equation->group.empty() ? "" : text_of(equation->group);
  prediction.time = Seconds(predicted.value / each);
  if (predicted.low && predicted.high) {
    prediction.range = Interval{Seconds(*predicted.low / each), Seconds(*predicted.high / each)};
    prediction.level = equation->interval->level;
  }
  prediction.memory = memory_use(stored_as(*run.workload, run.precision), run.phase);
  prediction.numbers = shown_numbers(*equation, row);
  for (const regression::FitWarning& warning : predicted.warnings) prediction.warnings.push_back(warning.text());
  warn_of_unseen(prediction.warnings, model, run);
  warn_of_network(prediction.warnings, row.cell("model"), model.fitted_on.networks);
  if (framework.empty() && takes(*equation, "analytic_s") && !model.fitted_on.software.empty()) {
    prediction.warnings.push_back(fmt::format(
        "no framework given (--set framework=NAME): analytic_s excludes its overhead, but the fit included it: {}",
        one_line(fmt::format("{}", fmt::join(model.fitted_on.software, ", ")), 200)));
  }
  return prediction;
}

Result<regression::Predicted> predict_row(const FittedModel& model, const RunRow& run) {
  TRY(check_kind(model));
  const auto& passes = model.fitted_on.passes;
  const std::string_view pass = run.cell("pass");
  if (!passes.empty() && !pass.empty() && std::find(passes.begin(), passes.end(), pass) == passes.end()) {
    return fail(ErrorCode::unsupported, fmt::format("{} rows, which the fit did not include", one_line(pass)));
  }
  const auto found = TRY(equations_for(model, run));
  if (found.size() != 1) {
    return fail(ErrorCode::not_found, fmt::format("the fitted model has {} group of {}",
                                                  found.empty() ? "no" : "more than one", asked(model, run)));
  }
  return predict_by(*found.front(), run);
}

}  // namespace rooftile
