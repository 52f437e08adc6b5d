#include "rooftile/learn/grey_box/grey_box.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/columns.hpp"
#include "rooftile/learn/grey_box/members.hpp"
#include "rooftile/learn/grey_box/physics.hpp"
#include "rooftile/learn/grey_box/value.hpp"

namespace rooftile {

using regression::FittedEquation;
using regression::FittedModel;
using regression::Predicted;

Result<FittedModel> fit_grey_box(const GreyBoxRows& rows, const GreyBoxOptions& options) {
  if (std::any_of(rows.seconds.begin(), rows.seconds.end(), [](double time) { return !(time > 0); })) {
    return fail(ErrorCode::bad_input, "a row without a measured time cannot be fitted to");
  }
  FittedModel model;
  model.name = options.name;
  model.kind = kGreyBoxKind;
  model.fitted_on = rows.fitted_on;
  model.fitted_on.rows = rows.size();
  model.fitted_on.date = options.date;
  std::vector<GreyBoxRows> operations;
  std::size_t done = 0, fits = 0;
  for (const std::string& operation : different(rows.operations)) {
    operations.push_back(rows_of(rows, where(rows.operations, operation)));
    ++fits;
    if (options.known_gpus) fits += fits_of_value(operations.back(), true, options);
    if (options.other_gpus) fits += fits_of_value(operations.back(), false, options);
  }
  const std::function<void()> count = [&] {
    if (options.progress) options.progress(++done, fits);
  };
  for (const GreyBoxRows& own : operations) {
    auto equations = TRY(fit_members(own, options.known_gpus, options.other_gpus, options));
    std::move(equations.begin(), equations.end(), std::back_inserter(model.equations));
    count();
    for (const bool which : {true, false}) {
      if (!(which ? options.known_gpus : options.other_gpus)) continue;
      auto value = TRY(fit_value(own, which, options, count));
      model.equations.push_back(std::move(value));
    }
  }
  return model;
}

bool knows(const FittedModel& model, const GreyBoxRows& rows, std::size_t row) {
  return model.find(physics_name(rows.parts[row], rows.gpus[row])) != nullptr;
}

bool knows_part(const FittedModel& model, const std::string& part) {
  const std::string begin = physics_name(part, "");
  return std::any_of(model.equations.begin(), model.equations.end(),
                     [&](const FittedEquation& equation) { return equation.name.starts_with(begin); });
}

std::string why_no_time(const FittedModel& model, const GreyBoxRows& rows, std::size_t row) {
  const auto unfitted = [](std::string_view what, std::string_view other) {
    return fmt::format("the model has not been fitted to rows of {}{}", one_line(what), other);
  };
  // Of other parts there is only the analytic prediction, which is not the model's.
  if (!knows_part(model, rows.parts[row])) return unfitted(rows.parts[row], "");
  const bool own = knows(model, rows, row);
  const std::string& operation = rows.operations[row];
  if (model.find(MemberNames(operation, own).value) != nullptr) return "";
  const bool known = model.find(MemberNames(operation, !own).value) != nullptr;
  return unfitted(operation, known && !own ? kOtherGpus : "");
}

namespace {

Result<void> check_rows(const FittedModel& model, const GreyBoxRows& rows) {
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!known.emplace(rows.parts[row], rows.gpus[row]).second) continue;
    const std::string why = why_no_time(model, rows, row);
    if (why.empty()) continue;
    return fail(ErrorCode::unsupported, fmt::format("{}, as in line {}", why, rows.rows[row]->line));
  }
  return {};
}

}  // namespace

Result<std::vector<Predicted>> predict_grey_box(const FittedModel& model, const GreyBoxRows& rows) {
  if (model.kind != kGreyBoxKind) {
    return fail(ErrorCode::usage, fmt::format("the model is of kind '{}', not {}", one_line(model.kind), kGreyBoxKind));
  }
  TRY(check_physics(model.equations));
  TRY(check_rows(model, rows));
  std::vector<Predicted> result(rows.size());
  for (const std::string& operation : different(rows.operations)) {
    for (const bool own : {true, false}) {
      std::vector<std::size_t> chosen = where(rows.operations, operation);
      std::erase_if(chosen, [&](std::size_t row) { return knows(model, rows, row) != own; });
      if (chosen.empty()) continue;
      const FittedEquation* value = model.find(MemberNames(operation, own).value);
      TRY(check_value(*value));
      const GreyBoxRows part = rows_of(rows, chosen);
      const auto table = TRY(with_members(model.equations, part, own));
      auto predicted = TRY(predict(*value, table));
      for (std::size_t i = 0; i < chosen.size(); ++i) result[chosen[i]] = std::move(predicted[i]);
    }
  }
  return result;
}

}  // namespace rooftile
