#include "rooftile/regression/fit_equation.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/regression/fitted_json.hpp"

namespace rooftile::regression {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// Times of a training run: 5 + iterations (0.02 + 0.003 batch / gpus), times noise.
FitProblem runs(std::size_t rows, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> power(0, 5), gpus(1, 8), iterations(100, 2000);
  FitProblem problem;
  problem.table = {{"iterations", "batch", "gpus"}, Matrix(rows, 3)};
  for (std::size_t row = 0; row < rows; ++row) {
    const double values[] = {static_cast<double>(iterations(random)), std::exp2(3 + power(random)),
                             static_cast<double>(gpus(random))};
    for (std::size_t column = 0; column < 3; ++column) problem.table.values(row, column) = values[column];
    problem.values.push_back((5 + values[0] * (0.02 + 0.003 * values[1] / values[2])) *
                             std::exp(noise * normal(random)));
  }
  return problem;
}

std::vector<std::string> names_of(const FittedEquation& equation) {
  std::vector<std::string> names;
  for (const FittedTerm& term : equation.terms) names.push_back(text_of(term.term));
  return names;
}

EquationOptions selecting(Technique technique, std::size_t most) {
  EquationOptions options;
  options.technique = technique;
  options.alphabet.degree = 3;
  options.most_terms = most;
  return options;
}

TEST(FitEquation, SelectionFindsTheTermsThatMadeTheData) {
  const auto fit = fit_equation(runs(200, 0.01, 1), selecting(Technique::least_squares, 2));
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_THAT(names_of(fit->equation), UnorderedElementsAre("1", "iterations", "iterations*batch/gpus"));
  for (const FittedTerm& term : fit->equation.terms) {
    const double known = term.term.empty() ? 5 : (term.term.size() == 1 ? 0.02 : 0.003);
    EXPECT_NEAR(term.coefficient, known, 4 * *term.standard_error) << text_of(term.term);
  }
  EXPECT_LT(*fit->equation.figures.held_out_mape, 0.012);
}

TEST(FitEquation, SelectionEndsWhereNothingHelps) {
  const auto fit = fit_equation(runs(200, 0, 2), selecting(Technique::least_squares, 10));
  ASSERT_TRUE(fit);
  EXPECT_LE(fit->equation.terms.size(), 4U);
}

TEST(FitEquation, EveryTechniqueLearnsTheRuns) {
  const FitProblem known = runs(300, 0.02, 3), unseen = runs(100, 0.02, 4);
  for (const Technique technique : {Technique::least_squares, Technique::ridge, Technique::nnls, Technique::trees}) {
    if (technique == Technique::trees && !has_xgboost()) continue;
    EquationOptions options;
    options.technique = technique;
    options.alphabet.degree = technique == Technique::trees ? 1 : 3;
    options.alphabet.inverses = technique != Technique::trees;
    options.target.log = technique == Technique::trees;
    if (technique == Technique::trees) {
      options.trees = {{.rounds = 100, .depth = 4}};
      options.level = 0;
    }
    const auto fit = fit_equation(known, options);
    ASSERT_TRUE(fit) << fit.error().text();
    const auto predicted = predict(fit->equation, unseen.table);
    ASSERT_TRUE(predicted);
    std::vector<double> values;
    for (const Predicted& one : *predicted) values.push_back(one.value);
    EXPECT_LT(errors_of(unseen.values, values).mape, technique == Technique::trees ? 0.12 : 0.03) << name_of(technique);
  }
}

TEST(FitEquation, MultiplierAndLogarithmGiveBackTheCorrection) {
  FitProblem problem = runs(50, 0, 5);
  problem.table.names[2] = "analytic";
  for (std::size_t row = 0; row < 50; ++row) {
    problem.values[row] = problem.table.values(row, 2) * 1.5 * std::sqrt(problem.table.values(row, 1));
  }
  EquationOptions options;
  options.target = {"time_s", true, "analytic"};
  options.terms = {{}, {{"batch", 1, true}}};
  const auto fit = fit_equation(problem, options);
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_NEAR(fit->equation.terms[0].coefficient, std::log(1.5), 1e-9);
  EXPECT_NEAR(fit->equation.terms[1].coefficient, 0.5, 1e-9);
  const auto predicted = predict(fit->equation, problem.table);
  ASSERT_TRUE(predicted);
  EXPECT_NEAR((*predicted)[7].value, problem.values[7], 1e-8 * problem.values[7]);
}

TEST(FitEquation, ConstantColumnsMakeNoTerms) {
  FitProblem problem = runs(30, 0.01, 6);
  for (double& value : problem.table.values.column(2)) value = 4;
  const auto fit = fit_equation(problem, {});
  ASSERT_TRUE(fit);
  EXPECT_THAT(names_of(fit->equation), ElementsAre("1", "iterations", "1/iterations", "batch", "1/batch"));
}

// What is held back has no say: another value there changes nothing.
TEST(Judge, RowsOfTheValidationDoNotLeak) {
  FitProblem problem = runs(80, 0.05, 7);
  const auto split = extrapolation(problem.table, std::vector<Bound>{{"batch", ">", 64}});
  ASSERT_TRUE(split);
  for (const Technique technique : {Technique::least_squares, Technique::ridge}) {
    const EquationOptions options = selecting(technique, 3);
    const auto before = judge(problem, *split, options);
    ASSERT_TRUE(before) << before.error().text();
    FitProblem changed = problem;
    for (const std::size_t row : split->validation) {
      changed.values[row] *= 100;
      changed.table.values(row, 0) *= 3;
    }
    const auto after = judge(changed, *split, options);
    ASSERT_TRUE(after);
    EXPECT_EQ(before->fit.equation, after->fit.equation);
    EXPECT_GT(after->validation.mape, before->validation.mape);
  }
}

// Pure noise cannot be predicted: choosing 3 of 72 terms by all rows would make held-out errors look far better than
// the spread of the values; choosing them within the folds does not.
TEST(FitEquation, SelectionIsWithinTheFolds) {
  FitProblem problem = runs(40, 0, 8);
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(1, 2);
  double mean = 0;
  for (double& value : problem.values) mean += (value = uniform(random)) / 40;
  EquationOptions options = selecting(Technique::least_squares, 3);
  options.relative = false;
  const auto fit = fit_equation(problem, options);
  ASSERT_TRUE(fit);
  double spread = 0;
  for (const double value : problem.values) spread += std::abs(mean / value - 1) / 40;
  EXPECT_GT(*fit->equation.figures.held_out_mape, 0.97 * spread);
}

TEST(Judge, IntervalsHoldTheirShare) {
  std::size_t inside = 0, rows = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const FitProblem problem = runs(120, 0.1, 100 + seed);
    EquationOptions options;
    options.terms = {{}, {{"iterations"}}, {{"iterations"}, {"batch"}, {"gpus", -1}}};
    const auto result = judge(problem, *hold_out(120, 0.5, seed), options);
    ASSERT_TRUE(result);
    inside += static_cast<std::size_t>(std::lround(*result->validation.inside * 60));
    rows += 60;
  }
  // 0.9 wanted; 2,400 rows, with the draws' own spread: three standard deviations are about 2.5 points.
  EXPECT_NEAR(static_cast<double>(inside) / static_cast<double>(rows), 0.9, 0.03);
}

