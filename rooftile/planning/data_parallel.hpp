// A training step on several GPUs of one machine, each with its share of the batch: what is added to the step of one.
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
//     const AddedTime added = added_time(Seconds(0.1), Bytes(100e6), 8, gpu, *link_of(gpu, 8), Scaling::measured);
//     assert(added.time > added_time(Seconds(0.1), Bytes(100e6), 8, gpu, *link_of(gpu, 8), Scaling::links).time);
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

// How the step of several GPUs is predicted.
enum class Scaling {
  measured,  // fitted to training runs that were measured: what a framework loses too
  links,     // the all-reduce alone (collectives/), after the step: the least that software without overlap can lose
};
std::string_view name_of(Scaling scaling);

// The time that several GPUs add to a step, and its 90 % interval. `measured`: what held nine of ten rows of each
// network and GPU that the constants were fitted without; `links`: that of collective_time().
struct AddedTime {
  Seconds time;
  Interval range;
};

// `step`: of one GPU with its share of the batch; `gradients`: of all weights, as they are sent over the link, which
// joins as many GPUs.
AddedTime added_time(Seconds step, Bytes gradients, int gpus, const Gpu& gpu, const Link& link, Scaling scaling);

}  // namespace rooftile
