#include <cmath>

#include <fmt/format.h>

#include "rooftile/error/one_line.hpp"
#include "rooftile/report/fitted_head_json.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/units/text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 76;
constexpr std::string_view kIndent = "                ";

}  // namespace

std::string pass_of(Phase phase) {
  if (phase == Phase::fwd) return "inference";
  return phase == Phase::step ? "training" : std::string(name_of(phase));
}

std::string head_text(const FittedHead& head) {
  const std::string several = head.gpus > 1 ? fmt::format("{} x ", head.gpus) : "";
  std::string text = fmt::format("{} on {}{}: batch size {}{}, {}, {}, method {} ({})\n\n", head.model, several,
                                 head.gpu, head.batch_size, head.gpus > 1 ? " of all GPUs" : "",
                                 name_of(head.precision), pass_of(head.phase), head.method, one_line(head.fitted));
  text += fmt::format("  time        {} an iteration", print(head.time, head.range));
  if (head.time > Seconds(0)) {
    text += fmt::format("   {} samples/s", four_digits(static_cast<double>(head.batch_size) / head.time.value()));
  }
  if (head.iterations) {
    const auto times = static_cast<double>(*head.iterations);
    std::optional<Interval> range;
    if (head.range) range = Interval{head.range->low * times, head.range->high * times};
    text += fmt::format("\n  run         {} of {} iterations", print(head.time * times, range), grouped(times));
  }
  const MemoryUse& memory = head.memory;
  return text + fmt::format("\n  memory      {}{}: weights {}, activations {}\n\n", print(memory.total()),
                            head.gpus > 1 ? " of each GPU" : "", print(memory.weights), print(memory.activations));
}

Json head_json(const FittedHead& head, const std::vector<Skipped>& left_out) {
  Json json = {{"schema", "rooftile/prediction/1"}, {"model", head.model}, {"gpu", head.gpu}};
  if (head.gpus > 1) json["gpus"] = head.gpus;
  json["batch_size"] = head.batch_size;
  json["precision"] = name_of(head.precision);
  json["pass"] = pass_of(head.phase);
  json["method"] = head.method;
  json["fitted"] = head.fitted;
  json["time_s"] = head.time.value();
  if (head.range) {
    json["time_low_s"] = head.range->low.value();
    json["time_high_s"] = head.range->high.value();
  }
  const auto samples = static_cast<double>(head.batch_size);
  json["throughput_per_s"] = head.time > Seconds(0) ? Json(samples / head.time.value()) : Json(nullptr);
  if (head.iterations) {
    json["iterations"] = *head.iterations;
    json["run_time_s"] = head.time.value() * static_cast<double>(*head.iterations);
  }
  const auto whole = [](Bytes bytes) { return static_cast<std::int64_t>(std::llround(bytes.value())); };
  json["memory_bytes"] = {{"weights", whole(head.memory.weights)},
                          {"activations", whole(head.memory.activations)},
                          {"workspace", whole(head.memory.workspace)},
                          {"total", whole(head.memory.total())}};
  json["unsupported"] = Json::array();
  for (const Skipped& op : left_out) json["unsupported"].push_back({{"name", op.name}, {"op_type", op.op_type}});
  return json;
}

std::string left_out_text(const std::vector<Skipped>& left_out) {
  if (left_out.empty()) return "";
  return fmt::format("  left out      {}, not in any number above: {}\n", left_out.size(),
                     wrapped(list_of(left_out), kWidth, kIndent));
}

std::string warnings_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += "  warning       " + wrapped(warning, kWidth, kIndent) + "\n";
  return text;
}

std::string json_text(const std::vector<Json>& values) {
  const Json all = values.size() == 1 ? values.front() : Json(values);
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rooftile
