// A training step on several GPUs of one machine, each with its share of the batch: what is added to the step of one.
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
//     const AddedTime added = added_time(Seconds(0.1), Bytes(100e6), 8, gpu, *link_of(gpu, 8), Scaling::links);
//     assert(added.time < added_time(Seconds(0.1), Bytes(100e6), 8, gpu, *link_of(gpu, 8), Scaling::host_memory).time);
#pragma once

#include <string_view>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/gpu/link.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Bytes of all gradients, each as its weight is stored.
Bytes gradient_bytes(const Workload& stored);

// How the gradients travel.
enum class Scaling {
  links,        // over the boards' links
  host_memory,  // through the host's memory, where GPUs may not reach one another's (host_memory_link())
};
std::string_view name_of(Scaling scaling);  // "host-memory"

// The time that several GPUs add to a step: the all-reduce of its gradients after it, and what replicas lose to the
// slowest of them (parallel/replica_loss.hpp). The interval held nine of ten measured runs (docs/planning.md).
struct AddedTime {
  Seconds time;
  Interval range;
};

// `step`: of one GPU with its share of the batch; `gradients`: of all weights, as they are sent over the link, which
// joins as many GPUs.
AddedTime added_time(Seconds step, Bytes gradients, int gpus, const Gpu& gpu, const Link& link, Scaling scaling);

}  // namespace rooftile
