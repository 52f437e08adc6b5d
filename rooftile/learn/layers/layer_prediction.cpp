#include "rooftile/learn/layers/layer_prediction.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/learn/layers/layer_model.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

using regression::FittedModel;

Result<void> check(const FittedModel& model, Phase phase) {
  if (model.kind != kLayersKind) {
    return fail(ErrorCode::unsupported, fmt::format("a fitted model of kind '{}' has no time of each layer; one of "
                                                    "kind '{}' has",
                                                    one_line(model.kind), kLayersKind));
  }
  if (phase == Phase::bwd_data || phase == Phase::bwd_weight) {
    return fail(ErrorCode::unsupported,
                fmt::format("a per-layer model predicts all gradients of a layer together: use pass bwd, not {}",
                            name_of(phase)));
  }
  if (model.fitted_on.gpus.size() != 1) {
    return fail(ErrorCode::bad_input, fmt::format("a per-layer model is for one GPU, but '{}' names {}",
                                                  one_line(model.name), model.fitted_on.gpus.size()));
  }
  return {};
}

DType precision_of(const FittedModel& model) {
  const auto& precisions = model.fitted_on.precisions;
  const auto precision = precisions.size() == 1 ? parse_dtype(precisions.front()) : std::nullopt;
  return precision.value_or(DType::fp32);
}

class LayerByLayer {
 public:
  LayerByLayer(const FittedModel& model, const Workload& workload, LayersPrediction& prediction)
      : model_(model), workload_(workload), prediction_(prediction) {}

  Result<void> run() {
    const Phase phase = prediction_.phase;
    if (phase != Phase::bwd) {
      for (const Op& op : workload_.ops) {
        TRY(add(op, LayerDirection::forward));
      }
    }
    if (phase != Phase::fwd) {
      for (auto op = workload_.ops.rbegin(); op != workload_.ops.rend(); ++op) {
        TRY(add(*op, LayerDirection::backward));
      }
    }
    if (phase == Phase::step) prediction_.left_out.push_back({"weights", "update"});
    return {};
  }

  // Whether that is why any layer was left out.
  bool below_zero() const { return below_zero_; }

 private:
  bool is_free(const Op& op) const {
    const auto* view = std::get_if<View>(&op.kind);
    return view != nullptr && !(is_dropout(*view) && prediction_.phase != Phase::fwd);
  }

  void leave_out(const Op& op, LayerDirection direction, std::string why) {
    const std::string pass = direction == LayerDirection::backward ? " bwd" : "";
    prediction_.left_out.push_back({op.name + pass, std::move(why)});
  }

  Result<void> add(const Op& op, LayerDirection direction) {
    if (is_free(op)) return {};
    const auto complexity = complexity_of(workload_, op);
    std::optional<regression::Predicted> predicted;
    if (complexity) {
      auto found = TRY(predict_layer(model_, *complexity, direction));
      predicted = std::move(found);
    }
    if (!predicted) {
      const std::string function = function_of(op.kind);
      leave_out(op, direction, function.empty() ? std::string(name_of(op.kind)) : function);
    } else if (!(predicted->value > 0)) {
      below_zero_ = true;
      leave_out(op, direction, fmt::format("{} of a time below zero", name_of(complexity->category)));
    } else {
      FittedLayerTime layer;
      set_layer(layer, workload_, op, *predicted);
      layer.direction = direction;
      layer.category = complexity->category;
      layer.complexity = complexity->of(direction);
      layer.extrapolated = std::any_of(predicted->warnings.begin(), predicted->warnings.end(),
                                       [](const regression::FitWarning& warning) {
                                         return warning.kind == regression::FitWarning::Kind::extrapolation;
                                       });
      prediction_.time += layer.time;
      prediction_.layers.push_back(std::move(layer));
    }
    return {};
  }

  const FittedModel& model_;
  const Workload& workload_;
  LayersPrediction& prediction_;
  bool below_zero_ = false;
};

}  // namespace

std::optional<Interval> interval_of(const LayersPrediction& prediction) {
  if (prediction.layers.empty()) return {};
  Interval interval;
  for (const FittedLayerTime& layer : prediction.layers) {
    if (!layer.time_low || !layer.time_high) return {};
    interval.low += *layer.time_low;
    interval.high += *layer.time_high;
  }
  return interval;
}

std::vector<std::string> warnings_of(const LayersPrediction& prediction) {
  const auto beyond = std::count_if(prediction.layers.begin(), prediction.layers.end(),
                                    [](const FittedLayerTime& layer) { return layer.extrapolated; });
  if (beyond == 0) return {};
  return {fmt::format("{} of {} times extrapolate: more or fewer operations than any layer in the fit", beyond,
                      prediction.layers.size())};
}

Result<LayersPrediction> predict_by_layers(const FittedModel& model, const Workload& workload, Phase phase) {
  TRY(check(model, phase));
  const auto gpu = TRY(find_gpu(model.fitted_on.gpus.front()));
  LayersPrediction prediction;
  prediction.precision = precision_of(model);
  prediction.model = workload.name;
  prediction.fitted = model.name;
  prediction.gpu = gpu.id;
  prediction.batch_size = workload.batch_size;
  prediction.phase = phase;
  prediction.memory = memory_use(stored_as(workload, prediction.precision), phase);
  prediction.left_out = workload.skipped;
  LayerByLayer layers(model, workload, prediction);
  TRY(layers.run());
  if (prediction.layers.empty() && layers.below_zero()) {
    return fail(ErrorCode::unsupported, "the fitted model gives every layer that it covers a time of zero or less");
  }
  if (prediction.layers.empty()) {
    return fail(ErrorCode::unsupported,
                fmt::format("the fitted model covers no layer of this network in pass {}", name_of(phase)));
  }
  return prediction;
}

}  // namespace rooftile
