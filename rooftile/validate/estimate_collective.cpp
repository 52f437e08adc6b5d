#include "rooftile/validate/estimate_collective.hpp"

#include <fmt/format.h>

#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/execution/framework.hpp"

namespace rooftile {

Result<LayerEstimate> estimate_collective(Collective collective, const Gpu& gpu, const PredictOptions& options) {
  if (options.method != Method::rooftile) {
    return fail(ErrorCode::unsupported, fmt::format("method {} has no collectives", name_of(options.method)));
  }
  const auto link = link_of(gpu, collective.gpus);
  if (!link) {
    return fail(ErrorCode::unsupported, fmt::format("no link that joins {} x {} is known", collective.gpus, gpu.id));
  }
  collective.dtype = options.precision;
  collective.reads_peers = sums_in_own_kernels(options.framework);
  const CollectiveTime time = collective_time(collective, gpu, *link);
  LayerEstimate layer;
  layer.op = "collective";
  layer.function = name_of(collective.kind);
  layer.method = Method::rooftile;
  layer.time = time.time;
  layer.time_low = time.low;
  layer.time_high = time.high;
  layer.bottleneck = time.latency > time.transfer + time.copy ? Bottleneck::latency : Bottleneck::link;
  return layer;
}

}  // namespace rooftile
