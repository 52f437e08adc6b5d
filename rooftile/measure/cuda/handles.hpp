// CUDA's memory, streams, events and graphs, each freed by its owner.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <memory>
#include <utility>

#include "rooftile/measure/cuda/check.hpp"

namespace rooftile::measure {

template <class Handle, cudaError_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) {
      static_cast<void>(destroy(handle_));
    }
  }

  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;
using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

Outcome<Stream> make_stream();
Outcome<Event> make_event();
// The time between two recorded events, in seconds, once the second has come.
Outcome<double> seconds_between(const Event& begin, const Event& end);

// `count` elements of T on the device; not set to anything.
template <class T>
class Buffer {
 public:
  Buffer() = default;

  static Outcome<Buffer> make(std::size_t count) {
    void* memory = nullptr;
    if (auto done = check(cudaMalloc(&memory, count * sizeof(T) + (count == 0)), "allocating device memory"); !done) {
      return tl::unexpected(done.error());
    }
    Buffer buffer;
    buffer.memory_ = Memory(static_cast<T*>(memory));
    buffer.count_ = count;
    return buffer;
  }

  T* get() const { return memory_.get(); }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  struct Free {
    void operator()(T* memory) const { static_cast<void>(cudaFree(memory)); }
  };
  using Memory = std::unique_ptr<T, Free>;

  Memory memory_;
  std::size_t count_ = 0;
};

}  // namespace rooftile::measure
