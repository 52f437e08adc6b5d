// Streaming operators.
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/timing/stream.hpp"

namespace rooftile {

LayerEstimate estimate(const StreamLayer& stream, const Gpu& gpu, const PredictOptions& options) {
  LayerEstimate layer = empty_layer("stream", Method::stream);
  layer.function = name_of(stream.kind);
  layer.pass = options.pass;
  if (options.pass == Pass::bwd_weight) return layer;
  layer.flops = flops(stream);
  const OperandBytes bytes = operand_bytes(stream, size_of(options.precision));
  const StreamTiming timing = stream_time(bytes, layer.flops, gpu);
  layer.cases = timing.cases;
  layer.bottleneck = timing.bottleneck;
  layer.time = timing.time;
  layer.kernels = 1;
  layer.traffic = compulsory_traffic(bytes);
  return layer;
}

}  // namespace rooftile
