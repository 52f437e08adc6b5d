#include "rooftile/hosts/input_share.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

Workload network(const std::string& name, std::int64_t batch) {
  return load_model(name, {.batch_size = batch}).value();
}

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
  EXPECT_EQ(feed_work(network("resnet50", 2)).feed, Feed::images);
  EXPECT_EQ(feed_work(network("bert_base", 2)).feed, Feed::text);
  EXPECT_EQ(feed_work(network("sockeye", 2)).feed, Feed::text);
  EXPECT_EQ(feed_work(network("a3c", 2)).feed, Feed::environment);
  EXPECT_EQ(feed_work(network("wgan_critic", 2)).feed, Feed::arrays) << "64x64 is stored as it is read";
  EXPECT_EQ(feed_work(network("wgan_generator", 2)).feed, Feed::arrays);
  EXPECT_EQ(feed_work(network("resnet50", 2), Feed::arrays).feed, Feed::arrays);
}

TEST(Feed, AnImageIsDecodedWholeAndAugmentedAsItIsRead) {
  const FeedWork work = feed_work(network("resnet50", 2));
  EXPECT_DOUBLE_EQ(work.pixels, 2.0 * 224 * 224);
  EXPECT_DOUBLE_EQ(work.source_pixels, 2.0 * 500 * 375);
  EXPECT_DOUBLE_EQ(work.stored.value(), 2 * 114e3);
  EXPECT_DOUBLE_EQ(work.sent.value(), 2.0 * 3 * 224 * 224 * 4);
  const FeedWork large = feed_work(network("faster_rcnn_resnet101", 1));
  EXPECT_DOUBLE_EQ(large.source_pixels, large.pixels) << "no smaller than what the network reads";
}

TEST(InputShare, CountsCoresDiskAndCopy) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const InputShare share = input_share(network("resnet50", 100), {slow_host(), {}}, gpu, 1, Seconds(0.1));
  EXPECT_DOUBLE_EQ(share.cores.value(), 100 * (0.1875 * 8e-3 + 0.050176 * 20e-3) / 4);
  EXPECT_DOUBLE_EQ(share.disk.value(), 100 * 114e3 / 500e6);
  EXPECT_NEAR(share.copy.value(), 100 * 3.0 * 224 * 224 * 4 / (0.8 * 15.754e9), 1e-6);
  EXPECT_EQ(share.waiting, Seconds(0)) << "all of it while the GPU works";
  EXPECT_EQ(share.limit(), InputLimit::none);
}

TEST(InputShare, TheSlowestIsWaitedFor) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const InputShare cores = input_share(network("resnet50", 100), {slow_host(), {}}, gpu, 1, Seconds(0.01));
  EXPECT_EQ(cores.limit(), InputLimit::cores);
  EXPECT_DOUBLE_EQ(cores.waiting.value(), cores.cores.value() - 0.01);
  HostMachine old = slow_host();
  old.disk = BytesPerSecond(20e6);
  EXPECT_EQ(input_share(network("resnet50", 100), {old, {}}, gpu, 1, Seconds(0.01)).limit(), InputLimit::disk);
}

TEST(InputShare, AGameIsPlayedBetweenTheSteps) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const InputShare share = input_share(network("a3c", 32), {slow_host(), {}}, gpu, 1, Seconds(1));
  EXPECT_FALSE(share.ahead);
  EXPECT_DOUBLE_EQ(share.cores.value(), 32 * 1e-3 / 4);
  EXPECT_EQ(share.waiting, share.cores + share.copy) << "however long the GPU computes";
  EXPECT_EQ(share.limit(), InputLimit::environment);
}

TEST(InputShare, IsPartOfAPrediction) {
  const Workload workload = network("resnet50", 64);
  const Gpu gpu = find_gpu("h100-sxm5-80gb").value();
  const Prediction alone = predict(workload, gpu).value();
  const Feeding feeding{slow_host(), {}};
  const Prediction fed = predict(workload, gpu, {.feeding = &feeding}).value();
  ASSERT_TRUE(fed.input);
  EXPECT_DOUBLE_EQ(fed.time.value(), fed.input->cores.value()) << "an H100 is faster than four cores";
  EXPECT_GT(fed.time, alone.time);
  EXPECT_DOUBLE_EQ(interval_of(fed)->low.value(), fed.time.value()) << "a faster GPU would wait, too";
  const InputShare& input = *fed.input;
  EXPECT_NEAR((fed.time - input.waiting) / alone.time, 1, 1e-12);
}

}  // namespace
}  // namespace rooftile
