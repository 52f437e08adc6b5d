#include "rooftile/learn/fitted_run.hpp"

#include "rooftile/predict/layer.hpp"

namespace rooftile {

void set_asked(FittedRun& prediction, const regression::FittedModel& model, const AskedRun& run) {
  prediction.model = run.workload->name;
  prediction.fitted = model.name;
  prediction.gpu = run.gpu->id;
  prediction.gpus = run.gpus;
  prediction.batch_size = run.batch_of_all();
  prediction.precision = run.precision;
  prediction.phase = run.phase;
  prediction.iterations = run.iterations;
  prediction.left_out = run.workload->skipped;
}

void set_layer(FittedLayer& layer, const Workload& workload, const Op& op, const regression::Predicted& predicted) {
  layer.name = op.name;
  layer.op = name_of(op.kind);
  layer.function = function_of(op.kind);
  layer.output = workload.tensors[op.outputs.front()].shape;
  layer.time = Seconds(predicted.value);
  if (predicted.low && predicted.high) {
    layer.time_low = Seconds(*predicted.low);
    layer.time_high = Seconds(*predicted.high);
  }
}

}  // namespace rooftile
