// What CUDA's language means on the CPU: kernels of rooftile-measure, translated by translate.py, run as fibers, a
// fiber a thread, against a model of a GPU (machine.hpp) that knows latencies but has no units. For tests: what kernels
// compute is what a GPU would, how long they take is what the model says.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <initializer_list>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define ON_CPU_CUDA_ARCH 800  // as machine.hpp has it

#undef __launch_bounds__
#define __launch_bounds__(...)

namespace on_cpu {

// Where the calling thread stands.
struct Here {
  dim3 thread, block, threads, blocks;
};
const Here& here();

// All threads of the CTA, or of the warp, have come this far.
void wait_for_cta();
void wait_for_warp();
// The calling thread's CTA's memory for one shared variable, which `key` names.
void* shared_memory(const void* key, std::size_t bytes);
template <class T>
T& shared(const void* key) {
  return *static_cast<T*>(shared_memory(key, sizeof(T)));
}
// As an address in the shared window, and back.
std::uint32_t shared_address(const void* place);
// Eight bytes of another lane of the warp.
std::uint64_t from_lane(std::uint64_t mine, unsigned lane);
unsigned this_lane();

// An operand of PTX that is written (and perhaps read), and one that is only read.
struct Place {
  void* at;
  std::size_t bytes;
};
template <class T>
Place place(T& value) {
  return {&value, sizeof(T)};
}
struct Value {
  template <class T>
  explicit Value(const T& value) {
    static_assert(sizeof(T) <= sizeof(bits));
    std::memcpy(&bits, &value, sizeof(T));
  }
  std::uint64_t bits = 0;
};

// One or more PTX instructions as they stand in an asm statement.
class Instruction {
 public:
  explicit Instruction(const char* text);
  // Throws UnknownInstruction, which ends the kernel.
  void run(std::initializer_list<Place> out, std::initializer_list<Value> in) const;

  struct One;

 private:
  std::shared_ptr<std::vector<One>> all_;
};

struct Config {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};
// Runs all threads now, or remembers them where the stream is being captured.
cudaError_t launch(std::function<void()> thread, const Config& config);
void remember_error(cudaError_t code);

template <class... Parameters>
auto queued(void (*kernel)(Parameters...), const Config& config) {
  return [=](auto... arguments) {
    remember_error(
        launch([=, values = std::tuple<Parameters...>(arguments...)] { std::apply(kernel, values); }, config));
  };
}

template <class... Parameters>
cudaError_t launch_kernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, void** pointers,
                          std::size_t shared_bytes, cudaStream_t stream) {
  auto values = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::tuple<Parameters...>(*static_cast<std::remove_cvref_t<Parameters>*>(pointers[i])...);
  }
  (std::index_sequence_for<Parameters...>());
  return launch([=] { std::apply(kernel, values); }, {blocks, threads, shared_bytes, stream});
}

}  // namespace on_cpu

#define threadIdx (on_cpu::here().thread)
#define blockIdx (on_cpu::here().block)
#define blockDim (on_cpu::here().threads)
#define gridDim (on_cpu::here().blocks)

inline void __syncthreads() { on_cpu::wait_for_cta(); }
inline void __syncwarp() { on_cpu::wait_for_warp(); }
inline std::size_t __cvta_generic_to_shared(const void* place) { return on_cpu::shared_address(place); }
template <class T>
T __shfl_sync(unsigned /*mask*/, T value, int lane) {
  const std::uint64_t got = on_cpu::from_lane(on_cpu::Value(value).bits, static_cast<unsigned>(lane));
  std::memcpy(&value, &got, sizeof(T));
  return value;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask) {
  return __shfl_sync(mask, value, static_cast<int>(on_cpu::this_lane()) ^ lane_mask);
}
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return std::exchange(*at, static_cast<T>(*at + value));
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  return std::exchange(*at, value);
}
inline float __uint_as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t __float_as_uint(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float __expf(float x) { return std::exp(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
using std::isfinite;
