#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/report/regression.hpp"

namespace rooftile {
namespace {

using regression::FittedEquation;
using regression::FitWarning;
using testing::AllOf;
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

FittedPoints points() {
  return {"Runs <of> a network", "s", {1, 2, 4, 8}, {1.1, 1.9, -4, 8}, {"k80", "p100", "k80", "p100"}};
}

TEST(Plots, DrawAPointARow) {
  const std::string fitted = actual_versus_fitted_plot(points()), residuals = residual_plot(points());
  for (const std::string& svg : {fitted, residuals}) {
    EXPECT_THAT(svg, HasSubstr("Runs &lt;of&gt; a network"));
    EXPECT_THAT(svg, HasSubstr("p100: 2 rows"));
    EXPECT_THAT(svg, HasSubstr("k80: 1 row"));
    EXPECT_THAT(svg, HasSubstr("Without 1 row whose fitted value is not positive."));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
  EXPECT_THAT(fitted, HasSubstr("fitted = measured"));
  EXPECT_THAT(residuals, HasSubstr("Measured / fitted - 1"));
}

TEST(Plots, NameOnlyTheLargestFiveOfManyGroups) {
  FittedPoints six = {"Six", "s", {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {"a", "b", "c", "d", "e", "f"}};
  EXPECT_THAT(residual_plot(six), AllOf(HasSubstr("f: 1 row"), Not(HasSubstr("others"))));
  six.measured.push_back(7);
  six.fitted.push_back(7);
  six.groups.emplace_back("g");
  EXPECT_THAT(residual_plot(six), HasSubstr("others: 2 rows"));
}

TEST(Plots, DrawNothingOfNothing) { EXPECT_THAT(residual_plot({"empty"}), Not(HasSubstr("nan"))); }

}  // namespace
}  // namespace rooftile
