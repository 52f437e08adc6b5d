// A network with all that no GPU changes worked out once, for whoever predicts it on many.
//
//     const auto network = PreparedNetwork::make(workload, {.precision = DType::fp16, .breakdown = false}, Phase::fwd);
//     for (const Gpu& gpu : gpus) fastest = std::min(fastest, network->on(gpu)->time);
#pragma once

#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/predict/phase_calls.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

class PreparedNetwork {
 public:
  // A workload that passed validate(), options that pass check(). The workload and what the options point at must
  // outlive it. Errors: options that the network cannot be run with on any GPU.
  static Result<PreparedNetwork> make(const Workload& workload, const PredictOptions& options, Phase phase);

  // As predict(). Without options.breakdown the layers have no names, and those that are alike are one. Any thread.
  // `models`: of the GPU and of the options' calibration, for whoever predicts on it in several precisions.
  Result<Prediction> on(const Gpu& gpu) const;
  Result<Prediction> on(const Gpu& gpu, RefinedModels& models) const;

  const MemoryUse& memory() const { return memory_; }

 private:
  PreparedNetwork(const Workload& workload, const PredictOptions& options, Phase phase);

  const Workload* workload_;
  PredictOptions options_;
  Phase phase_;
  std::string name_;
  MemoryUse memory_;
  PhaseCalls calls_;
  DType multiplied_ = DType::fp32;  // what most of the arithmetic runs in
  bool weighs_in_mxfp4_ = false;    // and whether it multiplies such weights
};

}  // namespace rooftile
