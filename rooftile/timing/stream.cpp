#include "rooftile/timing/stream.hpp"

namespace rooftile {

StreamTiming stream_time(const OperandBytes& bytes, Flops flops, const Gpu& gpu) {
  StreamTiming result;
  result.cases[Bottleneck::dram] = (bytes.read + bytes.write) / gpu.level("DRAM").bandwidth;
  result.cases[Bottleneck::compute] = flops / gpu.peak(Peak::fp32);
  result.cases[Bottleneck::launch] = gpu.launch_overhead;
  result.bottleneck = largest(result.cases);
  result.time = result.cases[result.bottleneck];
  return result;
}

}  // namespace rooftile
