#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/report/regression.hpp"

namespace rooftile {
namespace {

using regression::FittedEquation;
using regression::FitWarning;
using regression::SplitResult;
using testing::HasSubstr;
using testing::Not;

FittedEquation equation() {
  FittedEquation equation;
  equation.name = "conv forward";
  equation.terms = {{{}, 0.183, 0.0915, {}, {}, {}}, {{{"macs"}, {"gpus", -1}}, 3.43e-10, {}, 12.5, {}, {}}};
  equation.figures.rows = 1200;
  equation.figures.r2 = 0.99;
  equation.figures.held_out_mape = 0.123;
  equation.interval = {0.9, 1.25, "split conformal", 100};
  return equation;
}

TEST(CoefficientTable, HasWhatTheFitHas) {
  EXPECT_EQ(coefficient_table(equation()),
            "conv forward\n"
            "  term       coefficient  standard error  t   VIF\n"
            "  1                0.183          0.0915  2     -\n"
            "  macs/gpus     3.43e-10               -  -  12.5\n"
            "  least-squares, 1,200 rows, R2 0.99, held-out MAPE 12.3 %; 90 % of values within a factor of 1.25 (split "
            "conformal)\n");
}

TEST(FitWarnings, AreLines) {
  const std::vector<FitWarning> warnings = {{FitWarning::Kind::few_rows, {}, 2.5, 5, 0},
                                            {FitWarning::Kind::extrapolation, "batch\n", 512, 8, 64}};
  EXPECT_EQ(fit_warnings_text(warnings),
            "warning: 2.5 rows per coefficient; below 5 the coefficients are unreliable\n"
            "warning: batch? is 512, outside the 8 to 64 of the fit (8 times the largest)\n");
}

TEST(SplitTable, HasALineASplit) {
  SplitResult result;
  result.split.name = "batch > 64";
  result.training.rows = 100;
  result.training.mape = 0.01;
  result.validation.rows = 20;
  result.validation.mape = 0.08;
  result.validation.inside = 0.85;
  const std::string text = split_table(std::vector<SplitResult>{result});
  EXPECT_THAT(text, HasSubstr("batch > 64     100  1.0 %        20  8.0 %     -       85.0 %"));
}

FittedPoints points() {
  return {"Runs <of> a network", "s", {1, 2, 4, 8}, {1.1, 1.9, -4, 8}, {"k80", "p100", "k80", "p100"}};
}

TEST(Plots, DrawAPointARow) {
  const std::string fitted = actual_versus_fitted_plot(points()), residuals = residual_plot(points());
  for (const std::string& svg : {fitted, residuals}) {
    EXPECT_THAT(svg, HasSubstr("Runs &lt;of&gt; a network"));
    EXPECT_THAT(svg, HasSubstr("p100: 2 rows"));
    EXPECT_THAT(svg, HasSubstr("k80: 1 rows"));
    EXPECT_THAT(svg, HasSubstr("1 rows whose fitted value is not positive are not shown."));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
  EXPECT_THAT(fitted, HasSubstr("fitted = measured"));
  EXPECT_THAT(residuals, HasSubstr("Measured / fitted - 1"));
}

TEST(Plots, DrawNothingOfNothing) { EXPECT_THAT(residual_plot({"empty"}), Not(HasSubstr("nan"))); }

}  // namespace
}  // namespace rooftile
