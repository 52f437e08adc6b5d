#include "rooftile/explore/evaluator.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/explore/delta_batch.hpp"
#include "rooftile/explore/predict_evaluator.hpp"

namespace rooftile {
namespace {

Result<std::unique_ptr<const Evaluator>> delta_evaluator(const DesignSpace& space,
                                                         const std::vector<WeightedWorkload>& workloads,
                                                         const PredictOptions& options) {
  std::vector<UniqueLayer> layers;
  for (const WeightedWorkload& weighted : workloads) {
    if (weighted.phase != Phase::fwd) {
      return fail(ErrorCode::unsupported,
                  fmt::format("method delta takes pass fwd only, not {}; rooftile and roofline take every pass",
                              name_of(weighted.phase)),
                  weighted.workload.name);
    }
    auto own =
        TRY(unique_layers(run_as(weighted.workload, options, Phase::fwd), weighted.weight, weighted.convolutions_only));
    std::move(own.begin(), own.end(), std::back_inserter(layers));
  }
  return std::make_unique<const DeltaBatch>(std::move(layers), space.base);
}

}  // namespace

Result<std::unique_ptr<const Evaluator>> make_evaluator(const DesignSpace& space,
                                                        const std::vector<WeightedWorkload>& workloads,
                                                        const PredictOptions& options) {
  TRY(check(options, space.base));
  if (options.method == Method::delta && !options.plan.tile && !options.plan.active_ctas_per_sm) {
    return delta_evaluator(space, workloads, options);
  }
  for (const WeightedWorkload& weighted : workloads) {
    for (const Pass pass : passes_of(weighted.phase)) {
      PredictOptions own = options;
      own.pass = pass;
      TRY(check(own, space.base));
    }
    TRY(check(weighted.workload, options, space.base, weighted.phase));
  }
  for (const DesignAxis& axis : space.axes) {
    if (axis.parameter == Parameter::cta_tile) {
      return fail(ErrorCode::unsupported, fmt::format("cta_tile is an axis of method delta; {} chooses its own tiles",
                                                      name_of(options.method)));
    }
  }
  for (const WeightedWorkload& weighted : workloads) {
    const bool any = std::any_of(weighted.workload.ops.begin(), weighted.workload.ops.end(),
                                 [](const Op& op) { return std::holds_alternative<Conv>(op.kind); });
    if (weighted.convolutions_only && !any) {
      return fail(ErrorCode::bad_input, "has no convolution", weighted.workload.name);
    }
  }
  return std::make_unique<const PredictEvaluator>(workloads, space.base, options);
}

}  // namespace rooftile
