// The charts of a comparison.
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/bar_chart.hpp"
#include "rooftile/report/comparison.hpp"
#include "rooftile/report/svg_chart.hpp"

namespace rooftile {
namespace {

constexpr double kMillion = 1e6;

std::set<std::string> models_of(const Comparison& comparison) {
  std::set<std::string> models;
  for (const ComparedRun& run : comparison.runs) models.insert(run.model);
  return models;
}

std::string title_of(const Comparison& comparison, const std::string& what) {
  const auto models = models_of(comparison);
  const std::string network = models.size() == 1 ? *models.begin() : fmt::format("{} networks", models.size());
  return fmt::format("{}, {}: {}", network, comparison.pass, what);
}

// Whether a GPU runs a network in several precisions at one batch size; the best precision may differ by batch size.
bool several_precisions(const Comparison& comparison) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::string> precisions;
  return std::any_of(comparison.runs.begin(), comparison.runs.end(), [&](const ComparedRun& run) {
    const auto [first, is_new] = precisions.emplace(std::tuple(run.gpu, run.model, run.batch_size), run.precision);
    return !is_new && first->second != run.precision;
  });
}

// Whether any GPU runs a network at several batch sizes.
bool several_batches(const Comparison& comparison) {
  std::map<std::pair<std::string, std::string>, std::int64_t> batches;
  return std::any_of(comparison.runs.begin(), comparison.runs.end(), [&](const ComparedRun& run) {
    const auto [first, is_new] = batches.emplace(std::pair(run.gpu, run.model), run.batch_size);
    return !is_new && first->second != run.batch_size;
  });
}

// Seconds and dollars of a million samples.
struct Place {
  const ComparedRun* run;
  double usd, seconds;
};

std::vector<Place> places_of(const Comparison& comparison, const std::string& model) {
  std::vector<Place> places;
  for (const ComparedRun& run : comparison.runs) {
    const auto cost = run.per_million_samples();
    if (run.model != model || !cost || !run.fits()) continue;
    places.push_back({&run, cost->value(), kMillion / run.samples_per_second()});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return std::pair(a.usd, a.seconds) < std::pair(b.usd, b.seconds); });
  return places;
}

// Than which none is both cheaper and at least 1 % faster, the cheapest first.
std::vector<Place> front_of(const std::vector<Place>& places) {
  std::vector<Place> front;
  for (const Place& place : places) {
    constexpr double kFaster = 0.99;
    if (front.empty() || place.seconds < front.back().seconds * kFaster) front.push_back(place);
  }
  return front;
}

// What runs are called: "rtx-4090", with several batches "rtx-4090 x 32", with several precisions "rtx-4090, fp16".
class RunNames {
 public:
  explicit RunNames(const Comparison& comparison)
      : batches_(several_batches(comparison)), apart_(several_precisions(comparison)) {
    for (const ComparedRun& run : comparison.runs) {
      precisions_ = precisions_ || run.precision != comparison.runs.front().precision;
    }
  }

  std::string name_of(const ComparedRun& run) const {
    return fmt::format("{}{}", batches_ ? fmt::format("{} x {}", run.gpu, run.batch_size) : run.gpu, precision_of(run));
  }
  std::string of_any_batch(const ComparedRun& run) const { return run.gpu + (apart_ ? precision_of(run) : ""); }

 private:
  std::string precision_of(const ComparedRun& run) const { return precisions_ ? ", " + run.precision : ""; }

  bool batches_, apart_, precisions_ = false;
};

std::string scatter_of(const Comparison& comparison) {
  constexpr double kDot = 7, kFrontWidth = 1.5, kHeight = 420;
  Chart chart;
  chart.title = title_of(comparison, "time against cost");
  chart.caption = "Runs without a price, or that do not fit the GPU's memory, are not drawn.";
  chart.x = {.title = "USD per million samples", .scale = Scale::logarithmic};
  chart.y = {.title = "time per million samples", .scale = Scale::logarithmic, .time = true};
  chart.plot_height = kHeight;
  std::vector<double> xs, ys;
  std::size_t series = 0;
  bool joined = false;  // any two runs
  const auto models = models_of(comparison);
  const RunNames names(comparison);
  for (const std::string& model : models) {
    const std::vector<Place> places = places_of(comparison, model), front = front_of(places);
    const std::string_view colour = series_colour(series++).light;
    joined = joined || front.size() > 1;
    ChartSeries line = {
        .name = {}, .mark = ChartSeries::Mark::line, .data = {}, .colour = colour, .width = kFrontWidth};
    for (const Place& place : front) {
      line.data.emplace_back(place.usd, place.seconds);
      chart.labels.push_back({place.usd, place.seconds, names.name_of(*place.run)});
    }
    ChartSeries points = {.name = models.size() > 1 ? model : "", .data = {}, .colour = colour, .width = kDot};
    for (const Place& place : places) {
      points.data.emplace_back(place.usd, place.seconds);
      points.names.push_back(names.name_of(*place.run));
      xs.push_back(place.usd);
      ys.push_back(place.seconds);
    }
    for (const Place& place : places) {  // those of the front have the first choice of room
      const auto in_front = [&](const Place& one) { return one.run == place.run; };
      if (std::none_of(front.begin(), front.end(), in_front)) {
        chart.labels.push_back({place.usd, place.seconds, names.name_of(*place.run), kQuiet.light});
      }
    }
    chart.series.push_back(std::move(line));
    chart.series.push_back(std::move(points));
  }
  if (joined) chart.caption = "The line joins the runs that no other beats in both cost and time. " + chart.caption;
  fit_to(chart.x, xs);
  fit_to(chart.y, ys);
  return svg_chart(chart);
}

