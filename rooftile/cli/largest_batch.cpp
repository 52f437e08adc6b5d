#include "rooftile/cli/largest_batch.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/execution/launched.hpp"
#include "rooftile/report/memory_fit.hpp"

namespace rooftile::cli {

Result<Workload> load_largest_batch(const std::string& model, ModelOptions sizes, const PredictOptions& options,
                                    Phase phase, const Gpu& gpu) {
  constexpr std::int64_t kMost = 1 << 20;
  if (model == "-") return fail(ErrorCode::usage, "a batch size is needed for standard input", "--batch-size");
  std::int64_t fitting = 0;
  std::int64_t beyond = kMost + 1;
  Workload largest;
  for (std::int64_t batch = 1; beyond - fitting > 1;) {
    sizes.batch_size = batch;
    auto workload = TRY(load_model(model, sizes));
    const MemoryUse memory = memory_of(run_as(workload, options, phase), options, phase);
    if (fits(memory, gpu)) {
      fitting = batch;
      largest = std::move(workload);
    } else {
      beyond = batch;
      if (batch == 1) {
        return fail(ErrorCode::unsupported,
                    fmt::format("one sample needs {} of memory, {} has {}", print(memory.total()), gpu.id,
                                print(gpu.level("DRAM").capacity)),
                    "--batch-size");
      }
    }
    batch = beyond > kMost ? std::min(kMost, fitting * 2) : (fitting + beyond) / 2;
    if (fitting == kMost) break;
  }
  return largest;
}

}  // namespace rooftile::cli
