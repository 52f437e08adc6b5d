#include "rooftile/parallel/stream_graph.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

constexpr double kMilli = 1e-3;
Seconds ms(double value) { return Seconds(value * kMilli); }

TEST(StreamGraph, AStreamRunsItsTasksInOrder) {
  StreamGraph graph;
  const std::size_t first = graph.add(0, GpuStream::compute, ms(2)), second = graph.add(0, GpuStream::compute, ms(3));
  const StreamTimes times = graph.run();
  EXPECT_EQ(times.start[second], times.end[first]);
  EXPECT_DOUBLE_EQ(times.last.value(), 5 * kMilli);
}

TEST(StreamGraph, StreamsRunBesideEachOtherAndWaitForWhatTheyNeed) {
  StreamGraph graph;
  const std::size_t backward = graph.add(0, GpuStream::compute, ms(2));
  const std::size_t reduce = graph.add(0, GpuStream::reduce, ms(4), {backward});
  const std::size_t next = graph.add(0, GpuStream::compute, ms(3));
  const std::size_t update = graph.add(0, GpuStream::compute, ms(1), {reduce});
  const StreamTimes times = graph.run();
  EXPECT_DOUBLE_EQ(times.start[reduce].value(), 2 * kMilli);
  EXPECT_DOUBLE_EQ(times.end[next].value(), 5 * kMilli);
  EXPECT_DOUBLE_EQ(times.start[update].value(), 6 * kMilli);
}

// 10 ms of computing beside 4 ms of a collective that takes a fifth of the GPU: 4 ms do 3.2, the other 6.8 follow.
TEST(StreamGraph, ACollectiveTakesItsShareOfTheGpu) {
  StreamGraph graph;
  const std::size_t compute = graph.add(0, GpuStream::compute, ms(10));
  graph.add(0, GpuStream::reduce, ms(4));
  EXPECT_NEAR(graph.run(0.2).end[compute].value(), 10.8 * kMilli, 1e-12);
  EXPECT_NEAR(graph.run().end[compute].value(), 10 * kMilli, 1e-12);
}

TEST(StreamGraph, AGpuWaitsForAnother) {
  StreamGraph graph;
  const std::size_t early = graph.add(1, GpuStream::compute, ms(1));
  const std::size_t late = graph.add(0, GpuStream::compute, ms(5));
  graph.add_dependency(early, late);
  EXPECT_DOUBLE_EQ(graph.run().start[early].value(), 5 * kMilli);
}

}  // namespace
}  // namespace rooftile
