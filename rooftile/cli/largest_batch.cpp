#include "rooftile/cli/largest_batch.hpp"

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/predict/largest_batch.hpp"
#include "rooftile/report/memory_fit.hpp"

namespace rooftile::cli {
namespace {

Result<Bytes> memory_at(std::int64_t batch, const std::string& model, ModelOptions sizes, const PredictOptions& options,
                        Phase phase) {
  sizes.batch_size = batch;
  const auto workload = TRY(load_model(model, sizes));
  return memory_of(run_as(workload, options, phase), options, phase).total();
}

}  // namespace

Result<std::int64_t> largest_batch_of(const std::string& model, ModelOptions sizes, const PredictOptions& options,
                                      Phase phase, const Gpu& gpu, double headroom) {
  const auto memory = [&](std::int64_t batch) { return memory_at(batch, model, sizes, options, phase); };
  return largest_batch(memory, capacity_of(gpu) * (1 - headroom));
}

Result<Workload> load_largest_batch(const std::string& model, ModelOptions sizes, const PredictOptions& options,
                                    Phase phase, const Gpu& gpu, double headroom) {
  if (model == "-") return fail(ErrorCode::usage, "a batch size is needed for standard input", "--batch-size");
  const auto largest = TRY(largest_batch_of(model, sizes, options, phase, gpu, headroom));
  if (largest == 0) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("one sample needs {} of memory, {} has {}", print(TRY(memory_at(1, model, sizes, options, phase))),
                    gpu.id, print(capacity_of(gpu) * (1 - headroom))),
        "--batch-size");
  }
  sizes.batch_size = largest;
  return load_model(model, sizes);
}

}  // namespace rooftile::cli
