// A network's time by a grey-box model: convolutions and products as the harness of the fit runs them, one by one, and
// all other layers by method rooftile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/asked_run.hpp"
#include "rooftile/learn/fitted_run.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

struct GreyBoxLayerTime : FittedLayer {
  std::string pass;                       // "fwd"; of the grey box "step" too: all passes together
  bool fitted = false;                    // by the grey box; else by method rooftile
  std::optional<LayerEstimate> analytic;  // what else method rooftile says, of its layers
};

struct GreyBoxPrediction : FittedRun {
  double sm_count = 1;  // of the GPU
  Seconds fitted_time;  // the part of the time that is the grey box's
  std::vector<GreyBoxLayerTime> layers;
  std::vector<std::string> warnings;
};

// The sum of the layers' intervals, as interval_of() a Prediction.
std::optional<Interval> interval_of(const GreyBoxPrediction& prediction);

// On one GPU. Errors: a model of another kind; several GPUs; those of predict(); no layer of the network is of an
// operation and pass that the model was fitted to.
Result<GreyBoxPrediction> predict_by_grey_box(const regression::FittedModel& model, const AskedRun& run);

}  // namespace rooftile
