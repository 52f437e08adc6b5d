// Any method, one design at a time, by the functions that predict() is made of.
#pragma once

#include <cstddef>
#include <vector>

#include "rooftile/explore/evaluator.hpp"
#include "rooftile/predict/call.hpp"

namespace rooftile {

class PredictEvaluator : public Evaluator {
 public:
  // `options` passed check().
  PredictEvaluator(const std::vector<WeightedWorkload>& workloads, Gpu base, const PredictOptions& options);

  const std::vector<LayerColumn>& layers() const override { return columns_; }
  bool reads(Parameter parameter) const override;
  DType precision() const override { return options_.precision; }
  void evaluate(const DesignBlock& block, OutcomeBlock& outcome) const override;

 private:
  Gpu base_;
  PredictOptions options_;
  DesignPoint before_;
  std::vector<LayerCall> calls_;  // one a column
  std::vector<LayerColumn> columns_;
};

}  // namespace rooftile
