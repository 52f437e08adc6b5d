#include "rooftile/predict/host.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace rooftile {
namespace {

// Costs are those of servers, whose processors PassMark gives a single-thread rating of 2,140 (EPYC 7742 2,145, Xeon
// E5-2698 v4 2,141, Xeon Platinum 8168 2,138). A faster processor gains more than its rating: Python and drivers wait
// for caches, which servers have farther away. The exponent is fitted to 16 machines (docs/execution.md).
constexpr double kServerSingleThread = 2140, kSteepness = 1.5;

double launch_ratio(const HostCosts& costs, const PredictOptions& options, const Gpu& gpu) {
  const HostMachine* host = options.feeding == nullptr ? nullptr : &options.feeding->host;
  if (host != nullptr && host->launch_ratio) return *host->launch_ratio;
  std::optional<double> rating = options.host_single_thread;
  if (host != nullptr && host->single_thread) rating = host->single_thread;
  if (!rating && gpu.host_is_own) rating = gpu.host_single_thread;
  // A framework that is named belongs to its time, and so did its machines: unless one is told they are unknown, too.
  if (!rating && costs.any_machine && !options.framework.empty()) return 1;
  if (!rating) rating = gpu.host_single_thread;
  return rating ? std::pow(kServerSingleThread / *rating, kSteepness) : 1;
}

const HostCosts* server_costs(const PredictOptions& options) {
  if (!options.host || options.method != Method::rooftile) return nullptr;
  const Calibration& calibration = options.calibration ? *options.calibration : builtin_calibration();
  const std::span<const HostCosts> hosts = calibration.hosts.empty() ? builtin_calibration().hosts : calibration.hosts;
  return find_host(hosts, options.framework, options.execution);
}

bool is_own(std::string_view op, std::string_view function, StepPart part, bool general) {
  return general || (part == StepPart::backward && op == "elementwise" && function == "add") ||
         (op == "move" && function == "cast") || function == "bias";
}

// All that an optimiser does with the weights of a layer, rather than one operator of it as a captured step has them.
bool is_whole_update(std::string_view op) { return op == "update" || op == "clip"; }

// Of what launches something.
Issue issue_of(std::string_view op, std::string_view function, Pass pass, StepPart part, bool general) {
  if (function == kKeptGradient) return Issue::nothing;
  if (is_own(op, function, part, general)) return Issue::dispatch;
  if (is_whole_update(op)) return Issue::update;
  if (part == StepPart::update) return Issue::dispatch_update;
  return pass == Pass::fwd ? Issue::forward : Issue::gradient;
}

class IssueTimes {
 public:
  explicit IssueTimes(const HostCosts& costs) {
    (*this)[Issue::dispatch] = std::min(costs.dispatch, costs.forward);
    (*this)[Issue::forward] = costs.forward;
    (*this)[Issue::gradient] = costs.gradient;
    (*this)[Issue::update] = costs.update;
    (*this)[Issue::dispatch_update] = std::min(costs.dispatch, costs.update);
  }

  Seconds of(const LayerEstimate& layer) const {
    return by_[static_cast<std::size_t>(layer.issue == Issue::unknown ? issue_of(layer) : layer.issue)];
  }

 private:
  Seconds& operator[](Issue issue) { return by_[static_cast<std::size_t>(issue)]; }

  static constexpr std::size_t kIssues = static_cast<std::size_t>(Issue::dispatch_update) + 1;

  std::array<Seconds, kIssues> by_;  // what is not known, or nothing, takes none
};

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

std::optional<HostCosts> host_costs(const PredictOptions& options, const Gpu& gpu) {
  const HostCosts* server = server_costs(options);
  if (server == nullptr) return std::nullopt;
  const double ratio = launch_ratio(*server, options, gpu);
  HostCosts costs = *server;
  for (Seconds* cost : {&costs.forward, &costs.gradient, &costs.update, &costs.dispatch}) *cost *= ratio;
  return costs;
}

double host_ratio(const PredictOptions& options, const Gpu& gpu) {
  const HostCosts* server = server_costs(options);
  return server == nullptr ? 1 : launch_ratio(*server, options, gpu);
}

std::optional<AssumedHost> assumed_host(const PredictOptions& options, const Gpu& gpu) {
  const bool known = options.feeding != nullptr || options.host_single_thread || gpu.host_is_own;
  if (known || server_costs(options) == nullptr) return std::nullopt;
  return AssumedHost{gpu.host_single_thread};
}

std::string note_of(const AssumedHost& host) {
  if (!host.single_thread) return "a server as host; --host states another";
  return fmt::format("a host whose processor PassMark rates at {:.0f} (single thread); --host states another",
                     *host.single_thread);
}

Seconds serving_time(const PredictOptions& options, bool prompt, double sequences) {
  const HostCosts* costs = server_costs(options);
  if (costs == nullptr) return {};
  Seconds time = costs->step + costs->sequence * sequences;
  if (prompt) time += costs->request;
  return time;
}

Issue issue_of(const LayerEstimate& layer) {
  if (layer.kernels == 0) return Issue::nothing;
  return issue_of(layer.op, layer.function, layer.pass, layer.part, layer.general);
}

Issue issue_of(const LayerCall& call, StepPart part, bool general) {
  return issue_of(call.op, call.function, call.options.pass, part, general);
}

std::array<Seconds, 3> queue_times(const InOrder<LayerEstimate>& layers, const HostCosts& costs,
                                   const std::array<QueueScale, 3>& scales) {
  const IssueTimes times(costs);
  std::array<Queue, 3> queues;
  for (const LayerEstimate& layer : layers) {
    const Seconds issuing = times.of(layer);
    for (std::size_t i = 0; i < scales.size(); ++i) {
      queues[i].add(issuing * scales[i].host, layer.time * scales[i].gpu);
    }
  }
  return {queues[0].end(), queues[1].end(), queues[2].end()};
}

HostShare host_share(const InOrder<LayerEstimate>& layers, const HostCosts& costs, PhaseTimes* phases) {
  HostShare share;
  share.costs = costs;
  const IssueTimes times(costs);
  Queue queue;
  Seconds before;
  std::array<Seconds, static_cast<std::size_t>(StepPart::update) + 1> parts;
  for (const LayerEstimate& layer : layers) {
    const Seconds issuing = times.of(layer);
    share.gpu_busy += layer.time;
    share.issuing += issuing;
    queue.add(issuing, layer.time);
    parts[static_cast<std::size_t>(layer.part)] += queue.end() - before;
    before = queue.end();
  }
  share.waiting = queue.end() - share.gpu_busy;
  if (phases != nullptr) *phases = {parts[0], parts[1], parts[2]};
  return share;
}

PhaseTimes phase_times(const InOrder<LayerEstimate>& layers) {
  PhaseTimes times;
  host_share(layers, {}, &times);
  return times;
}

}  // namespace rooftile
