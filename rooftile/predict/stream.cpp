#include "rooftile/predict/stream.hpp"

#include <algorithm>

#include "rooftile/predict/layer.hpp"
#include "rooftile/timing/stream.hpp"
#include "rooftile/timing/stream_kernel_time.hpp"

namespace rooftile {
namespace {

void add_plain(LayerEstimate& layer, const OperandBytes& bytes, const Gpu& gpu) {
  const StreamTiming timing = stream_time(bytes, layer.flops, gpu);
  add_kernel(layer, {.traffic = compulsory_traffic(bytes), .cases = timing.cases, .time = timing.time});
  layer.bottleneck = timing.bottleneck;
}

}  // namespace

void add_streams(LayerEstimate& layer, const Streams& streams, const Gpu& gpu, const PredictOptions& options,
                 RefinedModels& models) {
  if (streams.kernels.empty()) return;
  const RefinedModel* model =
      options.method == Method::rooftile ? models.find(RefinedOp::stream, gpu, options) : nullptr;
  if (model == nullptr) return add_plain(layer, streams.bytes, gpu);
  for (const StreamKernel& kernel : streams.kernels) {
    const StreamKernelTime time = stream_kernel_time(kernel, model->rates);
    KernelEstimate estimate{.traffic = time.traffic, .cases = time.cases, .time = time.time};
    if (!options.breakdown) {
      add_totals(layer, estimate);
      continue;
    }
    estimate.plan = kernel;
    add_kernel(layer, estimate);
  }
  // What a framework adds is that of a call; where none is named, each kernel is a launch.
  const Seconds floor = model->floor * (options.framework.empty() || options.in_network ? layer.kernels : 1);
  layer.cases[Bottleneck::launch] = std::max(layer.cases[Bottleneck::launch], floor);
  finish_refined(layer, *model, floor);
}

}  // namespace rooftile
