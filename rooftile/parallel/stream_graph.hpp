// Kernels and transfers on the streams of several GPUs, and when each of them runs.
//
//     StreamGraph graph;
//     const std::size_t gradient = graph.add(0, GpuStream::compute, Seconds(2e-3));
//     const std::size_t reduce = graph.add(0, GpuStream::reduce, Seconds(1e-3), {gradient});
//     assert(graph.run().end[reduce] == Seconds(3e-3));
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include "rooftile/base/units.hpp"

namespace rooftile {

enum class GpuStream : std::uint8_t { compute, reduce, send, host };
constexpr std::size_t kStreams = 4;

struct StreamTimes {
  std::vector<Seconds> start, end;  // of each task
  Seconds last;                     // end of all
};

class StreamGraph {
 public:
  static constexpr std::size_t kNoTask = std::numeric_limits<std::size_t>::max();

  // Tasks of a stream run one after another, in the order in which they are added, each once those named in `after`
  // have ended; kNoTask is none. Returns the task's number.
  std::size_t add(int gpu, GpuStream stream, Seconds work, std::initializer_list<std::size_t> after = {});
  void add_dependency(std::size_t task, std::size_t after);

  struct Task {
    int gpu = 0;
    GpuStream stream = GpuStream::compute;
    Seconds work;
  };
  std::span<const Task> tasks() const { return tasks_; }

  struct Edge {
    std::size_t from, to;
  };
  std::span<const Edge> edges() const { return edges_; }

  // A task on `compute` runs slower while one on `reduce` of the same GPU does: collectives are kernels, too, and leave
  // it 1 - `taken` of the GPU. In O(n log n). Tasks that wait for each other in a circle never run: a bug.
  StreamTimes run(double taken = 0) const;

 private:
  std::vector<Task> tasks_;
  std::vector<Edge> edges_;
};

}  // namespace rooftile
