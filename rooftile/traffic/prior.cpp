#include "rooftile/traffic/prior.hpp"

namespace rooftile {

DeltaTraffic prior_traffic(const Im2col& gemm, const Plan& plan, Bytes l1_request, double l1_miss, double l2_miss) {
  const DeltaTraffic delta = delta_traffic(gemm, plan, l1_request);
  DeltaTraffic prior;
  prior.request_ratio = delta.request_ratio;
  prior.mli_ifmap = delta.mli_ifmap;
  prior.mli_filter = delta.mli_filter;
  prior.l1_per_loop = delta.l1_per_loop;
  prior.l2_per_loop = prior.l1_per_loop * l1_miss;
  prior.dram_per_loop = prior.l2_per_loop * l2_miss;
  prior.total = delta.total;
  prior.total.l2 = prior.total.l1 * l1_miss;
  prior.total.dram = prior.total.l2 * l2_miss;
  return prior;
}

}  // namespace rooftile
