#include "rooftile/explore/predict_evaluator.hpp"

#include <utility>
#include <variant>

#include "rooftile/predict/alike.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {

PredictEvaluator::PredictEvaluator(std::vector<WeightedWorkload> workloads, Gpu base, PredictOptions options)
    : workloads_(std::move(workloads)), base_(std::move(base)), options_(std::move(options)) {
  for (std::size_t w = 0; w < workloads_.size(); ++w) {
    WeightedWorkload& weighted = workloads_[w];
    weighted.workload = stored_as(std::move(weighted.workload), options_.precision);
    const std::vector<std::size_t> first = first_alike(weighted.workload);
    std::vector<std::size_t> column(first.size());  // of the first of each kind
    for (std::size_t o = 0; o < first.size(); ++o) {
      const Op& op = weighted.workload.ops[o];
      if (std::holds_alternative<View>(op.kind)) continue;
      if (weighted.convolutions_only && !std::holds_alternative<Conv>(op.kind)) continue;
      if (first[o] != o) {
        ++columns_[column[first[o]]].count;
        continue;
      }
      column[o] = columns_.size();
      unique_.push_back({w, o});
      columns_.push_back({weighted.workload.name, op.name, std::string(name_of(op.kind)), 1, weighted.weight});
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
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] != Unfit::none) continue;
    const Gpu gpu = with_design(base_, block.point(i));
    for (std::size_t u = 0; u < unique_.size(); ++u) {
      const Workload& workload = workloads_[unique_[u].workload].workload;
      const LayerEstimate layer = estimate(workload, workload.ops[unique_[u].op], gpu, options_);
      const double time = layer.time.value() * columns_[u].count * columns_[u].weight;
      outcome.time[i] += time;
      if (!outcome.work.empty()) outcome.work[i].add(work_of(layer), columns_[u].count * columns_[u].weight);
      outcome.shares[static_cast<std::size_t>(layer.bottleneck)][i] += time;
      if (!outcome.layers.empty()) outcome.layers[u * outcome.stride + i] = layer.time.value();
    }
  }
}

}  // namespace rooftile
