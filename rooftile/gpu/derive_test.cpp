#include "rooftile/gpu/derive.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/gpu_file.hpp"

namespace rooftile {
namespace {

using ::testing::HasSubstr;

FactTable facts(const std::string& body) {
  const auto file = read_gpu_file("sources = { s = \"a source\" }\n" + body, "test");
  EXPECT_TRUE(file) << file.error().text();
  return file ? file->facts : FactTable();
}

// One SM-less line of a section: key = value with the source "s".
std::string line(const std::string& key, const std::string& value, const std::string& more = "") {
  return key + " = { value = " + value + ", source = \"s\"" + more + " }\n";
}

const std::string kCore = "[core]\n" + line("sm_count", "10") + line("clock", "\"2 GHz\"");

const NumberedFact& fact(const FactTable& table, const std::string& key) {
  static const NumberedFact none{Fact{"missing", "", FactKind::vendor, "", ""}, -1};
  const NumberedFact* found = table.find(key);
  EXPECT_NE(found, nullptr) << key;
  return found ? *found : none;
}

TEST(Derive, BandwidthFromBytesPerClock) {
  const FactTable table = derive_facts(facts(kCore + "[[level]]\nname = \"L1\"\n" + line("rate", "\"64 B/clk\"") +
                                             "[[level]]\nname = \"L2\"\n" + line("rate", "\"16 B/clk\"")),
                                       nullptr, "");
  // 64 B x 2 GHz for one SM; 16 B x 2 GHz x 10 SMs for the chip.
  EXPECT_DOUBLE_EQ(fact(table, "level.L1.bandwidth").number, 128e9);
  EXPECT_DOUBLE_EQ(fact(table, "level.L2.bandwidth").number, 320e9);
  EXPECT_EQ(fact(table, "level.L2.bandwidth").fact.kind, FactKind::derived);
  EXPECT_EQ(fact(table, "level.L2.bandwidth").fact.source, "16 B/clk per SM x core clock 2 GHz x 10 SMs; a source");
}

TEST(Derive, BandwidthFromThePeak) {
  const std::string dram = kCore + "[[level]]\nname = \"DRAM\"\n" + line("peak_bandwidth", "\"500 GB/s\"");
  const FactTable bare = derive_facts(facts(dram), nullptr, "");
  EXPECT_DOUBLE_EQ(fact(bare, "level.DRAM.bandwidth").number, 500e9);
  EXPECT_THAT(fact(bare, "level.DRAM.bandwidth").fact.source, HasSubstr("as it was not measured"));
  const FactTable shared = derive_facts(facts(dram + line("efficiency", "0.9")), nullptr, "");
  EXPECT_DOUBLE_EQ(fact(shared, "level.DRAM.bandwidth").number, 450e9);
}

TEST(Derive, LatencyFromTime) {
  const FactTable table =
      derive_facts(facts(kCore + "[[level]]\nname = \"DRAM\"\n" + line("latency_time", "\"300 ns\"")), nullptr, "");
  EXPECT_DOUBLE_EQ(fact(table, "level.DRAM.latency").number, 600);
}

TEST(Derive, SharedMemoryAndRequests) {
  const FactTable table =
      derive_facts(facts(kCore + "[sm]\n" + line("smem_load_rate", "\"128 B/clk\"") + "[[level]]\nname = \"L1\"\n" +
                         line("line", "\"128 B\"") + line("sector", "\"32 B\"") + "[[level]]\nname = \"L2\"\n" +
                         line("capacity", "\"1 MiB\"")),
                   nullptr, "");
  EXPECT_DOUBLE_EQ(fact(table, "sm.smem_load_bandwidth").number, 256e9);
  EXPECT_FALSE(table.has("sm.smem_store_bandwidth"));
  EXPECT_DOUBLE_EQ(fact(table, "sm.l1_request").number, 32);
  EXPECT_DOUBLE_EQ(fact(table, "level.L2.line").number, 128);
  EXPECT_DOUBLE_EQ(fact(table, "level.L2.sector").number, 32);
}

TEST(Derive, Peaks) {
  const std::string rates = "[rate]\n" + line("fp32", "\"256 FLOP/clk\"") + line("tensor_fp16", "\"1024 FLOP/clk\"") +
                            line("tensor_tf32", "\"512 FLOP/clk\"");
  // Nothing quoted: rate x SMs x clock, the tensor clock for the tensor cores.
  const FactTable by_rate = derive_facts(facts("[core]\n" + line("sm_count", "10") + line("clock", "\"2 GHz\"") +
                                               line("tensor_clock_ratio", "0.9") + rates),
                                         nullptr, "");
  EXPECT_DOUBLE_EQ(fact(by_rate, "peak.fp32").number, 256 * 10 * 2e9);
  EXPECT_DOUBLE_EQ(fact(by_rate, "core.tensor_clock").number, 1.8e9);
  EXPECT_DOUBLE_EQ(fact(by_rate, "peak.tensor_fp16").number, 1024 * 10 * 1.8e9);
  // One tensor peak quoted: the others in proportion to it.
  const FactTable in_proportion =
      derive_facts(facts(kCore + rates + "[peak]\n" + line("tensor_fp16", "\"10 TFLOP/s\"")), nullptr, "");
  EXPECT_DOUBLE_EQ(fact(in_proportion, "peak.tensor_tf32").number, 5e12);
  EXPECT_THAT(fact(in_proportion, "peak.tensor_tf32").fact.source, HasSubstr("peak.tensor_fp16 10 TFLOP/s x 512"));
}

TEST(Derive, TheGenerationIsTheComputeCapabilityWhereThatIsANumber) {
  const auto generation = [](const std::string& body, std::string_view capability) {
    return fact(derive_facts(facts(body), nullptr, "", capability), "core.generation");
  };
  EXPECT_EQ(generation(kCore, "8.6").number, 8.6);
  EXPECT_EQ(generation(kCore, "8.6").fact.kind, FactKind::derived);
  EXPECT_EQ(generation(kCore, "8.6").fact.source, "compute capability 8.6");
  EXPECT_EQ(generation(kCore + line("generation", "8.0"), "gfx942").number, 8);
  EXPECT_EQ(generation(kCore + line("generation", "8.0"), "9.0").number, 8) << "what a file states is not overwritten";
  EXPECT_FALSE(derive_facts(facts(kCore), nullptr, "", "gfx942").has("core.generation"));
  EXPECT_FALSE(derive_facts(facts(kCore), nullptr, "", "").has("core.generation"));
}

TEST(Derive, TheArchitectureFillsGapsAndNeverOverwrites) {
  const FactTable architecture =
      facts("[sm]\n" + line("warps", "64") + line("smem_latency", "\"24 cycles\"", ", kind = \"measured\"") +
            "[[level]]\nname = \"L1\"\n" + line("rate", "\"64 B/clk\"") + line("latency", "\"30 cycles\"") +
            "[[level]]\nname = \"L2\"\n" + line("latency", "\"200 cycles\""));
  const FactTable own =
      facts(kCore + "[[level]]\nname = \"L1\"\n" + line("bandwidth", "\"92 GB/s\"") + line("latency", "\"82 cycles\"") +
            "[[level]]\nname = \"L2\"\n" + line("latency_time", "\"50 ns\""));
  const FactTable table = derive_facts(own, &architecture, "Test Arch");
  EXPECT_DOUBLE_EQ(fact(table, "level.L1.bandwidth").number, 92e9);
  EXPECT_DOUBLE_EQ(fact(table, "level.L1.latency").number, 82);
  EXPECT_FALSE(table.has("level.L1.rate")) << "the file's own bandwidth makes it irrelevant";
  EXPECT_DOUBLE_EQ(fact(table, "level.L2.latency").number, 100) << "the file's own time, not the architecture's cycles";

  EXPECT_EQ(fact(table, "sm.warps").fact.kind, FactKind::vendor);
  EXPECT_EQ(fact(table, "sm.warps").fact.source, "architecture Test Arch: a source");
  EXPECT_EQ(fact(table, "sm.smem_latency").fact.kind, FactKind::derived);
  EXPECT_THAT(fact(table, "sm.smem_latency").fact.source, HasSubstr("Test Arch, where it is measured: a source"));
}

}  // namespace
}  // namespace rooftile
