#include "rooftile/measure/cuda/handles.hpp"

namespace rooftile::measure {

Outcome<Stream> make_stream() {
  cudaStream_t stream = nullptr;
  return check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream").map([&] {
    return Stream(stream);
  });
}

Outcome<Event> make_event() {
  cudaEvent_t event = nullptr;
  return check(cudaEventCreate(&event), "making an event").map([&] { return Event(event); });
}

Outcome<double> seconds_between(const Event& begin, const Event& end) {
  if (auto done = check(cudaEventSynchronize(end.get()), "waiting for the GPU"); !done) {
    return tl::unexpected(done.error());
  }
  float milliseconds = 0;
  return check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading the time").map([&] {
    return static_cast<double>(milliseconds) * 1e-3;
  });
}

}  // namespace rooftile::measure
