#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/layers.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using regression::FittedEquation;
using regression::FitWarning;

constexpr double kMilli = 1e3;  // seconds in ms

std::string in_ms(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.3g}", *seconds * kMilli) : std::string("-");
}

std::string coefficients(const LayerModelFit& fit, std::size_t width) {
  TextTable table({{"layers"},
                   {"rows", Align::right},
                   {"b0 [ms]", Align::right},
                   {"std. error", Align::right},
                   {"b1 [ms/op]", Align::right},
                   {"std. error", Align::right},
                   {"R2", Align::right},
                   {"MAPE", Align::right},
                   {"held out", Align::right},
                   {"90 % within", Align::right}});
  for (const LayerFit& one : fit.fits) {
    const FittedEquation& equation = one.fit.equation;
    const auto& figures = equation.figures;
    const auto share = [](const std::optional<double>& value) { return value ? percent(*value, 1) : std::string("-"); };
    table.add({equation.name, grouped(static_cast<double>(figures.rows)), in_ms(equation.terms[0].coefficient),
               in_ms(equation.terms[0].standard_error), in_ms(equation.terms[1].coefficient),
               in_ms(equation.terms[1].standard_error), figures.r2 ? fmt::format("{:.4f}", *figures.r2) : "-",
               share(figures.mape), share(figures.held_out_mape),
               equation.interval ? fmt::format("x {:.2f}", equation.interval->factor) : "-"});
  }
  return table.text(width);
}

// An odd row by the name of its layer.
std::string warnings(const LayerModelFit& fit, std::span<const LayerSample> samples, std::size_t width) {
  std::string text;
  for (const LayerFit& one : fit.fits) {
    for (const FitWarning& warning : one.fit.warnings) {
      std::string layer;
      if (warning.kind == FitWarning::Kind::odd_row) {
        for (std::size_t row = 0; row < one.samples.size(); ++row) {
          const LayerSample& sample = samples[one.samples[row]];
          if (warning.subject != std::to_string(row + 1)) continue;
          layer = fmt::format(" ({}{}{})", one_line(sample.where), sample.layer.empty() ? "" : ", ",
                              one_line(sample.layer, 60));
        }
      }
      text += page_line(fmt::format("warning: {}: {}{}", one.fit.equation.name, warning.text(), layer), width, "  ");
    }
  }
  return text;
}

}  // namespace

std::string layer_fit_report(const LayerModelFit& fit, const LayerSamples& samples, std::size_t width) {
  const regression::FittedOn& on = fit.model.fitted_on;
  std::string text = page_line(fmt::format("per-layer models of {}, {}{}: {}", fmt::join(on.gpus, ", "),
                                           fmt::join(on.precisions, ", "),
                                           on.software.empty() ? "" : fmt::format(", {}", fmt::join(on.software, ", ")),
                                           counted(on.rows, "row")),
                               width, "  ") +
                     "\n";
  text += coefficients(fit, width) + "\n";
  for (const PoolingComparison& pooling : fit.pooling) {
    text += fmt::format("pooling {}: held-out MAPE {} by two models, {} by one ({} rows)\n", name_of(pooling.direction),
                        percent(pooling.two, 1), percent(pooling.one, 1), pooling.rows);
  }
  if (!fit.too_few.empty())
    text += page_line(fmt::format("of one size only, no model: {}", fmt::join(fit.too_few, ", ")), width, "  ");
  if (!samples.left_out.empty()) {
    std::string list;
    for (const auto& [what, layers] : samples.left_out) {
      const std::string time = layers.time > Seconds(0) ? ", " + print(layers.time) : "";
      list += fmt::format("{}{} ({}{})", list.empty() ? "" : ", ", what, layers.rows, time);
    }
    text += page_line("left out: " + list, std::min<std::size_t>(width, 110), "          ");
  }
  return text + warnings(fit, samples.samples, width);
}

std::string layer_transfer_table(std::span<const LayerTransfer> transfers, std::size_t width) {
  TextTable table({{"fitted to"},
                   {"judged on"},
                   {"direction"},
                   {"layers", Align::right},
                   {"MAPE", Align::right},
                   {"median", Align::right},
                   {"GMAE", Align::right},
                   {"measured", Align::right},
                   {"predicted", Align::right},
                   {"ratio", Align::right},
                   {"no model", Align::right}});
  bool own = false;
  for (const LayerTransfer& transfer : transfers) {
    own |= transfer.own_rows;
    const auto add = [&](std::string_view direction, const LayerScore& score) {
      if (score.errors.rows + score.without_model == 0) return;
      const auto& errors = score.errors;
      const auto name = [](const std::string& text) { return text.empty() ? std::string("all") : one_line(text); };
      table.add({name(transfer.fitted_to), name(transfer.judged_on) + (transfer.own_rows ? " *" : ""),
                 std::string(direction), grouped(static_cast<double>(errors.rows)), percent(errors.mape, 1),
                 percent(errors.median, 1), errors.gmae ? percent(*errors.gmae, 1) : "-", print(score.measured),
                 print(score.predicted),
                 score.measured > Seconds(0) ? fmt::format("{:.3f}", score.predicted / score.measured) : "-",
                 score.without_model > 0 ? fmt::format("{} ({})", score.without_model, print(score.time_without_model))
                                         : ""});
    };
    add("forward", transfer.forward);
    add("backward", transfer.backward);
    if (!transfer.forward.times.empty() && !transfer.backward.times.empty()) add("both", transfer.both);
  }
  return table.text(width) + (own ? "  * its own rows\n" : "");
}

FittedPoints fitted_points(std::span<const LayerTransfer> transfers) {
  const bool only_own =
      std::all_of(transfers.begin(), transfers.end(), [](const LayerTransfer& transfer) { return transfer.own_rows; });
  FittedPoints points;
  for (const LayerTransfer& transfer : transfers) {
    if (transfer.own_rows && !only_own) continue;
    const LayerScore& score = transfer.both;
    points.measured.insert(points.measured.end(), score.times.begin(), score.times.end());
    points.fitted.insert(points.fitted.end(), score.fitted.begin(), score.fitted.end());
    points.groups.insert(points.groups.end(), score.categories.begin(), score.categories.end());
  }
  return points;
}

}  // namespace rooftile
