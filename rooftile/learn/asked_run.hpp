// A run that a fitted model is asked about: a network on some GPUs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct AskedRun {
  const Workload* workload = nullptr;  // with one GPU's share of the batch; passed validate()
  const Gpu* gpu = nullptr;
  int gpus = 1;                                 // of one machine, that share the batch
  std::optional<std::int64_t> batch_size = {};  // of all GPUs together; none: `gpus` shares
  DType precision = DType::fp32;
  Phase phase = Phase::fwd;
  std::optional<std::int64_t> iterations = {};  // of the whole run
  // What tables say besides, by column: the framework, the name that the network has there, threads, …
  std::map<std::string, std::string> cells = {};

  std::int64_t batch_of_all() const { return batch_size.value_or(workload->batch_size * gpus); }
};

}  // namespace rooftile
