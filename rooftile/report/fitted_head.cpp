#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/fitted_head_json.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/memory.hpp"
#include "rooftile/report/memory_json.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHeadWidth = 76;
constexpr std::string_view kHeadIndent = "                ";

}  // namespace

std::string head_text(const FittedRun& run, std::string_view method, const std::optional<Interval>& range,
                      std::size_t width) {
  const std::string several = run.gpus > 1 ? fmt::format("{} x ", run.gpus) : "";
  const std::string title = fmt::format("{} on {}{}: batch size {}{}, {}, {}, method {} ({})", run.model, several,
                                        run.gpu, run.batch_size, run.gpus > 1 ? " over all GPUs" : "",
                                        name_of(run.precision), name_of_pass(run.phase), method, one_line(run.fitted));
  std::string text = wrapped(title, width - 2, "  ") + "\n\n";
  text += fmt::format("  time        {} per iteration", print(run.time, range));
  if (run.time > Seconds(0)) {
    text += fmt::format("   {} samples/s", four_digits(static_cast<double>(run.batch_size) / run.time.value()));
  }
  if (run.iterations) {
    const auto times = static_cast<double>(*run.iterations);
    std::optional<Interval> of_run;
    if (range) of_run = Interval{range->low * times, range->high * times};
    text += fmt::format("\n  run         {} of {} iterations", print(run.time * times, of_run), grouped(times));
  }
  const MemoryUse& memory = run.memory;
  const std::string parts = fmt::format("  memory      {}{}: {}", print(memory.total()), run.gpus > 1 ? " per GPU" : "",
                                        memory_parts(memory));
  return text + "\n" + wrapped(parts, width, "              ") + "\n\n";
}

Json head_json(const FittedRun& run, std::string_view method, const std::optional<Interval>& range) {
  Json json = {{"schema", "rooftile/prediction/1"}, {"model", run.model}, {"gpu", run.gpu}};
  if (run.gpus > 1) json["gpus"] = run.gpus;
  json["batch_size"] = run.batch_size;
  json["precision"] = name_of(run.precision);
  json["pass"] = name_of_pass(run.phase);
  json["method"] = method;
  json["fitted"] = run.fitted;
  json["time_s"] = run.time.value();
  if (range) {
    json["time_low_s"] = range->low.value();
    json["time_high_s"] = range->high.value();
  }
  const auto samples = static_cast<double>(run.batch_size);
  json["throughput_per_s"] = run.time > Seconds(0) ? Json(samples / run.time.value()) : Json(nullptr);
  if (run.iterations) {
    json["iterations"] = *run.iterations;
    json["run_time_s"] = run.time.value() * static_cast<double>(*run.iterations);
  }
  json["memory_bytes"] = memory_json(run.memory);
  json["unsupported"] = Json::array();
  for (const Skipped& op : run.left_out) json["unsupported"].push_back({{"name", op.name}, {"op_type", op.op_type}});
  return json;
}

std::vector<std::string> layer_cells(const FittedRun& run, const FittedLayer& layer, std::string_view pass,
                                     std::string_view method) {
  return {run.model,
          run.gpu,
          fmt::format("{}", run.batch_size),
          std::string(name_of(run.precision)),
          layer.name,
          layer.op,
          layer.function,
          std::string(pass),
          std::string(method),
          layer.output.empty() ? "" : print(layer.output)};
}

void add_times(std::vector<std::string>& cells, const FittedLayer& layer) {
  for (const std::optional<Seconds>& time : {std::optional(layer.time), layer.time_low, layer.time_high}) {
    cells.push_back(time ? fmt::format("{}", time->value()) : "");
  }
}

void add_run(std::vector<std::string>& cells, const FittedRun& run, Seconds time,
             const std::vector<std::string>& warnings) {
  const auto& count = run.iterations;
  cells.push_back(count ? fmt::format("{}", *count) : "");
  cells.push_back(count ? fmt::format("{}", time.value() * static_cast<double>(*count)) : "");
  cells.push_back(fmt::format("{}", fmt::join(warnings, "; ")));
}

std::string left_out_text(const std::vector<Skipped>& left_out) {
  if (left_out.empty()) return "";
  return fmt::format("  left out      {}, not counted above: {}\n", left_out.size(),
                     wrapped(list_of(left_out), kHeadWidth, kHeadIndent));
}

std::string warnings_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings)
    text += "  warning       " + wrapped(warning, kHeadWidth, kHeadIndent) + "\n";
  return text;
}

}  // namespace rooftile
