// A training step on several GPUs of one machine, each with its share of the batch: what is added to the step of one.
//
//     const Seconds time = all_reduce_time(Bytes(100e6), 8, BytesPerSecond(300e9));
//     assert(time > Seconds(0));
//     assert(all_reduce_time(Bytes(100e6), 1, BytesPerSecond(300e9)) == Seconds(0));
#pragma once

#include <string_view>

#include "rooftile/base/units.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// Time of a ring all-reduce over GPUs whose links carry `bandwidth` in one direction (Patarasuk and Yuan 2009: each GPU
// sends 2 (g-1)/g of the bytes in 2 (g-1) rounds), with the constants of docs/planning.md fitted to NCCL. Nothing for
// one GPU.
Seconds all_reduce_time(Bytes bytes, int gpus, BytesPerSecond bandwidth);

// How the step of several GPUs is predicted.
enum class Scaling {
  measured,  // fitted to training runs that were measured: what a framework loses too
  links,     // the all-reduce alone, after the step: the least that software without overlap can lose
};
std::string_view name_of(Scaling scaling);

// The time that several GPUs add to a step, and the interval that held nine of ten rows of each network and GPU that
// the constants were fitted without.
struct AddedTime {
  Seconds time;
  Interval range;
};

// `step`: of one GPU with its share of the batch; `gradients`: of all weights, as they are sent.
AddedTime added_time(Seconds step, Bytes gradients, int gpus, BytesPerSecond bandwidth, Scaling scaling);

}  // namespace rooftile
