#include "rooftile/collectives/collective_time.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

CollectiveTime time_of(const char* gpu_id, Collective collective) {
  const Gpu gpu = find_gpu(gpu_id).value();
  return collective_time(collective, gpu, link_of(gpu, collective.gpus).value());
}

double micros(Seconds time) { return time.value() * 1e6; }

TEST(Collective, NamesAreRead) {
  for (const std::string& name : collective_kind_names()) EXPECT_EQ(name_of(*parse_collective_kind(name)), name);
  EXPECT_EQ(parse_collective_kind("alltoall"), CollectiveKind::all_to_all);
  EXPECT_FALSE(parse_collective_kind("gather"));
}

// A ring: all-reduce is a reduce-scatter and an all-gather.
TEST(Collective, AnAllReduceSendsWhatItsHalvesSend) {
  const auto of = [](CollectiveKind kind) { return Collective{kind, 6, Bytes(600), DType::fp32}; };
  EXPECT_EQ(rounds_of(of(CollectiveKind::all_reduce)), 10);
  EXPECT_EQ(rounds_of(of(CollectiveKind::all_gather)), 5);
  EXPECT_DOUBLE_EQ(share_sent(of(CollectiveKind::all_reduce)),
                   share_sent(of(CollectiveKind::reduce_scatter)) + share_sent(of(CollectiveKind::all_gather)));
  EXPECT_EQ(rounds_of(of(CollectiveKind::send)), 1);
  EXPECT_DOUBLE_EQ(share_sent(of(CollectiveKind::send)), 1);
}

TEST(CollectiveTime, IsTheSumOfItsPartsAndWithinItsInterval) {
  for (const double bytes : {8.0, 1e4, 1e6, 1e8, 1e10}) {
    const CollectiveTime time = time_of("h100-sxm5-80gb", {CollectiveKind::all_gather, 8, Bytes(bytes), DType::bf16});
    EXPECT_DOUBLE_EQ(time.time.value(), (time.latency + time.transfer + time.copy).value());
    EXPECT_LT(time.low, time.time);
    EXPECT_GT(time.high, time.time);
  }
}

TEST(CollectiveTime, ProtocolsFollowTheSize) {
  const auto protocol = [](double bytes) {
    return time_of("a100-sxm4-80gb", {CollectiveKind::all_gather, 8, Bytes(bytes), DType::fp16}).protocol;
  };
  EXPECT_EQ(protocol(1024), Protocol::ll);
  EXPECT_EQ(protocol(4 << 20), Protocol::ll128);
  EXPECT_EQ(protocol(1 << 29), Protocol::simple);
}

TEST(CollectiveTime, MoreBytesAndGpusTakeLonger) {
  for (const std::string& name : collective_kind_names()) {
    const CollectiveKind kind = *parse_collective_kind(name);
    Seconds before;
    for (double bytes = 1; bytes <= 1e12; bytes *= 1.7) {
      const Seconds time = time_of("a100-sxm4-80gb", {kind, 4, Bytes(bytes), DType::fp32}).time;
      EXPECT_GE(time, before) << name << " of " << bytes;
      before = time;
    }
  }
  const auto small = [](int gpus) {
    return micros(time_of("a100-sxm4-80gb", {CollectiveKind::all_reduce, gpus, Bytes(512), DType::fp32}).time);
  };
  EXPECT_LT(small(2), small(4));
  EXPECT_LT(small(4), small(8));
}

TEST(CollectiveTime, LargeOnesApproachTheLink) {
  const double gigabytes = 4;
  const CollectiveTime time =
      time_of("a100-sxm4-80gb", {CollectiveKind::all_reduce, 8, Bytes(gigabytes * 1e9), DType::fp16});
  const double rate = gigabytes * 1.75 / time.time.value();  // GB/s that each GPU sends
  EXPECT_GT(rate, 0.65 * 300);
  EXPECT_LT(rate, 300);
}

TEST(CollectiveTime, HopperSwitchesSumFloatingPointOfAWholeMachine) {
  const auto of = [](const char* gpu, int gpus, DType dtype) {
    return time_of(gpu, {CollectiveKind::all_reduce, gpus, Bytes(1 << 29), dtype}).protocol;
  };
  EXPECT_EQ(of("h100-sxm5-80gb", 8, DType::bf16), Protocol::nvls);
  EXPECT_EQ(of("h100-sxm5-80gb", 8, DType::int8), Protocol::simple);
  EXPECT_EQ(of("h100-sxm5-80gb", 4, DType::bf16), Protocol::simple);
  EXPECT_EQ(of("a100-sxm4-80gb", 8, DType::bf16), Protocol::simple);
}

// Four machines of eight A100 with 200 GB/s each: a large sum is bound by the network, a small one by hops.
TEST(CollectiveTime, OverNodesTheNetworkCounts) {
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  Group group = {.gpus = 32, .per_node = 8, .link = *link_of(gpu, 8), .network = BytesPerSecond(200e9)};
  const CollectiveTime large = collective_time({CollectiveKind::all_reduce, 32, Bytes(4e9), DType::fp16}, gpu, group);
  EXPECT_TRUE(large.network);
  EXPECT_NEAR((large.latency + large.transfer).value(), 4e9 * 2 * 31 / 32 / (0.92 * 200e9), 1e-3);
  const Collective word = {CollectiveKind::all_reduce, 32, Bytes(4), DType::fp16};
  const CollectiveTime small = collective_time(word, gpu, group);
  EXPECT_EQ(small.protocol, Protocol::ll);
  EXPECT_LT(micros(small.time), 60);
  group.gpus = 1024;
  EXPECT_LT(small.time, collective_time({word.kind, 1024, word.bytes, word.dtype}, gpu, group).time);
}

