#include "rooftile/predict/loads_in_flight.hpp"

#include <algorithm>

#include "rooftile/execution/framework.hpp"

namespace rooftile {

bool has_few_loads(const Im2col& gemm, const PredictOptions& options) {
  constexpr double kRows = 8;  // MMVQ_MAX_BATCH_SIZE
  return gemm.m <= kRows && is_llama_cpp(options.framework);
}

GpuRates with_few_loads(GpuRates rates) {
  constexpr Bytes kLoad{4};
  constexpr double kThreads = 1024;  // of an SM
  const Seconds latency = rates.dram_latency / rates.clock;
  rates.dram = std::min(rates.dram, kLoad * (kThreads * rates.sms) / latency);
  if (rates.family == KernelFamily::gemm_simt) rates.constants[SimtGemmConstant::dram_efficiency] = 1;
  return rates;
}

}  // namespace rooftile
