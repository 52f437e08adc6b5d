#include "rooftile/report/study.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/bar_chart.hpp"
#include "rooftile/report/palette.hpp"
#include "rooftile/roofline/stalls.hpp"

namespace rooftile {
namespace {

using Value = std::optional<double>;
using ValueOf = std::function<Value(const StudyRun&)>;

const StudyRun& run_at(const Study& study, const StudyResult& result, std::size_t application, std::size_t gpu) {
  return result.runs[application * study.gpus.size() + gpu];
}

std::string ratio_text(double value) { return fmt::format("{:.2f}", value); }
std::string share_text(double value) { return percent(value, 1); }

// A group for each application, with a bar for each GPU.
std::string by_application(const Study& study, const StudyResult& result, const std::string& what, std::string caption,
                           const ValueOf& value, std::function<std::string(double)> label, Value most = {}) {
  BarChart chart;
  chart.title = what;
  chart.caption = std::move(caption);
  chart.most = most;
  chart.label = std::move(label);
  for (const Application& application : study.applications) chart.groups.push_back(application.label);
  for (std::size_t gpu = 0; gpu < study.gpus.size(); ++gpu) {
    BarSeries series = {.name = study.gpus[gpu].gpu.id, .colour = series_colour(gpu).light};
    for (std::size_t i = 0; i < study.applications.size(); ++i) {
      series.values.push_back(value(run_at(study, result, i, gpu)));
    }
    chart.series.push_back(std::move(series));
  }
  return svg_bar_chart(chart);
}

// A bar for each application on a GPU, split by why its warps stall.
std::string stall_chart(const Study& study, const StudyResult& result, std::size_t gpu) {
  BarChart chart;
  chart.title = fmt::format("Why warps stall on the {}", study.gpus[gpu].gpu.id);
  chart.caption = "Estimated from what limits each layer, weighted by its time; launches stall no warp.";
  chart.stacked = true;
  chart.most = 1;
  chart.label = share_text;
  for (std::size_t i = 0; i < study.applications.size(); ++i) {
    chart.groups.push_back(study.applications[i].label);
    for (const roofline::StallShare& stall : roofline::estimated_stalls(run_at(study, result, i, gpu).by)) {
      auto found = chart.series.begin();
      while (found != chart.series.end() && found->name != stall.name) ++found;
      if (found == chart.series.end()) {
        chart.series.push_back({.name = std::string(stall.name), .colour = stall_colour(stall.name).light});
        found = chart.series.end() - 1;
      }
      found->values.resize(study.applications.size());
      found->values[i] = stall.share;
    }
  }
  return svg_bar_chart(chart);
}

// What each run gives for the money, by that of the best GPU for its application.
StudyResult by_best_value(const Study& study, StudyResult result) {
  const std::size_t gpus = study.gpus.size();
  for (std::size_t first = 0; first < result.runs.size(); first += gpus) {
    const std::span<StudyRun> runs = std::span(result.runs).subspan(first, gpus);
    double best = 0;
    for (const StudyRun& run : runs) best = std::max(best, run.per_usd.value_or(0));
    for (StudyRun& run : runs) {
      if (run.per_usd) *run.per_usd /= best;
    }
  }
  return result;
}

std::string index_of(const Study& study, const StudyResult& result, const std::vector<StudyFile>& files) {
  std::string text = fmt::format("# {}\n\nTraining in {}, host {}.\n\n```\n{}```\n", study.title,
                                 name_of(study.precision), study.host.name, study_table(study, result));
  for (const StudyFile& file : files) text += fmt::format("\n[{0}]({0}): {1}\n", file.name, file.what);
  return text;
}

// The prices that cost-effectiveness is of.
std::string prices_text(const Study& study, std::size_t width) {
  TextTable table({{"price of", Align::left, Cut::never}, {"USD", Align::right}, {"source", Align::left, Cut::wraps}});
  const auto add = [&](const std::string& what, const std::optional<Dollars>& usd, const std::string& source) {
    table.add({what, usd ? four_digits(usd->value()) : "-", usd ? source : "not known"});
  };
  for (const StudyGpu& gpu : study.gpus) add(gpu.gpu.id, gpu.price, price_source_of(gpu));
  add(study.host.id, study.host.price, price_source_of(study.host));
  return table.text(width);
}

}  // namespace

std::string price_source_of(const StudyGpu& gpu) {
  return gpu.price_note.empty() ? gpu.price_source : fmt::format("{}, {}", gpu.price_source, gpu.price_note);
}

std::string price_source_of(const HostMachine& host) {
  const auto fact =
      std::find_if(host.facts.begin(), host.facts.end(), [](const Fact& one) { return one.key == "price"; });
  if (fact == host.facts.end()) return "";
  return fact->note.empty() ? fact->source : fmt::format("{}, {}", fact->source, fact->note);
}

std::string study_table(const Study& study, const StudyResult& result, std::size_t width) {
  TextTable table({{"application"},
                   {"gpu", Align::left, Cut::never},
                   {"samples/s", Align::right},
                   {"relative", Align::right},
                   {"per 1000 USD", Align::right},
                   {"GPU busy", Align::right},
                   {"of peak", Align::right},
                   {"CPU busy", Align::right},
                   {"waits for host", Align::right}});
  for (const StudyRun& run : result.runs) {
    const Application& application = study.applications[run.application];
    table.add({fmt::format("{} x {}", application.label, application.batch), study.gpus[run.gpu].gpu.id,
               four_digits(run.samples_per_second), ratio_text(run.relative),
               run.per_usd ? four_digits(*run.per_usd) : "-", share_text(run.gpu_busy), share_text(run.peak_share),
               share_text(run.cpu_busy), share_text(run.waiting)});
  }
  const std::string heading =
      fmt::format("{}: training in {}, host {}", study.title, name_of(study.precision), study.host.id);
  return page_line(heading, width, "  ") + "\n" + table.text(width) + "\n" + prices_text(study, width);
}

std::string study_csv(const Study& study, const StudyResult& result) {
  std::string csv = write_csv_row(std::vector<std::string>{
      "application", "label", "gpu", "batch_size", "step_s", "throughput_per_s", "relative", "per_1000_usd", "gpu_busy",
      "peak_share", "cpu_busy", "waiting", "gpu_usd", "price_source", "host_usd", "host_price_source", "stalls"});
  const auto number = [](Value value) { return value ? fmt::format("{}", *value) : ""; };
  const auto usd = [](const std::optional<Dollars>& value) { return value ? fmt::format("{}", value->value()) : ""; };
  for (const StudyRun& run : result.runs) {
    const Application& application = study.applications[run.application];
    const StudyGpu& gpu = study.gpus[run.gpu];
    std::string stalls;
    for (const roofline::StallShare& stall : roofline::estimated_stalls(run.by)) {
      stalls += fmt::format("{}{}={:.3f}", stalls.empty() ? "" : " ", stall.name, stall.share);
    }
    csv += write_csv_row(std::vector<std::string>{
        application.name, application.label, gpu.gpu.id, fmt::format("{}", application.batch), number(run.step.value()),
        number(run.samples_per_second), number(run.relative), number(run.per_usd), number(run.gpu_busy),
        number(run.peak_share), number(run.cpu_busy), number(run.waiting), usd(gpu.price), price_source_of(gpu),
        usd(study.host.price), price_source_of(study.host), stalls});
  }
  return csv;
}

std::vector<StudyFile> study_files(const Study& study, const StudyResult& result) {
  std::vector<StudyFile> files;
  files.push_back({"runs.csv", "every application on every GPU", study_csv(study, result)});
  files.push_back({"runs.json", "the same with all sources", study_json(study, result)});
  const auto chart = [&](const char* file, const char* what, std::string caption, const ValueOf& value, auto label,
                         Value most = {}) {
    files.push_back({file, what, by_application(study, result, what, std::move(caption), value, label, most)});
  };
  chart(
      "throughput.svg", "Throughput, relative to the slowest GPU", "Samples a second.",
      [](const StudyRun& run) { return Value(run.relative); }, ratio_text);
  const bool host = study.host.price.has_value();
  files.push_back(
      {"cost.svg", "Throughput for the money",
       by_application(
           study, by_best_value(study, result), "Throughput for the money, relative to the best GPU",
           fmt::format("Samples a second by the price of GPU{}; runs.csv has the numbers.", host ? " and host" : ""),
           [](const StudyRun& run) { return run.per_usd; }, ratio_text, 1.0)});
  chart(
      "gpu_busy.svg", "GPU utilisation", "Share of the time that the GPU works.",
      [](const StudyRun& run) { return Value(run.gpu_busy); }, share_text, 1.0);
  chart(
      "peak_share.svg", "Utilisation of the arithmetic units",
      "Share of the peak rate while the GPU works; Winograd's convolutions may pass 100 %.",
      [](const StudyRun& run) { return Value(run.peak_share); }, share_text);
  chart(
      "cpu_busy.svg", "CPU utilisation", fmt::format("Of all {} cores.", study.host.cores),
      [](const StudyRun& run) { return Value(run.cpu_busy); }, share_text, 1.0);
  chart(
      "waiting.svg", "Waiting for the host", "Share of the time that the GPU waits for launches and its input.",
      [](const StudyRun& run) { return Value(run.waiting); }, share_text, 1.0);
  for (std::size_t gpu = 0; gpu < study.gpus.size(); ++gpu) {
    const std::string& id = study.gpus[gpu].gpu.id;
    files.push_back({fmt::format("stalls_{}.svg", id), fmt::format("Why warps stall on the {}, estimated", id),
                     stall_chart(study, result, gpu)});
  }
  files.push_back({"index.md", "", index_of(study, result, files)});
  return files;
}

}  // namespace rooftile
