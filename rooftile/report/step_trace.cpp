#include "rooftile/report/step_trace.hpp"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicro = 1e6;

std::string_view name_of(Stream stream) {
  constexpr std::array<std::string_view, kStreams> kNames = {"compute", "gradients and weights", "send"};
  return kNames[static_cast<std::size_t>(stream)];
}

std::string_view category_of(StepTask::Kind kind) {
  constexpr std::array<std::string_view, 6> kKinds = {"forward", "backward", "gather", "reduce", "send", "update"};
  return kKinds[static_cast<std::size_t>(kind)];
}

std::string label_of(const StepTask& task) {
  switch (task.kind) {
    case StepTask::Kind::forward:
    case StepTask::Kind::backward:
      return fmt::format("{} {}", category_of(task.kind), task.micro_batch);
    case StepTask::Kind::gather:
    case StepTask::Kind::reduce:
      return fmt::format("{} from block {}", category_of(task.kind), task.block);
    case StepTask::Kind::send:
    case StepTask::Kind::update:
      break;
  }
  return std::string(category_of(task.kind));
}

Json metadata(const char* what, int process, int thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string step_trace(const std::string& model, const Parallelism& way, const StepTimeline& timeline) {
  Json events = Json::array();
  for (int stage = 0; stage < way.pp; ++stage) {
    const std::string name = way.pp > 1 ? fmt::format("pipeline stage {} ({} GPUs)", stage, way.gpus() / way.pp)
                                        : fmt::format("{} GPUs alike", way.gpus());
    events.push_back(metadata("process_name", stage, 0, name));
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      const auto thread = static_cast<int>(stream);
      events.push_back(metadata("thread_name", stage, thread, std::string(name_of(static_cast<Stream>(stream)))));
    }
  }
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    const StreamGraph::Task& task = timeline.tasks[i];
    const StepTask& what = timeline.what[i];
    const double start = timeline.times.start[i].value() * kMicro, end = timeline.times.end[i].value() * kMicro;
    Json args = {{"micro_batch", what.micro_batch}, {"part", what.chunk}};
    if (what.bytes > Bytes(0)) args["bytes"] = what.bytes.value();
    if (what.flops > Flops(0)) args["flops"] = what.flops.value();
    const auto thread = static_cast<int>(task.stream);
    events.push_back({{"name", label_of(what)},
                      {"cat", category_of(what.kind)},
                      {"ph", "X"},
                      {"ts", start},
                      {"dur", end - start},
                      {"pid", task.gpu},
                      {"tid", thread},
                      {"args", std::move(args)}});
  }
  for (const StepTimeline::Flow& flow : timeline.flows) {
    const auto place = [&](std::size_t task, const char* phase, Seconds at) {
      const auto thread = static_cast<int>(timeline.tasks[task].stream);
      return Json{{"name", "dependency"}, {"cat", "dependency"},       {"ph", phase},
                  {"id", flow.from},      {"ts", at.value() * kMicro}, {"pid", timeline.tasks[task].gpu},
                  {"tid", thread}};
    };
    events.push_back(place(flow.from, "s", timeline.times.start[flow.from]));
    Json end = place(flow.to, "f", timeline.times.start[flow.to]);
    end["bp"] = "e";
    events.push_back(std::move(end));
  }
  const Json trace = {{"traceEvents", std::move(events)},
                      {"displayTimeUnit", "ms"},
                      {"otherData", {{"model", model}, {"way", print(way)}, {"writer", "rooftile"}}}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rooftile
