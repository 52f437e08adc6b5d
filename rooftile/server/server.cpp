#include "rooftile/server/server.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

double whole(const Request& request) { return static_cast<double>(request.input_tokens + request.output_tokens); }

class Server {
 public:
  Server(std::span<const Request> requests, const EngineTimes& engine, const ServerOptions& options)
      : requests_(requests), engine_(engine), options_(options) {
    run_.requests.resize(requests.size());
    if (options.speculation) tokens_ = tokens_of_step(*options.speculation);
  }

  Result<ServingRun> through() {
    while (next_ < requests_.size() || !running_.empty()) {
      const std::size_t admitted = admit();
      if (admitted > 0) {
        TRY(read_prompts(admitted));
      } else if (!running_.empty()) {
        TRY(write_tokens());
      } else {
        now_ = std::max(now_, ready_at());
      }
    }
    run_.end = now_;
    return std::move(run_);
  }

 private:
  struct Running {
    std::size_t request;
    double context, left;  // tokens in the cache, and still to write
  };

  bool continuous() const { return options_.batching == Batching::continuous; }

  // When the next batch may begin.
  Seconds ready_at() const {
    if (continuous()) return requests_[next_].arrival;
    const auto full = next_ + static_cast<std::size_t>(options_.most_sequences) - 1;
    return requests_[std::min(full, requests_.size() - 1)].arrival;
  }

  // Requests taken in, which are then the last of `running_`.
  std::size_t admit() {
    if (next_ == requests_.size() || now_ < ready_at()) return 0;
    if (!continuous() && !running_.empty()) return 0;
    std::size_t admitted = 0;
    while (next_ < requests_.size() && requests_[next_].arrival <= now_ &&
           static_cast<std::int64_t>(running_.size()) < options_.most_sequences &&
           cache_ + whole(requests_[next_]) <= options_.cache_tokens) {
      const Request& request = requests_[next_];
      cache_ += whole(request);
      running_.push_back(
          {next_, static_cast<double>(request.input_tokens), static_cast<double>(request.output_tokens)});
      ++next_;
      ++admitted;
    }
    run_.most_cache = std::max(run_.most_cache, cache_);
    return admitted;
  }

  void work(Seconds time, std::size_t sequences) {
    now_ += time;
    run_.busy += time;
    run_.sequence_time += time.value() * static_cast<double>(sequences);
  }

  Result<void> read_prompts(std::size_t count) {
    std::int64_t tokens = 0;
    const auto first = running_.end() - static_cast<std::ptrdiff_t>(count);
    for (auto one = first; one != running_.end(); ++one) tokens += requests_[one->request].input_tokens;
    work(TRY(engine_.prompt(static_cast<std::int64_t>(count), tokens)), count);
    for (auto one = first; one != running_.end(); ++one) {
      run_.requests[one->request].first_token = now_;
      one->context += 1;
      one->left -= 1;
    }
    finish();
    return {};
  }

  Result<void> write_tokens() {
    double context = 0, least = std::numeric_limits<double>::infinity();
    for (const Running& one : running_) {
      context += one.context;
      least = std::min(least, one.left);
    }
    const auto sequences = static_cast<std::int64_t>(running_.size());
    context /= static_cast<double>(sequences);
    double steps = std::ceil(least / tokens_);
    Seconds step = TRY(step_time(sequences, context));
    // Whoever comes is looked at after the step that runs then.
    const bool room = sequences < options_.most_sequences && continuous() && next_ < requests_.size() &&
                      cache_ + whole(requests_[next_]) <= options_.cache_tokens;
    if (room) steps = std::clamp(std::ceil((requests_[next_].arrival - now_) / step), 1.0, steps);
    if (steps > 1) step = TRY(step_time(sequences, context + (steps - 1) * tokens_ / 2));
    work(step * steps, running_.size());
    for (Running& one : running_) {
      one.context += steps * tokens_;
      one.left -= steps * tokens_;
    }
    finish();
    return {};
  }

  Result<Seconds> step_time(std::int64_t sequences, double context) const {
    const Seconds step = TRY(engine_.step(sequences, context));
    if (!options_.speculation) return step;
    return step * (1 + options_.speculation->drafted * options_.speculation->share);
  }

  // A sequence of a static batch keeps its place until the longest is done.
  void finish() {
    constexpr double kNothing = 1e-9;
    for (const Running& one : running_) {
      RequestTimes& times = run_.requests[one.request];
      if (one.left <= kNothing && times.end == Seconds(0)) times.end = now_;
    }
    const auto done = [&](const Running& one) {
      if (one.left > kNothing) return false;
      cache_ -= whole(requests_[one.request]);
      return true;
    };
    std::erase_if(running_, done);
  }

  std::span<const Request> requests_;
  const EngineTimes& engine_;
  const ServerOptions& options_;
  double tokens_ = 1;  // of a step
  Seconds now_;
  std::size_t next_ = 0;
  double cache_ = 0;
  std::vector<Running> running_;
  ServingRun run_;
};

}  // namespace

double tokens_of_step(const Speculation& speculation) {
  const double a = speculation.accepted, drafted = speculation.drafted;
  return a >= 1 ? drafted + 1 : (1 - std::pow(a, drafted + 1)) / (1 - a);
}

Result<ServingRun> serve(std::span<const Request> requests, const EngineTimes& engine, const ServerOptions& options) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (whole(requests[i]) <= options.cache_tokens) continue;
    return fail(ErrorCode::unsupported, fmt::format("request {} needs {:.0f} tokens of cache; there is room for {:.0f}",
                                                    i + 1, whole(requests[i]), options.cache_tokens));
  }
  return Server(requests, engine, options).through();
}

}  // namespace rooftile
