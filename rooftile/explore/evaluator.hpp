// Blocks of designs in, blocks of times out, by any method.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/design_block.hpp"
#include "rooftile/explore/space.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// What a column of layer times stands for.
struct LayerColumn {
  std::string workload, name, op;
  double count = 1;   // layers of the workload that take this time each
  double weight = 1;  // of the workload
};

// Thread-safe: evaluate() changes nothing.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const std::vector<LayerColumn>& layers() const = 0;

  // Whether a parameter can have an effect on times.
  virtual bool reads(Parameter parameter) const = 0;
  // Of the products.
  virtual DType precision() const = 0;

  // Times, and the work where `outcome` has room for it. Designs whose `unfit` is set already are left alone.
  virtual void evaluate(const DesignBlock& block, OutcomeBlock& outcome) const = 0;
};

// A workload that the designs run, loaded.
struct WeightedWorkload {
  Workload workload;
  double weight = 1;
  bool convolutions_only = false;
  Phase phase = Phase::fwd;
};

// The fast one for method delta, predict() for any other. Errors: a workload without layers, a method that cannot be
// asked of this GPU or space.
Result<std::unique_ptr<const Evaluator>> make_evaluator(const DesignSpace& space,
                                                        const std::vector<WeightedWorkload>& workloads,
                                                        const PredictOptions& options);

}  // namespace rooftile
