#include "rooftile/validate/estimate_row.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/clock_limit.hpp"
#include "rooftile/ops/pass_bytes.hpp"
#include "rooftile/plan/kernel_name.hpp"
#include "rooftile/validate/estimate_collective.hpp"
#include "rooftile/validate/estimate_network.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// What to blame where the method does not take the row.
const char* blamed_column(PredictOptions options, const Gpu& gpu) {
  options.pass = Pass::fwd;
  const auto forward = check(options, gpu);
  if (forward) return "column pass";
  return forward.error().code == ErrorCode::unsupported ? "column precision" : "--set";
}

// Weights that an optimiser updates after the gradients of a row.
struct WeightElements {
  double operator()(const Conv& conv) const { return pass_bytes(conv, Bytes(1), Pass::bwd_weight).write.value(); }
  double operator()(const Gemm& gemm) const { return pass_bytes(gemm, Bytes(1), Pass::bwd_weight).write.value(); }
  double operator()(const Recurrent& recurrent) const { return weights_of(recurrent); }
  template <class Op>
  double operator()(const Op&) const {
    return 0;
  }
};

// CTAs that shared a tile of C, where the row's grid tells: a GEMM for the FP32 lanes has batch x split along z.
std::optional<int> split_of(const LayerRow& row) {
  if (row.split_k > 0) return static_cast<int>(row.split_k);
  const auto* gemm = std::get_if<Gemm>(&row.op);
  if (gemm == nullptr || row.precision != DType::fp32 || !tile_of_kernel(row.kernel)) return std::nullopt;
  constexpr std::int64_t kMost = 1024;
  const std::int64_t split = row.grid[2] / gemm->batch;
  if (split < 1 || split > kMost || split * gemm->batch != row.grid[2]) return std::nullopt;
  return static_cast<int>(split);
}

// As what libraries write products of narrow types unless told otherwise: wide enough for their sums.
std::optional<DType> usual_result(const LayerRow& row) {
  if (!std::holds_alternative<Gemm>(row.op)) return std::nullopt;
  if (is_narrow_float(row.precision)) return kBesideNarrow;
  if (row.precision == DType::int8) return DType::int32;
  return std::nullopt;
}

}  // namespace

Result<const Gpu*> GpuCache::find(const std::string& name) {
  auto known = gpus_.find(name);
  if (known == gpus_.end()) known = gpus_.emplace(name, find_gpu(name)).first;
  if (!known->second) return tl::unexpected(known->second.error());
  return &*known->second;
}

Result<const Gpu*> GpuCache::find(const std::string& name, std::optional<Hertz> limit) {
  const Gpu* gpu = TRY(find(name));
  if (!limit || gpu->clock <= *limit) return gpu;
  const std::pair key(name, limit->value());
  auto known = limited_.find(key);
  if (known == limited_.end()) known = limited_.emplace(key, with_clock_limit(*gpu, *limit)).first;
  return &known->second;
}

void GpuCache::add(const Gpu& gpu) {
  gpus_.insert_or_assign(gpu.id, gpu);
  std::erase_if(limited_, [&](const auto& one) { return one.first.first == gpu.id; });
}

std::string framework_of(const LayerRow& row) {
  // Who names the kernel of a stream timed kernels, and not calls.
  if (std::holds_alternative<StreamLayer>(row.op) && !row.framework.empty() && !row.kernel.empty()) {
    return row.framework + "/" + row.kernel;
  }
  if (row.framework.empty() || row.kind.empty()) return row.framework;
  return row.framework + "/" + row.kind;
}

PredictOptions options_of(const LayerRow& row, PredictOptions options) {
  options.precision = row.precision;
  options.autocast = row.autocast;
  options.pass = passes_of(row.phase).front();
  options.accumulate = row.accumulate;
  options.result = row.output_precision ? row.output_precision : usual_result(row);
  options.nhwc = row.nhwc;
  options.framework = framework_of(row);
  if (!row.algorithm.empty()) options.plan.algorithm = row.algorithm;
  if (!row.kernel.empty()) options.plan.kernel = row.kernel;
  if (const std::optional<int> split = split_of(row)) options.plan.split_k = split;
  return options;
}

Result<LayerEstimate> estimate_row(const LayerRow& row, const PredictOptions& options, GpuCache& gpus) {
  if (row.gpu.empty()) return fail(ErrorCode::bad_input, "is empty; fill it or give --gpu", "column gpu");
  const auto gpu = gpus.find(row.gpu, row.sm_clock);
  if (!gpu) return fail(gpu.error().code, gpu.error().text(), "column gpu");
  PredictOptions own = options_of(row, options);
  if (const auto* network = std::get_if<NetworkRun>(&row.op)) return estimate_network(*network, row.phase, **gpu, own);
  if (const auto* collective = std::get_if<Collective>(&row.op)) return estimate_collective(*collective, **gpu, own);
  std::vector<LayerEstimate> passes;
  const double weights = std::visit(WeightElements{}, row.op);
  if (weights == 0 && row.phase == Phase::bwd_weight) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} has no weights; bwd_data has all its gradients", name_of(row.op)), "column pass");
  }
  for (const Pass pass : passes_of(row.phase)) {
    if (weights == 0 && pass == Pass::bwd_weight) continue;
    own.pass = pass;
    if (auto result = check(own, **gpu); !result) {
      return fail(result.error().code, result.error().message, blamed_column(own, **gpu));
    }
    passes.push_back(std::visit(
        [&](const auto& op) {
          if constexpr (std::is_same_v<decltype(op), const NetworkRun&> ||
                        std::is_same_v<decltype(op), const Collective&>)
            return LayerEstimate{};  // see above
          else
            return estimate(op, **gpu, own);
        },
        row.op));
  }
  if (row.phase == Phase::step && weights > 0) passes.push_back(estimate_update(weights, **gpu, own));
  return passes.size() == 1 ? std::move(passes.front()) : sum_of(passes);
}

}  // namespace rooftile