TEST(CollectiveTime, AGroupWithinANodeIsThatOfItsLink) {
  const Gpu gpu = find_gpu("h100-sxm5-80gb").value();
  const Link link = *link_of(gpu, 8);
  const Group group = {.gpus = 8, .per_node = 8, .link = link};
  const Collective sum = {CollectiveKind::all_reduce, 8, Bytes(1e6), DType::bf16};
  EXPECT_EQ(collective_time(sum, gpu, group).time, collective_time(sum, gpu, link).time);
  EXPECT_EQ(collective_time(sum, gpu, Group{}).time, Seconds(0));
}

// A hop more costs what the cluster says beyond what the constants stand for.
TEST(CollectiveTime, LongerHopsCountInEachRound) {
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  Group group = {.gpus = 32, .per_node = 8, .link = *link_of(gpu, 8), .network = BytesPerSecond(200e9)};
  const Collective sum = {CollectiveKind::reduce_scatter, 32, Bytes(64), DType::fp16};
  const Seconds usual = collective_time(sum, gpu, group).time;
  group.network_latency = Seconds(12.7e-6);
  EXPECT_NEAR(micros(collective_time(sum, gpu, group).time - usual), 3 * 10, 1e-6) << "three of 31 rounds";
  group.network_latency = {}, group.link_latency = Seconds(1.6e-6);
  EXPECT_NEAR(micros(collective_time(sum, gpu, group).time - usual), 28, 1e-6);
}

// vLLM's csrc/custom_all_reduce.cuh: a decode step's sums take a third of NCCL's time, those of a prompt are NCCL's.
TEST(CollectiveTime, EnginesReadTheirPeersWhereSumsAreSmall) {
  const auto of = [](double bytes, int gpus, bool own) {
    return time_of("h100-sxm5-80gb", {CollectiveKind::all_reduce, gpus, Bytes(bytes), DType::bf16, 1, own});
  };
  EXPECT_EQ(of(16 << 10, 8, true).protocol, Protocol::one_shot);
  EXPECT_NEAR(micros(of(16 << 10, 8, true).time), 5.2, 0.2) << "measured: 5.22 us";
  EXPECT_GT(of(16 << 10, 8, false).time, of(16 << 10, 8, true).time * 3);
  EXPECT_EQ(of(1 << 20, 8, true).protocol, Protocol::two_shots);
  EXPECT_EQ(of(4 << 20, 2, true).protocol, Protocol::one_shot) << "two GPUs have nothing to divide";
  EXPECT_EQ(of(8 << 20, 8, true).time, of(8 << 20, 8, false).time);
  EXPECT_EQ(of(1024, 3, true).time, of(1024, 3, false).time) << "kernels for 2, 4, 6 and 8 GPUs only";
  EXPECT_EQ(time_of("gb200", {CollectiveKind::all_reduce, 72, Bytes(1024), DType::bf16, 1, true}).time,
            time_of("gb200", {CollectiveKind::all_reduce, 72, Bytes(1024), DType::bf16, 1, false}).time);
  const Collective gathered = {CollectiveKind::all_gather, 8, Bytes(1024), DType::bf16, 1, true};
  EXPECT_EQ(time_of("h100-sxm5-80gb", gathered).protocol, Protocol::ll);
}

// NVLS within each machine, a tree over them: fewer rounds than a ring through all.
TEST(CollectiveTime, SwitchesOfSeveralMachinesSumInTwoLevels) {
  const Gpu gpu = find_gpu("h100-sxm5-80gb").value();
  const Group group = {.gpus = 256, .per_node = 8, .link = *link_of(gpu, 8), .network = BytesPerSecond(400e9)};
  const Collective sum = {CollectiveKind::all_reduce, 256, Bytes(1 << 28), DType::bf16};
  const CollectiveTime time = collective_time(sum, gpu, group);
  EXPECT_EQ(time.protocol, Protocol::nvls);
  EXPECT_TRUE(time.network) << "bound by what leaves the machines";
  EXPECT_NEAR(time.transfer.value(), (1 << 28) * 2.0 * 255 / 256 / (0.92 * 400e9), 1e-6);
}

// A ring crosses a host bridge once in each direction; of an all-to-all half of what four GPUs send does.
TEST(CollectiveTime, AHostBridgeLimitsWhatCrossesIt) {
  const Gpu gpu = find_gpu("rtx-3090").value();
  Group group = {.gpus = 8, .per_node = 8, .link = {"PCIe 4", BytesPerSecond(15.75e9)}};
  Collective sum = {.kind = CollectiveKind::all_reduce, .gpus = 8, .bytes = Bytes(1 << 29)};
  const Seconds free = collective_time(sum, gpu, group).transfer;
  group.per_bridge = 4, group.bridge = BytesPerSecond(20e9);
  EXPECT_EQ(collective_time(sum, gpu, group).transfer, free) << "faster than a GPU's link";
  group.bridge = BytesPerSecond(7.875e9);
  EXPECT_DOUBLE_EQ(collective_time(sum, gpu, group).transfer / free, 2);
  sum.kind = CollectiveKind::all_to_all;
  const Seconds bridged = collective_time(sum, gpu, group).transfer;
  group.per_bridge = 0;
  // 4 x 1/2 of the bytes at half the rate, instead of 7/8.
  EXPECT_NEAR(bridged / collective_time(sum, gpu, group).transfer, 4 * 0.5 * 2 / (7.0 / 8), 1e-9);
}

}  // namespace
}  // namespace rooftile
