#include "rooftile/predict/captured.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/predict/host.hpp"

namespace rooftile {
namespace {

tl::unexpected<Error> other(std::string message, const Workload& workload) {
  return fail(ErrorCode::unsupported, std::move(message), workload.name);
}

}  // namespace

PhaseCalls captured_calls(const Workload& workload, const PredictOptions& options, Phase phase) {
  const CapturedStep& step = *workload.captured;
  PhaseCalls result;
  std::vector<std::optional<std::size_t>> made(workload.ops.size());
  for (const CapturedLaunch& launch : step.launches) {
    if (!has_part(phase, launch.part)) continue;
    const Op& op = workload.ops[launch.op];
    const CapturedCall& call = step.calls[launch.op];
    std::optional<std::size_t>& known = made[launch.op];
    if (!known) {
      PredictOptions own = options;
      own.pass = call.pass;
      own.training = trains(step);
      known = result.calls.size();
      result.calls.push_back(call_of(workload, op, own));
    }
    result.layers.push_back({.call = *known,
                             .name = launch.name,
                             .output = workload.tensors[op.outputs.front()].shape,
                             .part = launch.part,
                             .general = call.general,
                             .issue = issue_of(result.calls[*known], launch.part, call.general)});
  }
  return result;
}

Workload launches_as_ops(const Workload& workload) {
  Workload result = workload;
  result.ops.clear();
  for (const CapturedLaunch& launch : workload.captured->launches) {
    result.ops.push_back(workload.ops[launch.op]);
    result.ops.back().name = launch.name;
  }
  return result;
}

Workload launches_as_ops(const Workload& workload, Pass pass) {
  const CapturedStep& step = *workload.captured;
  Workload of_pass = workload;
  std::erase_if(of_pass.captured->launches,
                [&](const CapturedLaunch& launch) { return step.calls[launch.op].pass != pass; });
  return launches_as_ops(of_pass);
}

void run_as_captured(const CapturedStep& step, bool precision_asked, PredictOptions& options) {
  if (options.framework.empty()) options.framework = step.framework;
  options.nhwc = options.nhwc || step.nhwc;
  if (precision_asked) return;
  options.precision = step.precision.dtype;
  options.autocast = step.precision.autocast;
}

MemoryUse captured_memory(const CapturedStep& step) {
  return {.weights = step.memory.weights,
          .gradients = step.memory.gradients,
          .optimizer = step.memory.optimizer,
          .activations = step.memory.activations,
          .workspace = Bytes(0)};
}

Result<void> check_captured(const Workload& workload, const PredictOptions& options, Phase phase) {
  const CapturedStep& step = *workload.captured;
  const RunPrecision& precision = step.precision;
  const bool tf32 = options.precision == DType::tf32 && precision.dtype == DType::fp32;
  if (!tf32 && (options.precision != precision.dtype || options.autocast != precision.autocast)) {
    return other(fmt::format("was captured in {}; capture it again in {}", name_of(precision),
                             name_of(RunPrecision{options.precision, options.autocast})),
                 workload);
  }
  if (options.weights || options.expert_weights)
    return other("was captured with its weights as they are; capture it again with others", workload);
  if (options.execution != Execution::eager) {
    return other(fmt::format("was captured operator by operator; execution {} fuses them", name_of(options.execution)),
                 workload);
  }
  if (options.recompute != Recompute::none || options.micro_batches > 1 || options.clip_gradients) {
    return other("recomputation, accumulation and clipping are what was captured; change the program", workload);
  }
  if (phase == Phase::bwd_data || phase == Phase::bwd_weight) {
    return other(fmt::format("is captured with both gradients; pass {} is not apart", name_of(phase)), workload);
  }
  if (phase != Phase::fwd && !trains(step)) {
    return other("was captured without gradients; capture a training step for that", workload);
  }
  return {};
}

std::string general_note(const CapturedStep& step, const InOrder<LayerEstimate>& layers) {
  Seconds all, general;
  std::size_t count = 0;
  for (const LayerEstimate& layer : layers) {
    all += layer.time;
    if (!layer.general) continue;
    general += layer.time;
    ++count;
  }
  if (count == 0) return "";
  std::map<std::string, std::size_t> times;  // of each operator
  for (const CapturedLaunch& launch : step.launches) {
    if (step.calls[launch.op].general) ++times[step.calls[launch.op].source];
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [name, number] : times) order.emplace_back(number, one_line(name));
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  constexpr std::size_t kNamed = 6;
  std::vector<std::string> names;
  for (const auto& [number, name] : order) {
    if (names.size() < kNamed) names.push_back(name);
  }
  return fmt::format(
      "{} of {} launches, {:.1f} % of the GPU's time, are predicted from the bytes they read and write: {}{}", count,
      layers.size(), all > Seconds(0) ? 100 * (general / all) : 0.0, fmt::join(names, ", "),
      order.size() > kNamed ? fmt::format(" and {} more", order.size() - kNamed) : "");
}

}  // namespace rooftile
