#include "rooftile/explore/checkpoint.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/results_bytes.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

constexpr const char* kSpace = R"(
gpu = "titan-xp-delta"
sampling = "random"
samples = 100000
[axes]
sm_count = { values = [20, 30, 40, 60, 80] }
registers = { multiples = [0.25, 1, 2] }
dram_bandwidth = { multiples = { from = 1, to = 4 } }
[[workload]]
model = "alexnet"
)";

struct Exploration {
  explicit Exploration(const std::string& text = kSpace, std::int64_t batch = 16, std::size_t best = 7)
      : space(parse_space(text, "space").value()) {
    for (const ZooEntry& entry : zoo()) {
      if (entry.name != "alexnet") continue;
      evaluator =
          std::move(make_evaluator(space, {{.workload = entry.build(batch)}}, {.method = Method::delta}).value());
    }
    options.results.best = best;
    options.results.pareto = {metric_of(Parameter::sm_count), metric_of(Parameter::registers)};
  }
  Fingerprint fingerprint(const std::string& version = "1", const std::string& method = "delta") const {
    return fingerprint_of(space, *evaluator, options, version, method);
  }
  ExploreState nothing() const { return {ExploreResults(space, options.results), {}}; }
  ExploreState some(std::uint64_t blocks) const {
    return explore_blocks(space, *evaluator, options, BlockSet(BlockRange{0, blocks}), nothing()).value();
  }

  DesignSpace space;
  std::unique_ptr<const Evaluator> evaluator;
  ExploreOptions options;
};

TEST(Checkpoint, GoesOnToTheSameBits) {
  Exploration whole;
  const std::string expected = results_bytes(explore(whole.space, *whole.evaluator, whole.options).value());
  const std::string bytes = checkpoint_bytes(whole.fingerprint(), whole.some(17));
  auto from = read_checkpoint(bytes, "file", whole.space, whole.options.results, whole.fingerprint());
  ASSERT_TRUE(from) << from.error().text();
  EXPECT_EQ(from->done, BlockSet(BlockRange{0, 17}));
  whole.options.threads = 3;
  const BlockSet rest = from->done.others(blocks_of(whole.space));
  const auto state = explore_blocks(whole.space, *whole.evaluator, whole.options, rest, *from);
  EXPECT_EQ(results_bytes(state->results), expected);
  EXPECT_EQ(state->done, BlockSet(BlockRange{0, blocks_of(whole.space)}));
}

TEST(Checkpoint, OfAnyMomentGoesOnToTheSameBits) {
  Exploration whole;
  const std::string expected = results_bytes(explore(whole.space, *whole.evaluator, whole.options).value());
  std::vector<std::string> saved;
  whole.options.threads = 3;
  whole.options.save_share = 1e9;
  whole.options.save = [&](const ExploreState& state) {
    saved.push_back(checkpoint_bytes(whole.fingerprint(), state));
  };
  const ExploreResults results = explore(whole.space, *whole.evaluator, whole.options).value();
  EXPECT_EQ(results_bytes(results), expected);
  ASSERT_GT(saved.size(), 2U) << "now and then, and at the end";
  whole.options.save = {};
  for (std::size_t i = 0; i < saved.size(); i += saved.size() / 3) {
    const auto from = read_checkpoint(saved[i], "file", whole.space, whole.options.results, whole.fingerprint());
    ASSERT_TRUE(from) << from.error().text();
    const BlockSet rest = from->done.others(blocks_of(whole.space));
    const auto state = explore_blocks(whole.space, *whole.evaluator, whole.options, rest, *from);
    EXPECT_EQ(results_bytes(state->results), expected) << i;
  }
  const auto last = read_checkpoint(saved.back(), "file", whole.space, whole.options.results, whole.fingerprint());
  EXPECT_EQ(results_bytes(last->results), expected);
}

std::string refusal(const Exploration& made, const Exploration& read, const Fingerprint& there,
                    const Fingerprint& here) {
  const std::string bytes = checkpoint_bytes(there, made.some(2));
  const auto state = read_checkpoint(bytes, "file", read.space, read.options.results, here);
  return state ? "none" : state.error().text();
}

