// A checkpoint with some bytes written over and sealed anew, so that more is met than the seal; and any bytes as one.
// An error, or a state that is written as it was read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/explore/bytes.hpp"
#include "rooftile/explore/checkpoint.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace {

using namespace rooftile;

constexpr std::string_view kSpace = R"(
gpu = "titan-xp-delta"
sampling = "random"
samples = 20000
[axes]
sm_count = { values = [20, 30, 40] }
dram_bandwidth = { multiples = { from = 1, to = 4 } }
[[workload]]
model = "alexnet"
)";
constexpr std::string_view kFirstLine = "rooftile/checkpoint/1\n";

struct Exploration {
  Exploration() {
    options.results.best = 3;
    options.results.pareto = {metric_of(Parameter::sm_count)};
    for (const ZooEntry& entry : zoo()) {
      if (entry.name != "alexnet") continue;
      const auto evaluator = make_evaluator(space, {{.workload = entry.build(1)}}, {.method = Method::delta}).value();
      fingerprint = fingerprint_of(space, *evaluator, options, "1", "delta");
      const ExploreState nothing = {ExploreResults(space, options.results), {}};
      const auto some = explore_blocks(space, *evaluator, options, BlockSet(BlockRange{0, 2}), nothing).value();
      bytes = checkpoint_bytes(fingerprint, some);
    }
  }

  DesignSpace space = parse_space(kSpace, "space").value();
  ExploreOptions options;
  Fingerprint fingerprint;
  std::string bytes;
};

void read(const Exploration& own, std::string_view bytes) {
  const auto state = read_checkpoint(bytes, "fuzz", own.space, own.options.results, own.fingerprint);
  if (!state) {
    if (!is_one_line_error(state.error())) std::abort();
    return;
  }
  const std::string written = checkpoint_bytes(own.fingerprint, *state);
  if (!read_checkpoint(written, "again", own.space, own.options.results, own.fingerprint)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Exploration own;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(own, text);
  constexpr std::size_t kPlace = 2;
  if (size < kPlace) return 0;
  std::string content(*unsealed(std::string_view(own.bytes).substr(kFirstLine.size())));
  const std::size_t at = (data[0] * std::size_t{256} + data[1]) % content.size();
  content.replace(at, size - kPlace, text.substr(kPlace));
  read(own, std::string(kFirstLine) + sealed(content));
  return 0;
}
