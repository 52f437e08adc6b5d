#include "rooftile/cost/run_work.hpp"

namespace rooftile {

RunWork& RunWork::add(const RunWork& work, double times) {
  product_macs += work.product_macs * times;
  lane_macs += work.lane_macs * times;
  l1 += work.l1 * times;
  l2 += work.l2 * times;
  dram += work.dram * times;
  return *this;
}

RunWork work_of(const LayerEstimate& layer) {
  constexpr double kFlopsOfMac = 2;
  RunWork work;
  (layer.method == Method::stream ? work.lane_macs : work.product_macs) = layer.flops.value() / kFlopsOfMac;
  work.l1 = layer.traffic.l1.value();
  work.l2 = layer.traffic.l2.value();
  work.dram = layer.traffic.at_dram().value();
  return work;
}

}  // namespace rooftile
