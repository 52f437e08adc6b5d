#include "rooftile/measure/cuda/device_query.hpp"

#include <cuda_runtime_api.h>
#include <string>

namespace rooftile::measure {
namespace {

// CUDA's versions are numbers: 13020 is 13.2.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error cannot(const std::string& why) { return {ErrorCode::unsupported, why, "rooftile-measure"}; }

Result<int> device_count() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorInsufficientDriver) {
    int driver = 0;
    int runtime = 0;
    static_cast<void>(cudaDriverGetVersion(&driver));
    static_cast<void>(cudaRuntimeGetVersion(&runtime));
    return tl::unexpected(cannot(driver == 0
                                     ? "no NVIDIA driver on this machine"
                                     : "the NVIDIA driver is for CUDA " + version_text(driver) + ", too old for CUDA " +
                                           version_text(runtime) + " that this program was built with"));
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
    return tl::unexpected(cannot("no NVIDIA GPU on this machine"));
  }
  if (code != cudaSuccess) {
    return tl::unexpected(cannot(std::string("looking for GPUs: ") + cudaGetErrorString(code)));
  }
  return count;
}

}  // namespace

Result<Device> use_device(int index) {
  const auto count = device_count();
  if (!count) {
    return tl::unexpected(count.error());
  }
  if (index < 0 || index >= *count) {
    return tl::unexpected(cannot("no GPU " + std::to_string(index) + "; there are 0 to " + std::to_string(*count - 1)));
  }
  cudaDeviceProp properties{};
  for (const cudaError_t code : {cudaSetDevice(index), cudaGetDeviceProperties(&properties, index)}) {
    if (code != cudaSuccess) {
      return tl::unexpected(cannot("GPU " + std::to_string(index) + ": " + cudaGetErrorString(code)));
    }
  }
  Device device;
  device.name = properties.name;
  device.sm_count = properties.multiProcessorCount;
  return device;
}

}  // namespace rooftile::measure
