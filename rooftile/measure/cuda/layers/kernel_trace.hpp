// Which kernels ran, as CUPTI's activity records tell it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rooftile/measure/layer_runner.hpp"
#include "rooftile/measure/refused.hpp"

namespace rooftile::measure {

// The kernels of `run`, which queues work and waits for it, in the order in which they began. Where CUPTI is not there
// or may not look, `run` does not run, `why_not` says why in one line and the list is empty.
Outcome<std::vector<KernelRun>> trace_kernels(const std::function<Outcome<void>()>& run, std::string& why_not);

}  // namespace rooftile::measure
