// Any method, one design at a time through estimate(): the slow path.
#pragma once

#include <vector>

#include "rooftile/explore/evaluator.hpp"

namespace rooftile {

class PredictEvaluator : public Evaluator {
 public:
  // `options` passed check().
  PredictEvaluator(std::vector<WeightedWorkload> workloads, Gpu base, PredictOptions options);

  const std::vector<LayerColumn>& layers() const override { return columns_; }
  bool reads(Parameter parameter) const override;
  DType precision() const override { return options_.precision; }
  void evaluate(const DesignBlock& block, OutcomeBlock& outcome) const override;

 private:
  struct Unique {
    std::size_t workload = 0, op = 0;
  };
  std::vector<WeightedWorkload> workloads_;
  Gpu base_;
  PredictOptions options_;
  std::vector<Unique> unique_;
  std::vector<LayerColumn> columns_;
};

}  // namespace rooftile