TEST(Predict, WarnsBeyondTheRangeOfTheFit) {
  const auto fit = fit_equation(runs(100, 0.01, 9), selecting(Technique::least_squares, 2));
  ASSERT_TRUE(fit);
  NumberTable table = {{"iterations", "batch", "gpus", "else"}, Matrix(1, 4)};
  table.values(0, 0) = 500;
  table.values(0, 1) = 1024;
  table.values(0, 2) = 2;
  const auto predicted = predict(fit->equation, table);
  ASSERT_TRUE(predicted);
  ASSERT_EQ(predicted->front().warnings.size(), 1U);
  EXPECT_EQ(predicted->front().warnings[0].text(),
            "batch is 1024, outside the 8 to 256 of the fit (4 times the largest)");
}

TEST(Predict, NamesAMissingColumn) {
  const auto fit = fit_equation(runs(100, 0.01, 9), {});
  const auto predicted = predict(fit->equation, {{"iterations", "bacth", "gpus"}, Matrix(1, 3, 1)});
  ASSERT_FALSE(predicted);
  EXPECT_EQ(predicted.error().message, "there is no column 'batch'; did you mean 'bacth'?");
}

TEST(FitWarnings, TellFewRowsCollinearityAndOddRows) {
  FitProblem problem = runs(12, 0.01, 10);
  const auto few = fit_equation(problem, {});
  ASSERT_TRUE(few);
  EXPECT_THAT(few->warnings, Contains(Field(&FitWarning::kind, FitWarning::Kind::few_rows)));
  problem = runs(60, 0.01, 11);
  problem.table.names.emplace_back("twin");
  Matrix wider(60, 4);
  for (std::size_t row = 0; row < 60; ++row) {
    for (std::size_t column = 0; column < 3; ++column) wider(row, column) = problem.table.values(row, column);
    wider(row, 3) = wider(row, 1) + 0.01 * static_cast<double>(row % 7);
  }
  wider(0, 1) = wider(0, 3) = 4000;  // far away, and with a value that is not in keeping
  problem.values[0] = 1e5;
  problem.table.values = wider;
  EquationOptions options;
  options.alphabet.inverses = false;
  options.relative = false;
  const auto fit = fit_equation(problem, options);
  ASSERT_TRUE(fit);
  EXPECT_THAT(fit->warnings, Contains(Field(&FitWarning::kind, FitWarning::Kind::collinear)));
  EXPECT_THAT(fit->warnings, Contains(Field(&FitWarning::kind, FitWarning::Kind::ill_conditioned)));
}

TEST(FitEquation, RefusesValuesThatAreNoTimes) {
  FitProblem problem = runs(10, 0, 12);
  problem.values[3] = -1;
  EXPECT_THAT(fit_equation(problem, {}).error().message, HasSubstr("-1 in row 4"));
  problem.values[3] = 1;
  problem.table.values(2, 2) = 0;
  EXPECT_THAT(fit_equation(problem, {}).error().message, HasSubstr("1/gpus is no number in row 3, where gpus = 0"));
}

// Three groups make three folds, whatever is asked for.
TEST(FitEquation, GroupsStayTogetherInItsFolds) {
  FitProblem problem = runs(60, 0.02, 15);
  for (std::size_t row = 0; row < 60; ++row) problem.groups.emplace_back(1, static_cast<char>('a' + row % 3));
  const auto fit = fit_equation(problem, {});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->equation.interval->made_by, "3-fold cross-validation");
}

// A fitted model's file may hold any factor.
TEST(FitEquation, AnIntervalBeyondAllNumbersIsNone) {
  FittedEquation equation;
  equation.terms = {{.term = {}, .coefficient = 1e6}};
  equation.interval = Interval{0.9, 1e300, "", 0};
  const auto predicted = predict(equation, {{"a"}, Matrix(1, 1)});
  ASSERT_TRUE(predicted) << predicted.error().text();
  EXPECT_EQ(predicted->front().value, 1e6);
  EXPECT_FALSE(predicted->front().low || predicted->front().high);
}

}  // namespace
}  // namespace rooftile::regression
