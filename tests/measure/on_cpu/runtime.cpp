#include "tests/measure/on_cpu/runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/measure/on_cpu/kernel.hpp"

// What the handles of CUDA's interface point to.
struct CUevent_st {
  double seconds = 0;
};
struct CUstream_st {};
struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};

namespace on_cpu {
namespace {

cudaError_t last_error = cudaSuccess;
bool lost = false;
constexpr double kLibraryCycles = 2000;  // of a kernel of a library: as long as a repeat, so that one run is enough
CUgraph_st* capturing = nullptr;
std::map<void*, std::size_t> allocated;
std::size_t allocated_bytes = 0;

cudaError_t done(cudaError_t code) {
  remember_error(code);
  return code;
}

}  // namespace

void queue(std::function<void()> work) {
  if (capturing != nullptr) {
    capturing->work.push_back(std::move(work));
  } else {
    work();
  }
}

bool queue_library(void* workspace, std::size_t workspace_bytes, std::function<void()> work) {
  if (lost || workspace == nullptr || workspace_bytes < kLibraryWorkspace) {
    return false;
  }
  queue([workspace, work = std::move(work)] {
    pass_cycles(kLibraryCycles);
    std::memset(workspace, 0xff, kLibraryWorkspace);
    work();
  });
  return true;
}

void remember_error(cudaError_t code) {
  if (code != cudaSuccess) {
    last_error = code;
  }
}

cudaError_t launch(std::function<void()> thread, const Config& config) {
  if (config.threads.x == 0 || config.threads.x > 1024 || config.blocks.x == 0) {
    return done(cudaErrorInvalidConfiguration);
  }
  // The GPU can be lost after so many launches.
  static const char* const last = std::getenv("ON_CPU_LAST_LAUNCH");
  static long launches = 0;
  lost = lost || (last != nullptr && ++launches > std::atol(last));
  if (lost) {
    return done(cudaErrorIllegalAddress);
  }
  if (config.shared_bytes > Model::l1_bytes) {
    return done(cudaErrorInvalidValue);
  }
  queue([thread = std::move(thread), config] {
    if (!run_kernel(thread, config)) {
      remember_error(cudaErrorInvalidPtx);
    }
  });
  return cudaSuccess;
}

}  // namespace on_cpu

using on_cpu::Model;

// A lost GPU's error is not cleared.
cudaError_t cudaGetLastError() {
  return on_cpu::lost ? cudaErrorIllegalAddress : std::exchange(on_cpu::last_error, cudaSuccess);
}
const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "out of memory" : "an error";
}
const char* cudaGetErrorName(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "another";
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int) {
  std::snprintf(id, static_cast<std::size_t>(length), "0000:00:00.0");
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "Model of a GPU");
  properties->major = Model::major;
  properties->minor = Model::minor;
  properties->multiProcessorCount = Model::sms;
  properties->totalGlobalMem = Model::memory_bytes;
  properties->l2CacheSize = Model::l2_bytes;
  properties->sharedMemPerMultiprocessor = Model::l1_bytes;
  properties->sharedMemPerBlockOptin = Model::l1_bytes;
  properties->regsPerMultiprocessor = Model::registers_per_sm;
  properties->maxThreadsPerMultiProcessor = Model::threads_per_sm;
  properties->maxBlocksPerMultiProcessor = 16;
  properties->warpSize = 32;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = Model::sms;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = Model::major;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = Model::minor;
      return cudaSuccess;
    case cudaDevAttrL2CacheSize:
      *value = Model::l2_bytes;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = Model::l1_bytes;
      return cudaSuccess;
    case cudaDevAttrClockRate:
      *value = static_cast<int>(Model::hertz / 1e3);
      return cudaSuccess;
    case cudaDevAttrMemoryClockRate:
      *value = static_cast<int>(Model::hertz / 1e3);
      return cudaSuccess;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = static_cast<int>(Model::dram_rate * 8 / 2);
      return cudaSuccess;
    default:
      return on_cpu::done(cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = Model::memory_bytes;
  *free = Model::memory_bytes - on_cpu::allocated_bytes;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (bytes > Model::memory_bytes - on_cpu::allocated_bytes) {
    return on_cpu::done(cudaErrorMemoryAllocation);
  }
  constexpr std::size_t kAlignment = 256;
  if (::posix_memalign(memory, kAlignment, bytes) != 0) {
    return on_cpu::done(cudaErrorMemoryAllocation);
  }
  std::memset(*memory, 0xff, bytes);  // NaNs: nobody may count on zeros
  on_cpu::allocated[*memory] = bytes;
  on_cpu::allocated_bytes += bytes;
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  const auto found = on_cpu::allocated.find(memory);
  if (found == on_cpu::allocated.end()) {
    return on_cpu::done(cudaErrorInvalidValue);
  }
  on_cpu::allocated_bytes -= found->second;
  on_cpu::allocated.erase(found);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  on_cpu::queue([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  on_cpu::queue([=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
// Errors of a launch that was refused are cudaGetLastError()'s alone.
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  if (on_cpu::capturing != nullptr) {
    return on_cpu::done(cudaErrorStreamCaptureUnsupported);
  }
  return on_cpu::lost ? cudaErrorIllegalAddress : cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaStreamSynchronize(nullptr); }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  on_cpu::queue([=] { event->seconds = on_cpu::now_seconds(); });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return on_cpu::lost ? cudaErrorIllegalAddress : cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = static_cast<float>((end->seconds - begin->seconds) * 1e3);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  on_cpu::capturing = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = std::exchange(on_cpu::capturing, nullptr);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& work : executable->work) {
    work();
  }
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->ptxVersion = 10 * Model::major + Model::minor;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, const void*, int threads, std::size_t) {
  *ctas = static_cast<int>(Model::threads_per_sm) / threads;
  return cudaSuccess;
}
