#include "rooftile/report/grey_box_curve.hpp"

#include <utility>

#include <fmt/format.h>

#include "rooftile/base/quantile.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {

std::string grey_box_curve_report(const std::vector<GreyBoxCurvePoint>& curve, std::size_t width) {
  constexpr double kMedian = 0.5, kWorst = 0.9, kPercent = 100;
  TextTable table({{"gpu", Align::left, Cut::never},
                   {"rows", Align::right},
                   {"fitted to", Align::right},
                   {"draws", Align::right},
                   {"analytic", Align::right},
                   {"physics", Align::right},
                   {"grey box", Align::right},
                   {"worst tenth", Align::right},
                   {"inside", Align::right}});
  for (const GreyBoxCurvePoint& point : curve) {
    const auto over_draws = [&](double GreyBoxDraw::*figure, double level) {
      std::vector<double> values;
      for (const GreyBoxDraw& draw : point.draws) values.push_back(draw.*figure);
      return fmt::format("{:.1f}", kPercent * quantile(std::move(values), level));
    };
    table.add({point.gpu, grouped(static_cast<double>(point.rows)), grouped(static_cast<double>(point.points)),
               std::to_string(point.draws.size()), over_draws(&GreyBoxDraw::analytic, kMedian),
               over_draws(&GreyBoxDraw::physics, kMedian), over_draws(&GreyBoxDraw::grey_box, kMedian),
               over_draws(&GreyBoxDraw::grey_box, kWorst), over_draws(&GreyBoxDraw::inside, kMedian)});
  }
  return "Grey box fitted to few rows of one GPU, drawn at random, and judged on its others\n\n" + table.text(width) +
         "\n  analytic, physics, grey box  median error in %, in the median over draws; physics: the grey box without\n"
         "                               its corrections\n"
         "  worst tenth                  median error of the grey box that one draw in ten is above\n"
         "  inside                       share of rows within the 90 % interval in %; 0: too few rows for one\n";
}

}  // namespace rooftile
