#include "rooftile/compare/busy.hpp"

namespace rooftile {

Seconds gpu_busy(const Prediction& prediction) {
  if (prediction.host) return prediction.host->gpu_busy;
  return prediction.time - (prediction.input ? prediction.input->waiting : Seconds(0));
}

Seconds cores_busy(const Prediction& prediction) {
  const Seconds issuing = prediction.host ? prediction.host->issuing : Seconds(0);
  return issuing / prediction.input->host_cores + prediction.input->cores;
}

}  // namespace rooftile
