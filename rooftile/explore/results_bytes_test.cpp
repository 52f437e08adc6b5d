#include "rooftile/explore/results_bytes.hpp"

#include <memory>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

struct Explored {
  DesignSpace space = parse_space(R"(
gpu = "titan-xp-delta"
constraints = ["sm_count < 200"]
[axes]
sm_count = { values = [20, 30, 40, 240] }
registers = { multiples = [0.25, 1, 2] }
dram_bandwidth = { multiples = { from = 1, to = 4, steps = 300 } }
[[workload]]
model = "alexnet"
)",
                                  "space")
                          .value();
  ExploreOptions options = asked();
  ExploreResults results = explored();

 private:
  static ExploreOptions asked() {
    ExploreOptions options;
    options.results.best = 9;
    options.results.pareto = {metric_of(Parameter::sm_count)};
    options.results.heat_map = std::pair(0, 2);
    return options;
  }
  ExploreResults explored() const {
    for (const ZooEntry& entry : zoo()) {
      if (entry.name != "alexnet") continue;
      const auto evaluator = make_evaluator(space, {{.workload = entry.build(16)}}, {.method = Method::delta});
      return explore(space, **evaluator, options).value();
    }
    ADD_FAILURE();
    return {space, options.results};
  }
};

const Explored& explored() {
  static const Explored result;
  return result;
}

TEST(ResultsBytes, ReadBackTheyAreTheSame) {
  const Explored& whole = explored();
  const std::string bytes = results_bytes(whole.results);
  const auto again = read_results(bytes, whole.space, whole.options.results);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(results_bytes(*again), bytes);
  EXPECT_EQ(again->designs, 3600U);
  EXPECT_EQ(again->unfit, whole.results.unfit);
  EXPECT_EQ(again->share_sums, whole.results.share_sums);
  EXPECT_EQ(again->best.designs().size(), 9U);
  EXPECT_EQ(again->best.designs().back().time, whole.results.best.designs().back().time);
  EXPECT_EQ(again->best.designs().back().point, whole.results.best.designs().back().point);
  EXPECT_EQ(again->pareto.size(), whole.results.pareto.size());
  EXPECT_EQ(again->heat_map->least(1, 7), whole.results.heat_map->least(1, 7));
}

TEST(ResultsBytes, OfNothingDoneReadBack) {
  const Explored& whole = explored();
  const ExploreResults nothing(whole.space, whole.options.results);
  const auto again = read_results(results_bytes(nothing), whole.space, whole.options.results);
  ASSERT_TRUE(again);
  EXPECT_EQ(results_bytes(*again), results_bytes(nothing));
}

TEST(ResultsBytes, KeptOtherwiseAreRefused) {
  const Explored& whole = explored();
  const std::string bytes = results_bytes(whole.results);
  ResultOptions no_map = whole.options.results;
  no_map.heat_map.reset();
  EXPECT_FALSE(read_results(bytes, whole.space, no_map));
  DesignSpace smaller = whole.space;
  smaller.axes[0].values.pop_back();
  EXPECT_FALSE(read_results(bytes, smaller, whole.options.results));
}

// Behind a checksum that fits, as somebody means it.
std::string resealed(const std::string& bytes) { return sealed(bytes.substr(0, bytes.size() - sizeof(std::uint64_t))); }

RC_GTEST_PROP(ResultsBytes, DamagedAreRefusedOrReadWithoutHarm, ()) {
  const Explored& whole = explored();
  std::string bytes = results_bytes(whole.results);
  const bool meant = *rc::gen::arbitrary<bool>();
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    const auto place = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[place] = static_cast<char>(bytes[place] ^ *rc::gen::inRange(1, 256));
  }
  bytes.resize(bytes.size() - *rc::gen::element<std::size_t>(0, 0, 1, 8, 100));
  const auto read = read_results(meant ? resealed(bytes) : bytes, whole.space, whole.options.results);
  if (!meant) RC_ASSERT(!read || bytes == results_bytes(whole.results));
  if (!read) return;
  RC_ASSERT(read->designs <= whole.space.size());
  RC_ASSERT(read->best.designs().size() <= 9U);
  for (const RankedDesign& design : read->best.designs()) RC_ASSERT(design.index < whole.space.size());
}

TEST(ResultsBytes, CutOffAnywhereAreRefused) {
  const Explored& whole = explored();
  const std::string bytes = results_bytes(whole.results);
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    EXPECT_FALSE(read_results(bytes.substr(0, size), whole.space, whole.options.results));
    EXPECT_FALSE(read_results(sealed(bytes.substr(0, size)), whole.space, whole.options.results));
  }
}

}  // namespace
}  // namespace rooftile
