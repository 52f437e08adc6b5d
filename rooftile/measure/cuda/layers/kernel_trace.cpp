#include "rooftile/measure/cuda/layers/kernel_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cupti.h>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <utility>

namespace rooftile::measure {
namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

struct Started {
  std::uint64_t begin = 0;
  KernelRun kernel;
};

// CUPTI calls back without a user's pointer, from a thread of its own.
struct Records {
  std::mutex mutex;
  std::vector<Started> kernels;
};

Records& records() {
  static auto* const all = new Records;  // never destroyed: CUPTI may call back while the process ends
  return *all;
}

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::string demangled(const char* name) {
  if (name == nullptr) {
    return {};
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string(name);
}

Started read(const KernelRecord& record) {
  Started started;
  started.begin = record.start;
  started.kernel.name = demangled(record.name);
  started.kernel.grid = {record.gridX, record.gridY, record.gridZ};
  started.kernel.block = {record.blockX, record.blockY, record.blockZ};
  started.kernel.registers = record.registersPerThread;
  started.kernel.smem_bytes = static_cast<double>(record.staticSharedMemory) + record.dynamicSharedMemory;
  started.kernel.duration_us = static_cast<double>(record.end - record.start) * 1e-3;
  return started;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  // Records are aligned to 8 bytes (ACTIVITY_RECORD_ALIGNMENT), which malloc gives.
  *buffer = static_cast<std::uint8_t*>(std::malloc(kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer, std::size_t /*size*/,
                          std::size_t valid) {
  CUpti_Activity* record = nullptr;
  const std::lock_guard lock(records().mutex);
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
      records().kernels.push_back(read(*reinterpret_cast<const KernelRecord*>(record)));
    }
  }
  std::free(buffer);
}

std::string explain(CUptiResult result) {
  const char* text = nullptr;
  static_cast<void>(cuptiGetResultString(result, &text));
  return std::string("kernels are not listed: CUPTI says ") + (text == nullptr ? "nothing" : text);
}

CUptiResult start() {
  const CUptiResult registered = cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  return registered == CUPTI_SUCCESS ? cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) : registered;
}

std::vector<Started> take_all() {
  const std::lock_guard lock(records().mutex);
  return std::exchange(records().kernels, {});
}

}  // namespace

Outcome<std::vector<KernelRun>> trace_kernels(const std::function<Outcome<void>()>& run, std::string& why_not) {
  if (const CUptiResult started = start(); started != CUPTI_SUCCESS) {
    why_not = explain(started);
    return std::vector<KernelRun>();
  }
  static_cast<void>(take_all());
  const Outcome<void> done = run();
  static_cast<void>(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  static_cast<void>(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  if (!done) {
    return tl::unexpected(done.error());
  }
  std::vector<Started> found = take_all();
  std::sort(found.begin(), found.end(), [](const Started& a, const Started& b) { return a.begin < b.begin; });
  std::vector<KernelRun> kernels;
  for (Started& started : found) {
    kernels.push_back(std::move(started.kernel));
  }
  return kernels;
}

}  // namespace rooftile::measure
