// What every microbenchmark needs: memory, launches, times, and one place where the first failure is kept, so that a
// benchmark reads as the steps that it takes. After a failure each step does nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "rooftile/measure/cuda/handles.hpp"
#include "rooftile/measure/cuda/micro/micro.hpp"

namespace rooftile::measure {

// What the benchmarks size themselves by, as CUDA reports it.
struct Chip {
  int sm_count = 0;
  int major = 0;  // of the compute capability
  int minor = 0;
  std::size_t l2_bytes = 0;
  std::size_t smem_per_sm_bytes = 0;   // about the capacity of the L1, which is in the same memory
  std::size_t smem_per_cta_bytes = 0;  // the most, asked for by name
  std::size_t free_bytes = 0;

  int compute_capability() const { return 10 * major + minor; }
};

// How long a kernel's first thread ran, in cycles of its SM and by the GPU's global timer.
struct Span {
  std::int64_t cycles = 0;
  std::int64_t nanoseconds = 0;
};

struct Grid {
  int ctas = 1;
  int threads = 1;  // a CTA
  std::size_t smem_bytes = 0;
};

class Bench {
 public:
  Bench(std::string name, const MicroOptions& options);

  // False once something failed or the user wants to stop.
  bool go() const { return !refused_ && !(options_.stop && options_.stop()); }
  void refuse(Refusal why, std::string message);
  const std::optional<Refused>& refused() const { return refused_; }
  // Keeps the first failure.
  void need(const Outcome<void>& outcome);

  const Chip& chip() const { return chip_; }
  const MicroOptions& options() const { return options_; }
  int repeats() const { return options_.repeats; }
  cudaStream_t stream() const { return stream_.get(); }
  // Where a kernel leaves its span.
  Span* span() const { return span_; }

  // Freed with the bench. Null after a failure.
  template <class T>
  T* allocate(std::size_t count) {
    void* memory = allocate_bytes(count * sizeof(T));
    return static_cast<T*>(memory);
  }
  template <class T>
  void upload(T* to, const std::vector<T>& from) {
    copy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  // Zeros after a failure.
  template <class T>
  std::vector<T> download(const T* from, std::size_t count) {
    std::vector<T> to(count);
    copy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
  }
  void clear(void* memory, std::size_t bytes);

  template <class... Parameters, class... Arguments>
  void launch(std::string_view what, void (*kernel)(Parameters...), Grid grid, Arguments... arguments) {
    if (refused_) {
      return;
    }
    if (grid.smem_bytes > 48 * 1024) {  // more has to be asked for by name
      need(check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.smem_bytes)),
                 what));
    }
    std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
    std::apply(
        [&](auto&... value) {
          void* pointers[] = {&value...};
          need(check(
              cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(grid.ctas)),
                               dim3(static_cast<unsigned>(grid.threads)), pointers, grid.smem_bytes, stream_.get()),
              what));
        },
        values);
  }
  // Gives a kernel as much L1, or as much shared memory, as there can be.
  template <class... Parameters>
  void prefer_l1(void (*kernel)(Parameters...)) {
    carve_out(reinterpret_cast<const void*>(kernel), cudaSharedmemCarveoutMaxL1);
  }
  template <class... Parameters>
  void prefer_smem(void (*kernel)(Parameters...)) {
    carve_out(reinterpret_cast<const void*>(kernel), cudaSharedmemCarveoutMaxShared);
  }
  // CTAs of so many threads that fill the GPU with this kernel.
  template <class... Parameters>
  int full_grid(void (*kernel)(Parameters...), int threads) {
    return ctas_per_sm(reinterpret_cast<const void*>(kernel), threads) * chip_.sm_count;
  }

  // The compute capability (10 x major + minor) that the code of this kernel which runs here was compiled for: older
  // than the GPU's where the program has none for it. What a kernel holds under __CUDA_ARCH__ follows it.
  template <class... Parameters>
  int built_for(void (*kernel)(Parameters...)) {
    return code_capability(reinterpret_cast<const void*>(kernel));
  }

  // Seconds on the GPU of all that `work` launches; 0 after a failure.
  double seconds(const std::function<void()>& work);
  void wait(std::string_view what);

  // Adds a point of this benchmark, unless something failed.
  void add(std::string_view variant, double parameter, const std::vector<double>& values, std::string_view unit);
  // Notes the SMs' clock during the last kernel that filled span(), if it ran for at least a millisecond: the global
  // timer ticks in steps of up to a microsecond.
  void note_clock();

  std::vector<Point>& points() { return points_; }
  const std::vector<double>& clocks() const { return clocks_; }

 private:
  void* allocate_bytes(std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
  void carve_out(const void* kernel, int share);
  int ctas_per_sm(const void* kernel, int threads);
  int code_capability(const void* kernel);

  std::string name_;
  const MicroOptions& options_;
  std::optional<Refused> refused_;
  Chip chip_;
  Stream stream_;
  Event begin_;
  Event end_;
  std::vector<Buffer<std::byte>> buffers_;
  Span* span_ = nullptr;
  std::vector<Point> points_;
  std::vector<double> clocks_;
};

// Part of a benchmark that can fail by itself.
using Part = std::function<void(Bench&)>;

// Runs the parts one after the other, each with memory of its own, and adds the benchmark's clock.
Outcome<std::vector<Point>> run_parts(std::string_view benchmark, const MicroOptions& options,
                                      const std::vector<Part>& parts);

}  // namespace rooftile::measure
