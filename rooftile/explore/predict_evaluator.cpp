#include "rooftile/explore/predict_evaluator.hpp"

#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/predict/phase_calls.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

// An SM holds a CTA of the libraries' narrowest tile at least; a roofline has no CTAs.
Unfit unfit_of_sm(const SmLimits& sm, Method method) {
  constexpr double kNarrow = 32;
  return method == Method::roofline ? Unfit::none : unfit_of(delta_kernel(kNarrow), sm);
}

}  // namespace

PredictEvaluator::PredictEvaluator(const std::vector<WeightedWorkload>& workloads, Gpu base,
                                   const PredictOptions& options)
    : base_(std::move(base)), options_(options), before_(design_of(base_)) {
  base_.facts.clear();  // which no estimate reads, so that a copy is cheap
  base_.note.clear();
  RefinedModels models;  // of the GPU as it is
  for (const WeightedWorkload& weighted : workloads) {
    const Workload run = run_as(weighted.workload, options, weighted.phase);
    PhaseCalls step = phase_calls(run, network_options(options), weighted.phase);
    std::vector<std::optional<std::size_t>> column(step.calls.size());
    for (PhaseCalls::Layer& layer : step.layers) {
      if (column[layer.call]) {
        ++columns_[*column[layer.call]].count;
        continue;
      }
      LayerCall& call = step.calls[layer.call];
      if (std::holds_alternative<std::monostate>(call.work)) continue;
      if (weighted.convolutions_only && call.op != "conv") continue;
      column[layer.call] = columns_.size();
      const Pass pass = call.options.pass;
      if (pass != Pass::fwd) layer.name += fmt::format(" {}", name_of(pass));
      columns_.push_back({weighted.workload.name, std::move(layer.name), call.op, 1, weighted.weight});
      plan_ahead(call, base_, models);
      call.options.breakdown = false;
      call.name.clear();
      call.output.clear();
      calls_.push_back(std::move(call));
    }
  }
}

bool PredictEvaluator::reads(Parameter parameter) const {
  switch (parameter) {
    case Parameter::cta_tile:
      return false;
    case Parameter::l1_capacity:
    case Parameter::l2_capacity:
      return options_.method == Method::rooftile;
    case Parameter::tensor_mac_per_sm: {
      const auto unit = matrix_unit(options_.precision, base_);
      return unit && *unit >= Peak::tensor_tf32;
    }
    case Parameter::sm_count:
    case Parameter::mac_per_sm:
    case Parameter::clock:
    case Parameter::dram_bandwidth:
      return true;
    default:  // a roofline has arithmetic and DRAM alone
      return options_.method != Method::roofline;
  }
}

void PredictEvaluator::evaluate(const DesignBlock& block, OutcomeBlock& outcome) const {
  Gpu gpu;
  LayerEstimate layer;
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] != Unfit::none) continue;
    gpu = base_;
    write_design(gpu, before_, block.point(i));
    outcome.unfit[i] = unfit_of_sm(gpu.sm, options_.method);
    if (outcome.unfit[i] != Unfit::none) continue;
    RefinedModels models;
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      estimate(calls_[c], gpu, models, layer);
      const double count = columns_[c].count * columns_[c].weight;
      const double time = layer.time.value() * count;
      outcome.time[i] += time;
      if (!outcome.work.empty()) outcome.work[i].add(work_of(layer), count);
      outcome.shares[static_cast<std::size_t>(layer.bottleneck)][i] += time;
      if (!outcome.layers.empty()) outcome.layers[c * outcome.stride + i] = layer.time.value();
    }
  }
}

}  // namespace rooftile
