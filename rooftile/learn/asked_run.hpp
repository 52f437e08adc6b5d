// A run that a fitted model is asked about: a network on some GPUs; and how far the fit had what it is of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/regression/fitted_model.hpp"
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

// What runs the network: as asked, or the only software of the fit; empty: not known.
std::string framework_of(const regression::FittedModel& model, const AskedRun& run);

// "GPU t4 is none of those of the fit: k80, p4".
std::string unseen_text(std::string_view what, std::string_view own, const std::vector<std::string>& of_fit);

// Warns of a GPU and of a precision that the fit had not; a fit that names none may have had any.
void warn_of_unseen(std::vector<std::string>& warnings, const regression::FittedModel& model, const AskedRun& run);

}  // namespace rooftile
