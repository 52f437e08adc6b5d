#include "rooftile/cli/largest_batch.hpp"

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/predict/largest_batch.hpp"
#include "rooftile/report/memory_fit.hpp"

namespace rooftile::cli {

Result<Workload> load_largest_batch(const std::string& model, ModelOptions sizes, const PredictOptions& options,
                                    Phase phase, const Gpu& gpu, double headroom) {
  const Bytes capacity = capacity_of(gpu) * (1 - headroom);
  if (model == "-") return fail(ErrorCode::usage, "a batch size is needed for standard input", "--batch-size");
  const auto memory_at = [&](std::int64_t batch) -> Result<Bytes> {
    sizes.batch_size = batch;
    const auto workload = TRY(load_model(model, sizes));
    return memory_of(run_as(workload, options, phase), options, phase).total();
  };
  const auto largest = TRY(largest_batch(memory_at, capacity));
  if (largest == 0) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("one sample needs {} of memory, {} has {}", print(TRY(memory_at(1))), gpu.id, print(capacity)),
        "--batch-size");
  }
  sizes.batch_size = largest;
  return load_model(model, sizes);
}

}  // namespace rooftile::cli
