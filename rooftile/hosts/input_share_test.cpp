#include "rooftile/hosts/input_share.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

// A network, as far as what it reads.
Workload reads(const std::string& input, const Shape& shape, DType dtype = DType::fp32) {
  Workload workload;
  workload.batch_size = shape.front();
  workload.tensors = {{.name = input, .shape = shape, .dtype = dtype}};
  workload.inputs = {0};
  return workload;
}
Workload classifier(std::int64_t batch) { return reads("image", {batch, 3, 224, 224}); }
Workload player(std::int64_t batch) { return reads("frames", {batch, 4, 84, 84}); }

// Numbers that can be followed by hand.
HostMachine slow_host() {
  HostMachine host;
  host.id = "slow";
  host.cores = 4;
  host.decode = Seconds(8e-3);
  host.augment = Seconds(20e-3);
  host.tokenise = Seconds(1);
  host.environment_step = Seconds(1e-3);
  host.disk = BytesPerSecond(500e6);
  host.pcie_generation = 3;
  return host;
}

TEST(Feed, IsToldByTheInputs) {
  EXPECT_EQ(feed_work(classifier(2)).feed, Feed::images);
  EXPECT_EQ(feed_work(reads("ids", {2, 128}, DType::int64)).feed, Feed::text);
  EXPECT_EQ(feed_work(player(2)).feed, Feed::environment);
  EXPECT_EQ(feed_work(reads("image", {2, 3, 64, 64})).feed, Feed::arrays) << "small images are stored as they are read";
  EXPECT_EQ(feed_work(reads("latents", {2, 4, 64, 64})).feed, Feed::arrays);
  EXPECT_EQ(feed_work(reads("noise", {2, 128})).feed, Feed::arrays);
  EXPECT_EQ(feed_work(classifier(2), Feed::arrays).feed, Feed::arrays);
}

TEST(Feed, AnImageIsDecodedWholeAndAugmentedAsItIsRead) {
  const FeedWork work = feed_work(classifier(2));
  EXPECT_DOUBLE_EQ(work.pixels, 2.0 * 224 * 224);
  EXPECT_DOUBLE_EQ(work.source_pixels, 2.0 * 500 * 375);
  EXPECT_DOUBLE_EQ(work.stored.value(), 2 * 114e3);
  EXPECT_DOUBLE_EQ(work.sent.value(), 2.0 * 3 * 224 * 224 * 4);
  const FeedWork large = feed_work(reads("image", {1, 3, 600, 1000}));
  EXPECT_DOUBLE_EQ(large.source_pixels, large.pixels) << "no smaller than what the network reads";
}

TEST(InputShare, CountsCoresDiskAndCopy) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const InputShare share = input_share(classifier(100), {slow_host(), {}}, gpu, 1, Seconds(0.1));
  EXPECT_DOUBLE_EQ(share.cores.value(), 100 * (0.1875 * 8e-3 + 0.050176 * 20e-3) / 4);
  EXPECT_DOUBLE_EQ(share.disk.value(), 100 * 114e3 / 500e6);
  EXPECT_NEAR(share.copy.value(), 100 * 3.0 * 224 * 224 * 4 / (0.8 * 15.754e9), 1e-6);
  EXPECT_EQ(share.waiting, Seconds(0)) << "all of it while the GPU works";
  EXPECT_EQ(share.limit(), InputLimit::none);
}

TEST(InputShare, TheSlowestIsWaitedFor) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const InputShare cores = input_share(classifier(100), {slow_host(), {}}, gpu, 1, Seconds(0.01));
  EXPECT_EQ(cores.limit(), InputLimit::cores);
  EXPECT_DOUBLE_EQ(cores.waiting.value(), cores.cores.value() - 0.01);
  HostMachine old = slow_host();
  old.disk = BytesPerSecond(20e6);
  EXPECT_EQ(input_share(classifier(100), {old, {}}, gpu, 1, Seconds(0.01)).limit(), InputLimit::disk);
}

TEST(InputShare, AGameIsPlayedBetweenTheSteps) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const InputShare share = input_share(player(32), {slow_host(), {}}, gpu, 1, Seconds(1));
  EXPECT_FALSE(share.ahead);
  EXPECT_DOUBLE_EQ(share.cores.value(), 32 * 1e-3 / 4);
  EXPECT_EQ(share.waiting, share.cores + share.copy) << "however long the GPU computes";
  EXPECT_EQ(share.limit(), InputLimit::environment);
}

}  // namespace
}  // namespace rooftile
