// Products that were estimated on a GPU before: predictions in one precision after another have most in common.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <unordered_map>

#include "rooftile/base/units.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/traffic/traffic.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

struct RefinedModel;

// What a kernel moves and takes, as KernelEstimate has it.
struct KernelNumbers {
  double launches = 1;
  Traffic traffic = {};
  TimeBounds cases = {};
  Seconds time = {};
};

// Of one GPU, under options that differ in nothing but the precision, or what follows from it, and the pass.
class KnownProducts {
 public:
  // Of that product; `is_new`: to be filled in.
  struct Found {
    KernelNumbers& numbers;
    bool is_new;
  };
  Found find(const Im2col& gemm, const RefinedModel& model, Pass pass) {
    const auto [at, is_new] = known_.try_emplace({gemm, &model, pass});
    return {at->second, is_new};
  }

 private:
  struct Key {
    Im2col gemm;
    const RefinedModel* model;
    Pass pass;

    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  std::pmr::monotonic_buffer_resource memory_;  // nothing is forgotten before the end
  std::pmr::unordered_map<Key, KernelNumbers, Hash> known_{&memory_};
};

}  // namespace rooftile
