#include "rooftile/learn/layers/layer_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

using regression::EquationFit;
using regression::FitProblem;
using regression::FittedEquation;
using regression::FittedModel;
using regression::Predicted;

constexpr double kLevel = 0.9;  // of the interval

// Ordinary least squares of times, as published: not of relative errors.
Result<EquationFit> fit_line(const FitProblem& problem, std::string name) {
  regression::EquationOptions options;
  options.name = std::move(name);
  options.terms = {{}, {{.column = std::string(kComplexityColumn)}}};
  options.relative = false;
  options.level = kLevel;
  return fit_equation(problem, options);
}

FitProblem problem_of(std::span<const LayerSample> samples, std::span<const std::size_t> chosen) {
  FitProblem problem;
  problem.table = {{std::string(kComplexityColumn)}, regression::Matrix(chosen.size(), 1)};
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    problem.table.values(row, 0) = samples[chosen[row]].complexity;
    problem.values.push_back(samples[chosen[row]].time.value());
  }
  return problem;
}

template <class Keep>
std::vector<std::size_t> indices(std::span<const LayerSample> samples, Keep keep) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!samples[i].held_out && keep(samples[i])) chosen.push_back(i);
  }
  return chosen;
}

// What the samples of the fit say of themselves, each once.
template <class Field>
std::vector<std::string> different(std::span<const LayerSample> samples, Field field) {
  std::set<std::string> values;
  for (const LayerSample& sample : samples) {
    if (!sample.held_out && !(sample.*field).empty()) values.insert(sample.*field);
  }
  return {values.begin(), values.end()};
}

Result<void> check_one(const std::vector<std::string>& values, std::string_view column) {
  if (values.size() < 2) return {};
  std::vector<std::string> shown;
  for (const std::string& value : values) shown.push_back(one_line(value, 40));
  return fail(ErrorCode::bad_input,
              fmt::format("the rows have several values of {} ({}), each with a model of its own; --where \"{} = {}\" "
                          "takes one",
                          column, fmt::join(shown, ", "), column, shown.front()));
}

double mape_of(const EquationFit& fit) { return fit.equation.figures.held_out_mape.value_or(0); }

std::optional<PoolingComparison> compare_pooling(std::span<const LayerSample> samples, LayerDirection direction,
                                                 const std::vector<LayerFit>& fits) {
  PoolingComparison result;
  result.direction = direction;
  std::size_t found = 0;
  for (const LayerFit& fit : fits) {
    const bool pool = fit.category == LayerCategory::pool_stride_1 || fit.category == LayerCategory::pool_strided;
    if (!pool || fit.direction != direction || fit.fit.held_out.empty()) continue;
    ++found;
    result.rows += fit.samples.size();
    result.two += mape_of(fit.fit) * static_cast<double>(fit.samples.size());
  }
  if (found < 2) return {};
  result.two /= static_cast<double>(result.rows);
  const auto both = indices(samples, [&](const LayerSample& sample) {
    const bool pool = sample.category == LayerCategory::pool_stride_1 || sample.category == LayerCategory::pool_strided;
    return pool && sample.direction == direction;
  });
  const auto fit = fit_line(problem_of(samples, both), "pool");
  if (!fit) return {};
  result.one = mape_of(*fit);
  return result;
}

}  // namespace

std::string equation_name(LayerCategory category, LayerDirection direction) {
  return fmt::format("{} {}", name_of(category), name_of(direction));
}

Result<LayerModelFit> fit_layers(std::span<const LayerSample> samples) {
  LayerModelFit result;
  regression::FittedOn& on = result.model.fitted_on;
  on.gpus = different(samples, &LayerSample::gpu);
  on.software = different(samples, &LayerSample::software);
  on.precisions = different(samples, &LayerSample::precision);
  TRY(check_one(on.gpus, "gpu"));
  TRY(check_one(on.precisions, "precision"));
  result.model.kind = kLayersKind;
  for (const LayerCategory category : kLayerCategories) {
    for (const LayerDirection direction : kLayerDirections) {
      LayerFit fit;
      fit.category = category;
      fit.direction = direction;
      fit.samples = indices(samples, [&](const LayerSample& sample) {
        return sample.category == category && sample.direction == direction;
      });
      std::set<double> sizes;
      for (const std::size_t i : fit.samples) sizes.insert(samples[i].complexity);
      const std::string name = equation_name(category, direction);
      if (sizes.size() == 1) result.too_few.push_back(name);
      if (sizes.size() < 2) continue;
      auto line = fit_line(problem_of(samples, fit.samples), name);
      if (!line) return fail(line.error().code, line.error().message, name);
      fit.fit = std::move(*line);
      result.model.equations.push_back(fit.fit.equation);
      on.rows += fit.samples.size();
      result.fits.push_back(std::move(fit));
    }
  }
  if (result.fits.empty()) {
    return fail(ErrorCode::bad_input, "no category of layers has measured times of two sizes; there is nothing to fit");
  }
  for (const LayerDirection direction : kLayerDirections) {
    if (const auto compared = compare_pooling(samples, direction, result.fits)) result.pooling.push_back(*compared);
  }
  return result;
}

Result<std::optional<Predicted>> predict_layer(const FittedModel& model, const LayerComplexity& complexity,
                                               LayerDirection direction) {
  const FittedEquation* equation = model.find(equation_name(complexity.category, direction));
  if (equation == nullptr) return std::optional<Predicted>();
  regression::NumberTable table{{std::string(kComplexityColumn)}, regression::Matrix(1, 1)};
  table.values(0, 0) = complexity.of(direction);
  auto predicted = TRY(predict(*equation, table));
  return std::optional<Predicted>(std::move(predicted.front()));
}

Result<LayerScore> score_layers(const FittedModel& model, std::span<const LayerSample> samples,
                                std::optional<LayerDirection> direction) {
  LayerScore score;
  for (const LayerSample& sample : samples) {
    if (direction && sample.direction != *direction) continue;
    LayerComplexity complexity;
    complexity.category = sample.category;
    (sample.direction == LayerDirection::forward ? complexity.forward : complexity.backward) = sample.complexity;
    const auto predicted = TRY(predict_layer(model, complexity, sample.direction));
    if (!predicted) {
      ++score.without_model;
      score.time_without_model += sample.time;
      continue;
    }
    score.times.push_back(sample.time.value());
    score.fitted.push_back(predicted->value);
    score.categories.emplace_back(name_of(sample.category));
    score.measured += sample.time;
    score.predicted += Seconds(predicted->value);
  }
  score.errors = regression::errors_of(score.times, score.fitted);
  return score;
}

}  // namespace rooftile
