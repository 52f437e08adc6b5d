#include "rooftile/server/engine.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/predict/host.hpp"

namespace rooftile {
namespace {

// Powers of 2^(1/3), rounded: 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, …
constexpr double kSteps = 3;

struct Between {
  std::int64_t low = 1, high = 1;
  double share = 0;  // of the way from one to the other
};

std::int64_t grid_point(double exponent) { return std::llround(std::exp2(exponent / kSteps)); }

Between between(double value) {
  value = std::max(1.0, value);
  double exponent = std::floor(std::log2(value) * kSteps);
  while (static_cast<double>(grid_point(exponent)) > value) --exponent;
  while (static_cast<double>(grid_point(exponent + 1)) <= value) ++exponent;
  Between found{grid_point(exponent), grid_point(exponent + 1)};
  found.share = (value - static_cast<double>(found.low)) / static_cast<double>(found.high - found.low);
  if (found.share == 0) found.high = found.low;
  return found;
}

// A pass at the points of the grid, each predicted once.
class Passes {
 public:
  explicit Passes(const EngineSetup& setup) : setup_(setup) {}

  // Of that many sequences: prompts of `length` tokens after `before` others, or a token after `length` others.
  Result<Seconds> time(bool prompt, double sequences, double length, double before = 0) {
    const Between batch = between(sequences), size = between(length), earlier = between(before);
    const bool first = before < 1;  // part of a prompt
    Seconds sum;
    for (const auto& [n, share] : {std::pair{batch.low, 1 - batch.share}, std::pair{batch.high, batch.share}}) {
      for (const auto& [tokens, part] : {std::pair{size.low, 1 - size.share}, std::pair{size.high, size.share}}) {
        for (const auto& [context, weight] :
             {std::pair{earlier.low, 1 - earlier.share}, std::pair{earlier.high, earlier.share}}) {
          const double all = share * part * weight;
          if (all > 0) sum += TRY(at(prompt, n, tokens, first ? 0 : context)) * all;
        }
      }
    }
    return sum;
  }

  // The products of one step take the rows of both; attention is what it is of each.
  Result<Seconds> mixed(const EngineTimes::Mixed& step) {
    const auto sequences = static_cast<double>(step.sequences);
    const auto tokens = static_cast<double>(step.tokens + step.writing);
    Seconds sum = TRY(time(true, sequences, tokens / sequences, step.before));
    if (step.writing == 0) return sum;
    const auto writing = static_cast<double>(step.writing);
    const Seconds attending = TRY(time(false, writing, step.context)) - TRY(time(false, writing, 1));
    const Seconds host = serving_time(setup_.options, false, writing) - serving_time(setup_.options, false, 0);
    return sum + std::max(attending, Seconds(0)) + host;
  }

 private:
  Result<Seconds> at(bool prompt, std::int64_t sequences, std::int64_t length, std::int64_t before) {
    const auto key = std::tuple(prompt, sequences, length, before);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    ForwardRun run;
    run.batch = sequences;
    run.stages_full = setup_.continuous;
    if (prompt) {
      run.seq_len = length;
      if (before > 0) run.context = before;
    } else {
      run.context = length;
    }
    const auto pass = TRY(parallel_forward(setup_.shape, run, setup_.way, setup_.cluster, setup_.gpu, setup_.options));
    const Seconds host = serving_time(setup_.options, prompt, static_cast<double>(sequences));
    const Seconds time = pass.time + host;
    known_.emplace(key, time);
    return time;
  }

  const EngineSetup& setup_;
  std::map<std::tuple<bool, std::int64_t, std::int64_t, std::int64_t>, Seconds> known_;
};

}  // namespace

EngineTimes engine_times(const EngineSetup& setup) {
  const auto passes = std::make_shared<Passes>(setup);
  EngineTimes times;
  times.prompt = [passes](std::int64_t sequences, std::int64_t tokens) {
    const auto count = static_cast<double>(sequences);
    return passes->time(true, count, static_cast<double>(tokens) / count);
  };
  times.step = [passes](std::int64_t sequences, double context) {
    return passes->time(false, static_cast<double>(sequences), context);
  };
  times.mixed = [passes](const EngineTimes::Mixed& step) { return passes->mixed(step); };
  return times;
}

Result<double> cache_room(const EngineSetup& setup, double memory_share) {
  constexpr std::int64_t kTokens = 1024;
  const ForwardRun run = {.batch = 1, .seq_len = 1, .context = kTokens};
  const auto one = TRY(parallel_forward(setup.shape, run, setup.way, setup.cluster, setup.gpu, setup.options));
  const Bytes all = setup.gpu.level("DRAM").capacity;
  const Bytes room = shares_what_weights_leave(setup.options.framework) ? (all - one.weights) * memory_share
                                                                        : all * memory_share - one.weights;
  return std::max(0.0, room / one.cache * static_cast<double>(kTokens));
}

}  // namespace rooftile
