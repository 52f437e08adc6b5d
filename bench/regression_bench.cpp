// Fits of 100,000 rows with 40 features; each is to take less than five seconds.
#include <cmath>
#include <random>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "rooftile/regression/fit_equation.hpp"

namespace rooftile::regression {
namespace {

FitProblem problem(std::size_t rows, std::size_t features) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  FitProblem made;
  made.table.values = Matrix(rows, features);
  made.values.assign(rows, 10);
  for (std::size_t feature = 0; feature < features; ++feature) {
    made.table.names.push_back(fmt::format("x{}", feature));
    const std::span<double> values = made.table.values.column(feature);
    for (std::size_t row = 0; row < rows; ++row) {
      values[row] = std::exp(normal(random));
      made.values[row] += static_cast<double>(feature) * values[row];
    }
  }
  for (double& value : made.values) value *= std::exp(0.05 * normal(random));
  return made;
}

// The fit alone, as `level` 0 has it, or with the five fits of its interval.
void fit(benchmark::State& state, Technique technique, std::size_t most_terms, double level) {
  const FitProblem rows = problem(100'000, 40);
  EquationOptions options;
  options.technique = technique;
  options.alphabet.inverses = false;
  options.most_terms = most_terms;
  options.level = level;
  for (auto _ : state) {
    const auto fitted = fit_equation(rows, options);
    if (!fitted) state.SkipWithError(fitted.error().message.c_str());
  }
}

BENCHMARK_CAPTURE(fit, least_squares, Technique::least_squares, 0, 0.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit, least_squares_with_interval, Technique::least_squares, 0, 0.9)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit, ridge, Technique::ridge, 0, 0.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit, nnls, Technique::nnls, 0, 0.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit, forward_selection, Technique::least_squares, 20, 0.0)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rooftile::regression
