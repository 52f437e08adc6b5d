// The queue between host and GPU: the host issues operators one after another, the GPU runs what has been issued.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "rooftile/calibration/host.hpp"
#include "rooftile/predict/call.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// What the host of a GPU costs a network that is run with these options: the one that is told, else the one that GPUs
// of its kind are found beside. None where it costs nothing, or is not known.
std::optional<HostCosts> host_costs(const PredictOptions& options, const Gpu& gpu);

// Of a task of one of its cores, the time of that host over a server's.
double host_ratio(const PredictOptions& options, const Gpu& gpu);

// None where a host is told or none counts.
std::optional<AssumedHost> assumed_host(const PredictOptions& options, const Gpu& gpu);

// As a note of a prediction: "a server as host; --host states another".
std::string note_of(const AssumedHost& host);

// What a server's host does beside the kernels of a pass of so many sequences, a prompt's or a step's.
Seconds serving_time(const PredictOptions& options, bool prompt, double sequences);

// By what a layer is and when it runs; LayerEstimate::issue keeps it for whoever asks more than once. Of a call: where
// it launches anything.
Issue issue_of(const LayerEstimate& layer);
Issue issue_of(const LayerCall& call, StepPart part, bool general);

// Layers in the order in which they are issued; those that launch nothing cost nothing. `phases`, unless null, become
// phase_times() of the same.
HostShare host_share(const InOrder<LayerEstimate>& layers, const HostCosts& costs, PhaseTimes* phases = nullptr);

// Until the last kernel has ended, where each kernel takes a share of its time, and each call of the host one of its;
// three at once.
struct QueueScale {
  double gpu = 1, host = 1;
};
std::array<Seconds, 3> queue_times(const InOrder<LayerEstimate>& layers, const HostCosts& costs,
                                   const std::array<QueueScale, 3>& scales);

// From the end of the part before to the end of its last kernel, each part of a step, whose host takes no time.
PhaseTimes phase_times(const InOrder<LayerEstimate>& layers);

}  // namespace rooftile
