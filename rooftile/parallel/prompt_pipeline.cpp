#include "rooftile/parallel/prompt_pipeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftile {
namespace {

constexpr std::size_t kCopies = 4;

// A stream takes "about 1,000" launches before one has to wait (NVIDIA's developer forum, 68937). cuBLAS has a second
// one in some of its products, which are not counted: 900 of those that are.
constexpr std::size_t kPending = 900;

// A GPU's stream: when the last launches and parts on it ended, each in the place of the one that no longer matters.
struct Stream {
  double launches = 1;  // of a part
  std::vector<Seconds> launched = std::vector<Seconds>(kPending);
  std::array<Seconds, kCopies> left;
  std::size_t launch = 0, part = 0;
  Seconds free;

  // Returns when the part is done, which arrived at `arrives`. The host goes on at `host`.
  Seconds run(Seconds time, Seconds arrives, Seconds& host) {
    Seconds& copy = left[part++ % kCopies];
    host = std::max(host, copy);
    for (double i = 0; i < launches; ++i) {
      Seconds& slot = launched[launch++ % kPending];
      host = std::max(host, slot);
      slot = free = std::max({free, host, arrives}) + time / launches;
    }
    return copy = free;
  }
};

}  // namespace

std::vector<double> layer_shares(std::int64_t layers, std::int64_t gpus) {
  std::vector<double> shares(static_cast<std::size_t>(gpus));
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    shares[static_cast<std::size_t>(layer * gpus / (layers + 1))] += 1 / static_cast<double>(layers);
  }
  return shares;
}

Seconds prompt_time(const PromptPipeline& pipeline, std::span<const Seconds> parts) {
  std::vector<Stream> streams(pipeline.shares.size());
  for (std::size_t gpu = 0; gpu < streams.size(); ++gpu) {
    streams[gpu].launches = std::max(1.0, std::round(pipeline.launches * pipeline.shares[gpu]));
  }
  Seconds host, arrives;
  for (const Seconds part : parts) {
    arrives = Seconds(0);
    for (std::size_t gpu = 0; gpu < streams.size(); ++gpu) {
      arrives = streams[gpu].run(part * pipeline.shares[gpu], arrives, host);
    }
  }
  return arrives;
}

}  // namespace rooftile