std::string with(const std::string& before, const std::string& after) {
  std::string text = kSpace;
  text.replace(text.find(before), before.size(), after);
  return text;
}

TEST(Checkpoint, OfAnotherExplorationIsRefusedAndSaysWhatIsOther) {
  const Exploration own;
  const auto refused = [&](const Exploration& other) {
    return refusal(other, own, other.fingerprint(), own.fingerprint());
  };
  EXPECT_EQ(refused(own), "none");
  EXPECT_EQ(refused(Exploration(with("20, 30", "25, 30"))),
            "file: is the checkpoint of another exploration: it has different axes; name another file, or delete it");
  EXPECT_THAT(refused(Exploration(with("titan-xp-delta", "v100-delta"))),
              HasSubstr("different GPU (v100-delta, not titan-"));
  EXPECT_THAT(refused(Exploration(with("\"random\"", "\"sobol\""))),
              HasSubstr("different sampling (sobol, 100000 samples, seed 1, not random, 100000 samples, seed 1)"));
  EXPECT_THAT(refused(Exploration(with("samples =", "seed = 7\nsamples ="))), HasSubstr("different sampling"));
  EXPECT_THAT(refused(Exploration(with("[axes]", "constraints = [\"sm_count > 20\"]\n[axes]"))),
              HasSubstr("different constraints (sm_count > 20, not )"));
  EXPECT_THAT(refused(Exploration(with("model =", "weight = 2\nmodel ="))), HasSubstr("different workloads"));
  EXPECT_THAT(refused(Exploration(kSpace, 16, 8)), HasSubstr("different results to keep"));
  EXPECT_THAT(refusal(own, own, own.fingerprint("2"), own.fingerprint("1")),
              HasSubstr("different program version (2, not 1)"));
  EXPECT_THAT(refusal(own, own, own.fingerprint("1", "delta"), own.fingerprint("1", "prior")),
              HasSubstr("different method (delta, not prior)"));
  const Exploration twice(kSpace, 32);  // a model file that has changed
  EXPECT_THAT(refused(twice), HasSubstr("different times and costs of designs"));
}

// A constraint that excludes the designs looked at hides nothing: batch 32 is told from 16.
TEST(Checkpoint, OfOtherTimesIsRefusedWhateverTheConstraints) {
  const std::string rare = with("[axes]", "constraints = [\"dram_bandwidth > 1.79e12\"]\n[axes]");
  const Exploration own(rare), other(rare, 32);
  EXPECT_THAT(refusal(other, own, other.fingerprint(), own.fingerprint()),
              HasSubstr("different times and costs of designs"));
}

TEST(Checkpoint, DamagedAnywhereIsRefused) {
  const Exploration own;
  const std::string bytes = checkpoint_bytes(own.fingerprint(), own.some(3));
  const auto read = [&](const std::string& text) {
    return read_checkpoint(text, "file", own.space, own.options.results, own.fingerprint());
  };
  ASSERT_TRUE(read(bytes));
  for (std::size_t place = 0; place < bytes.size(); place += 1 + place / 40) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    EXPECT_FALSE(read(changed)) << place;
    EXPECT_FALSE(read(bytes.substr(0, place))) << place;
  }
  EXPECT_FALSE(read(bytes + "x"));
}

TEST(Checkpoint, WithBlocksThatItsResultsAreNotOfIsRefused) {
  const Exploration own;
  ExploreState state = own.some(3);
  state.done = BlockSet(BlockRange{0, 4});
  const auto read = read_checkpoint(checkpoint_bytes(own.fingerprint(), state), "file", own.space, own.options.results,
                                    own.fingerprint());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "file: is a damaged checkpoint; delete it to start again");
}

TEST(Checkpoint, ThatIsNotThereIsABeginning) {
  const Exploration own;
  const auto state = load_checkpoint("no/such/file", own.space, own.options.results, own.fingerprint());
  ASSERT_TRUE(state);
  EXPECT_EQ(state->results.designs, 0U);
  EXPECT_TRUE(state->done.empty());
}

}  // namespace
}  // namespace rooftile
