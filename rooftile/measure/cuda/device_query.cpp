#include "rooftile/measure/cuda/device_query.hpp"

#include <ctime>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/measure/cuda/micro/nvml.hpp"

namespace rooftile::measure {
namespace {

// CUDA's versions are numbers: 13020 is 13.2.
std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

Error cannot(const std::string& why) { return {ErrorCode::unsupported, why, ""}; }

Result<int> device_count() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorInsufficientDriver) {
    int driver = 0;
    int runtime = 0;
    static_cast<void>(cudaDriverGetVersion(&driver));
    static_cast<void>(cudaRuntimeGetVersion(&runtime));
    if (driver == 0) return tl::unexpected(cannot("no NVIDIA driver on this machine"));
    return tl::unexpected(
        cannot(fmt::format("the NVIDIA driver is for CUDA {}, too old for CUDA {} that this program was built with",
                           version_text(driver), version_text(runtime))));
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
    return tl::unexpected(cannot("no NVIDIA GPU on this machine"));
  }
  if (code != cudaSuccess) return tl::unexpected(cannot(fmt::format("looking for GPUs: {}", cudaGetErrorString(code))));
  return count;
}

// What only NVML and the kernel module tell; where neither does, the CUDA version that the driver is for.
void describe_driver(Device& device) {
  int cuda = 0;
  static_cast<void>(cudaDriverGetVersion(&cuda));
  device.driver = fmt::format("for CUDA {}", version_text(cuda));
  std::string version;
  if (std::ifstream module("/sys/module/nvidia/version"); std::getline(module, version)) {
    device.driver = one_line(version, 40);
  }
  const auto nvml = Nvml::open_current();
  if (!nvml) return;
  if (const auto exact = nvml->driver_version()) device.driver = one_line(*exact, 40);
  device.power_limit = nvml->power_limit().value_or(Watts());
}

// The version of a library that this program is linked with, by the function that tells it; empty where it is not. Both
// count as major x 10000 + minor x 100 + patch from cuDNN 9 and cuBLAS 10.2 on.
std::string library_version(const char* function) {
  using Version = std::size_t (*)();
  const auto version = reinterpret_cast<Version>(::dlsym(RTLD_DEFAULT, function));
  if (version == nullptr) return {};
  const std::size_t number = version();
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

// 0 where the driver does not tell.
double attribute(int index, cudaDeviceAttr which) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return value;
}

Device describe(int index, const cudaDeviceProp& properties) {
  constexpr double kKilohertz = 1e3;
  Device device;
  device.name = one_line(properties.name);
  device.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  describe_driver(device);
  int runtime = 0;
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  device.cuda = version_text(runtime);
  device.cudnn = library_version("cudnnGetVersion");
  device.cublas = library_version("cublasLtGetVersion");
  device.date = today();
  device.sm_count = properties.multiProcessorCount;
  device.clock = Hertz(kKilohertz * attribute(index, cudaDevAttrClockRate));
  device.memory_clock = Hertz(kKilohertz * attribute(index, cudaDevAttrMemoryClockRate));
  device.bus_bits = attribute(index, cudaDevAttrGlobalMemoryBusWidth);
  device.memory = Bytes(static_cast<double>(properties.totalGlobalMem));
  device.l2 = Bytes(properties.l2CacheSize);
  device.smem_per_sm = Bytes(static_cast<double>(properties.sharedMemPerMultiprocessor));
  device.smem_per_cta = Bytes(static_cast<double>(properties.sharedMemPerBlockOptin));
  device.registers_per_sm = properties.regsPerMultiprocessor;
  device.threads_per_sm = properties.maxThreadsPerMultiProcessor;
  device.ctas_per_sm = properties.maxBlocksPerMultiProcessor;
  device.warp_size = properties.warpSize;
  device.ecc = properties.ECCEnabled != 0;
  return device;
}

}  // namespace

Result<Device> use_device(int index) {
  const auto count = device_count();
  if (!count) return tl::unexpected(count.error());
  if (index < 0 || index >= *count) {
    return tl::unexpected(cannot(fmt::format("no GPU {}; choose 0 to {}", index, *count - 1)));
  }
  cudaDeviceProp properties{};
  for (const cudaError_t code : {cudaSetDevice(index), cudaGetDeviceProperties(&properties, index)}) {
    if (code != cudaSuccess) {
      return tl::unexpected(cannot(fmt::format("GPU {}: {}", index, cudaGetErrorString(code))));
    }
  }
  return describe(index, properties);
}

}  // namespace rooftile::measure