std::string bars_of(const Comparison& comparison) {
  BarChart chart;
  chart.title = title_of(comparison, "throughput");
  chart.caption = "Samples a second. Grey: does not fit the GPU's memory.";
  chart.label = [](double value) { return four_digits(value); };
  const RunNames names(comparison);
  const bool models = models_of(comparison).size() > 1;
  constexpr std::size_t kMostBars = 50;
  const std::size_t bars = std::min(comparison.runs.size(), kMostBars);
  if (bars < comparison.runs.size()) {
    chart.caption += fmt::format(" The first {} of {} runs.", bars, comparison.runs.size());
  }
  BarSeries fitting = {.name = "", .colour = series_colour(0).light};
  BarSeries too_large = {.name = "", .colour = kOther.light};
  for (const ComparedRun& run : std::span(comparison.runs).first(bars)) {
    chart.groups.push_back(names.name_of(run) + (models ? ", " + run.model : ""));
    fitting.values.push_back(run.fits() ? std::optional(run.samples_per_second()) : 0.0);
    too_large.values.emplace_back(run.fits() ? 0.0 : run.samples_per_second());
  }
  // Of each group one of the two has a length: stacked they are one bar, which needs its own label.
  chart.stacked = true;
  chart.values_at_end = true;
  chart.series = {std::move(fitting), std::move(too_large)};
  return svg_bar_chart(chart);
}

// Names the batch sizes on the axis, where they are few.
void name_batches(Axis& axis, const std::set<std::int64_t>& batches) {
  constexpr std::size_t kFew = 10;
  if (batches.size() > kFew) return;
  for (const std::int64_t batch : batches) axis.fixed.push_back({static_cast<double>(batch), fmt::to_string(batch)});
}

std::string batch_curves(const Comparison& comparison) {
  constexpr double kLine = 2, kDot = 6, kHeight = 420;
  Chart chart;
  chart.title = title_of(comparison, "throughput by batch size");
  chart.x = {.title = "batch size", .scale = Scale::logarithmic};
  chart.y = {.title = "samples/s", .scale = Scale::logarithmic};
  chart.plot_height = kHeight;
  const RunNames names(comparison);
  const bool models = models_of(comparison).size() > 1;
  std::map<std::string, std::map<std::int64_t, const ComparedRun*>> curves;  // by GPU and model, and precision
  std::vector<std::string> order;
  for (const ComparedRun& run : comparison.runs) {
    if (!run.fits()) continue;
    const std::string name = names.of_any_batch(run) + (models ? ", " + run.model : "");
    if (!curves.contains(name)) order.push_back(name);
    curves[name][run.batch_size] = &run;
  }
  chart.caption = "Batches that fit the GPU's memory.";
  if (order.size() > kApart) {
    chart.caption += fmt::format(" The first {} of {} curves.", kApart, order.size());
    order.resize(kApart);
  }
  std::vector<double> xs, ys;
  std::set<std::int64_t> batches;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& name = order[i];
    ChartSeries line = {
        .name = name, .mark = ChartSeries::Mark::line, .data = {}, .colour = series_colour(i).light, .width = kLine};
    ChartSeries points = {.name = {}, .data = {}, .colour = line.colour, .width = kDot};
    for (const auto& [batch, run] : curves[name]) {
      line.data.emplace_back(static_cast<double>(batch), run->samples_per_second());
      points.names.push_back(names.name_of(*run) + (models ? ", " + run->model : ""));
      xs.push_back(line.data.back().first);
      ys.push_back(line.data.back().second);
      batches.insert(batch);
    }
    points.data = line.data;
    chart.series.push_back(std::move(line));
    chart.series.push_back(std::move(points));
  }
  fit_to(chart.x, xs);
  fit_to(chart.y, ys);
  name_batches(chart.x, batches);
  return svg_chart(chart);
}

}  // namespace

std::string comparison_chart(const Comparison& comparison, ComparisonChart chart) {
  switch (chart) {
    case ComparisonChart::scatter:
      return scatter_of(comparison);
    case ComparisonChart::bars:
      return bars_of(comparison);
    case ComparisonChart::batches:
      break;
  }
  return batch_curves(comparison);
}

ComparisonChart fitting_chart(const Comparison& comparison) {
  if (several_batches(comparison)) return ComparisonChart::batches;
  const auto priced = std::count_if(comparison.runs.begin(), comparison.runs.end(),
                                    [](const ComparedRun& run) { return run.price && run.fits(); });
  return priced > 1 ? ComparisonChart::scatter : ComparisonChart::bars;
}

std::string nothing_to_draw(const Comparison& comparison, ComparisonChart chart) {
  const std::vector<ComparedRun>& runs = comparison.runs;
  const auto any = [&](auto has) { return std::any_of(runs.begin(), runs.end(), has); };
  if (runs.empty()) return "there is no run to draw";
  if (chart == ComparisonChart::bars) return "";
  if (!any([](const ComparedRun& run) { return run.fits(); })) return "no run fits its GPU's memory";
  if (chart == ComparisonChart::batches) return "";
  return any([](const ComparedRun& run) { return run.fits() && run.price; })
             ? ""
             : "no price is known of a GPU whose memory is enough";
}

}  // namespace rooftile
