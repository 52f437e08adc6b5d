#include "rooftile/predict/host.hpp"

#include <algorithm>
#include <string_view>

#include "rooftile/predict/call.hpp"

namespace rooftile {
namespace {

// What frameworks launch by themselves, with no module or node of the network's around it: sums of gradients, casts
// of mixed precision, biases of convolutions. A call of ATen takes 5 to 10 us.
constexpr Seconds kDispatch(8e-6);

bool is_own(const LayerEstimate& layer) {
  if (layer.general) return true;
  const std::string_view op = layer.op, function = layer.function;
  return (layer.part == StepPart::backward && op == "elementwise" && function == "add") ||
         (op == "move" && function == "cast") || function == "bias";
}

// All that an optimiser does with the weights of a layer, rather than one operator of it as a captured step has them.
bool is_whole_update(const LayerEstimate& layer) { return layer.op == "update" || layer.op == "clip"; }

Seconds issue_time(const LayerEstimate& layer, const HostCosts& costs) {
  switch (layer.issue == Issue::unknown ? issue_of(layer) : layer.issue) {
    case Issue::unknown:
    case Issue::nothing:
      break;
    case Issue::dispatch:
      return std::min(kDispatch, costs.forward);
    case Issue::forward:
      return costs.forward;
    case Issue::gradient:
      return costs.gradient;
    case Issue::update:
      return costs.update;
    case Issue::dispatch_update:
      return std::min(kDispatch, costs.update);
  }
  return Seconds(0);
}

// Host and GPU, each as far as it has come.
class Queue {
 public:
  // The host issues a layer, the GPU runs it after those before.
  void add(Seconds issuing, Seconds running) {
    issued_ += issuing;
    done_ = std::max(done_, issued_) + running;
  }
  Seconds end() const { return std::max(done_, issued_); }

 private:
  Seconds issued_, done_;
};

}  // namespace

const HostCosts* host_costs(const PredictOptions& options) {
  if (!options.host || options.method != Method::rooftile) return nullptr;
  const Calibration& calibration = options.calibration ? *options.calibration : builtin_calibration();
  const std::span<const HostCosts> hosts = calibration.hosts.empty() ? builtin_calibration().hosts : calibration.hosts;
  return find_host(hosts, options.framework, options.execution);
}

Seconds serving_time(const PredictOptions& options, bool prompt, double sequences) {
  const HostCosts* costs = host_costs(options);
  if (costs == nullptr) return {};
  return costs->sequence * sequences + (prompt ? costs->request : Seconds(0));
}

Issue issue_of(const LayerEstimate& layer) {
  if (layer.kernels == 0 || layer.function == kKeptGradient) return Issue::nothing;
  if (is_own(layer)) return Issue::dispatch;
  if (is_whole_update(layer)) return Issue::update;
  if (is_update(layer)) return Issue::dispatch_update;
  return layer.pass == Pass::fwd ? Issue::forward : Issue::gradient;
}

std::array<Seconds, 3> queue_times(std::span<const LayerEstimate> layers, const HostCosts& costs,
                                   const std::array<QueueScale, 3>& scales) {
  std::array<Queue, 3> queues;
  for (const LayerEstimate& layer : layers) {
    const Seconds issuing = issue_time(layer, costs);
    for (std::size_t i = 0; i < scales.size(); ++i) {
      queues[i].add(issuing * scales[i].host, layer.time * scales[i].gpu);
    }
  }
  return {queues[0].end(), queues[1].end(), queues[2].end()};
}

PhaseTimes phase_times(std::span<const LayerEstimate> layers, const HostCosts* costs) {
  PhaseTimes times;
  Queue queue;
  Seconds before;
  for (const LayerEstimate& layer : layers) {
    queue.add(costs == nullptr ? Seconds(0) : issue_time(layer, *costs), layer.time);
    Seconds& part = layer.part == StepPart::forward    ? times.forward
                    : layer.part == StepPart::backward ? times.backward
                                                       : times.update;
    part += queue.end() - before;
    before = queue.end();
  }
  return times;
}

HostShare host_share(std::span<const LayerEstimate> layers, const HostCosts& costs) {
  HostShare share;
  share.costs = costs;
  Queue queue;
  for (const LayerEstimate& layer : layers) {
    const Seconds issuing = issue_time(layer, costs);
    share.gpu_busy += layer.time;
    share.issuing += issuing;
    queue.add(issuing, layer.time);
  }
  share.waiting = queue.end() - share.gpu_busy;
  return share;
}

}  // namespace rooftile
