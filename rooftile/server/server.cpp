#include "rooftile/server/server.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

// Of a step's budget, what a sequence takes that writes: its next token, and those that are drafted.
std::int64_t written(const ServerOptions& options) {
  return options.speculation ? 1 + options.speculation->drafted : 1;
}

double whole(const Request& request) { return static_cast<double>(request.input_tokens + request.output_tokens); }

// Of a prompt, what has to be read: at least its last token, whose answer nobody knows.
std::int64_t uncached(const Request& request, const ServerOptions& options) {
  const auto held = static_cast<std::int64_t>(static_cast<double>(request.input_tokens) * options.cached);
  return std::max<std::int64_t>(1, request.input_tokens - held);
}

class Server {
 public:
  Server(std::span<const Request> requests, const EngineTimes& engine, const ServerOptions& options)
      : requests_(requests), engine_(engine), options_(options) {
    run_.requests.resize(requests.size());
    if (options.speculation) tokens_ = tokens_of_step(*options.speculation);
    const auto users = static_cast<std::size_t>(options.users);
    sent_ = users > 0 ? std::min(users, requests.size()) : requests.size();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (users == 0) run_.requests[i].arrival = requests[i].arrival;
      if (i >= sent_) run_.requests[i].arrival = kNever;
    }
  }

  Result<ServingRun> through() {
    while (next_ < requests_.size() || !running_.empty()) {
      admit();
      if (unread_ > 0) {
        TRY(in_parts() ? read_and_write() : read_prompts());
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
  static constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

  struct Running {
    std::size_t request;
    std::int64_t unread;   // tokens of the prompt
    double context, left;  // tokens in the cache, and still to write
  };

  bool continuous() const { return options_.batching == Batching::continuous; }
  bool in_parts() const { return options_.step_tokens > 0; }

  std::int64_t most_sequences() const { return options_.most_sequences * options_.replicas; }

  double most_cached() const { return options_.cache_tokens * static_cast<double>(options_.replicas); }

  // The most that a replica has of so many.
  std::int64_t of_one(std::int64_t all) const { return (all + options_.replicas - 1) / options_.replicas; }

  // Tokens of `count` prompts, as the replica with the most of them has them.
  std::int64_t tokens_of_one(std::int64_t tokens, std::int64_t count) const {
    return (tokens * of_one(count) + count - 1) / count;
  }

  Seconds arrival(std::size_t request) const { return run_.requests[request].arrival; }

  // When the next batch may begin.
  Seconds ready_at() const {
    if (continuous()) return arrival(next_);
    const auto full = next_ + static_cast<std::size_t>(most_sequences()) - 1;
    return arrival(std::min({full, requests_.size() - 1, sent_ - 1}));
  }

  // Takes requests in, which are then the last of `running_`.
  void admit() {
    if (next_ == requests_.size() || now_ < ready_at()) return;
    if (!continuous() && !running_.empty()) return;
    while (next_ < requests_.size() && arrival(next_) <= now_ &&
           static_cast<std::int64_t>(running_.size()) < most_sequences() &&
           cache_ + whole(requests_[next_]) <= most_cached()) {
      const Request& request = requests_[next_];
      cache_ += whole(request);
      const std::int64_t unread = uncached(request, options_);
      unread_ += unread;
      running_.push_back({next_, unread, static_cast<double>(request.input_tokens - unread),
                          static_cast<double>(request.output_tokens)});
      ++next_;
    }
    run_.most_cache = std::max(run_.most_cache, cache_);
  }

  void work(Seconds time, std::size_t sequences) {
    now_ += time;
    run_.busy += time;
    run_.sequence_time += time.value() * static_cast<double>(sequences);
  }

  // The prompts of all that were just taken in.
  Result<void> read_prompts() {
    const auto waits = [](const Running& one) { return one.unread > 0; };
    const auto count = std::count_if(running_.begin(), running_.end(), waits);
    const std::int64_t tokens = tokens_of_one(unread_, count);
    double before = 0;
    for (const Running& one : running_) before += one.unread > 0 ? one.context : 0;
    before /= static_cast<double>(count);
    const Seconds time = before > 0
                             ? TRY(engine_.mixed({.sequences = of_one(count), .tokens = tokens, .before = before}))
                             : TRY(engine_.prompt(of_one(count), tokens));
    work(time, static_cast<std::size_t>(count));
    for (Running& one : running_) {
      if (one.unread > 0) read(one, one.unread);
    }
    finish();
    return {};
  }

  void read(Running& one, std::int64_t tokens) {
    one.unread -= tokens;
    unread_ -= tokens;
    one.context += static_cast<double>(tokens);
    if (one.unread > 0) return;
    run_.requests[one.request].first_token = now_;
    one.context += 1;
    one.left -= 1;
  }

  // One step within the budget: those that write come first, then prompts in the order of their arrival.
  Result<void> read_and_write() {
    EngineTimes::Mixed mixed{.sequences = 0, .tokens = 0};
    for (const Running& one : running_) {
      if (one.unread == 0) ++mixed.writing, mixed.context += one.context;
    }
    if (mixed.writing > 0) mixed.context /= static_cast<double>(mixed.writing);
    std::vector<std::int64_t> parts(running_.size());
    std::int64_t budget = options_.step_tokens * options_.replicas - mixed.writing * written(options_);
    mixed.writing = of_one(mixed.writing);
    // Of one prompt. The replica that reads it may have one to write less.
    const std::int64_t most = std::max<std::int64_t>(1, options_.step_tokens - mixed.writing * written(options_));
    for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
      parts[i] = std::min({running_[i].unread, budget, most});
      if (parts[i] == 0) continue;
      budget -= parts[i];
      mixed.tokens += parts[i], ++mixed.sequences;
      mixed.before += running_[i].context;
    }
    mixed.before /= static_cast<double>(mixed.sequences);
    mixed.tokens = tokens_of_one(mixed.tokens, mixed.sequences);
    mixed.sequences = of_one(mixed.sequences);
    Seconds step = TRY(mixed_time(mixed));
    const double steps = alike(parts, step);
    if (steps > 1) {
      mixed.before += (steps - 1) * static_cast<double>(mixed.tokens) / 2;
      mixed.context += (steps - 1) * tokens_ / 2;
      step = TRY(mixed_time(mixed));
    }
    work(step * steps, running_.size());
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if (parts[i] > 0) {
        read(running_[i], parts[i] * static_cast<std::int64_t>(steps));
      } else if (running_[i].unread == 0) {
        running_[i].context += steps * tokens_, running_[i].left -= steps * tokens_;
      }
    }
    finish();
    return {};
  }

  // How many steps read such a part of the same prompt, before anybody comes or is done.
  double alike(const std::vector<std::int64_t>& parts, Seconds step) const {
    double steps = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const Running& one = running_[i];
      if (parts[i] > 0) {
        steps = std::min(steps, static_cast<double>(one.unread / parts[i]));
      } else if (one.unread == 0) {
        steps = std::min(steps, std::ceil(one.left / tokens_));
      }
    }
    return has_room() ? std::clamp(std::ceil((arrival(next_) - now_) / step), 1.0, steps) : steps;
  }

  Result<void> write_tokens() {
    double context = 0, least = std::numeric_limits<double>::infinity();
    for (const Running& one : running_) {
      context += one.context;
      least = std::min(least, one.left);
    }
    const auto sequences = static_cast<std::int64_t>(running_.size());
    context /= static_cast<double>(sequences);
    const std::int64_t writing = of_one(sequences);
    double steps = std::ceil(least / tokens_);
    Seconds step = TRY(step_time(writing, context));
    // Whoever comes is looked at after the step that runs then.
    if (has_room()) steps = std::clamp(std::ceil((arrival(next_) - now_) / step), 1.0, steps);
    if (steps > 1) step = TRY(step_time(writing, context + (steps - 1) * tokens_ / 2));
    work(step * steps, running_.size());
    for (Running& one : running_) {
      one.context += steps * tokens_;
      one.left -= steps * tokens_;
    }
    finish();
    return {};
  }

  // For the next request, if it came.
  bool has_room() const {
    return static_cast<std::int64_t>(running_.size()) < most_sequences() && continuous() && next_ < requests_.size() &&
           cache_ + whole(requests_[next_]) <= most_cached();
  }

  Result<Seconds> mixed_time(const EngineTimes::Mixed& mixed) const {
    const Seconds step = TRY(engine_.mixed(mixed));
    const bool drafts = options_.speculation && mixed.writing > 0;
    return drafts ? step + TRY(drafting(mixed.writing, mixed.context)) : step;
  }

  Result<Seconds> step_time(std::int64_t sequences, double context) const {
    const Seconds step = TRY(engine_.step(sequences, context));
    return options_.speculation ? step + TRY(drafting(sequences, context)) : step;
  }

  Result<Seconds> drafting(std::int64_t sequences, double context) const {
    return TRY(engine_.step(sequences, context)) * (options_.speculation->drafted * options_.speculation->share);
  }

  // A sequence of a static batch keeps its place until the longest is done.
  void finish() {
    constexpr double kNothing = 1e-9;
    for (const Running& one : running_) {
      RequestTimes& times = run_.requests[one.request];
      if (one.left > kNothing || times.end != Seconds(0)) continue;
      times.end = now_;
      if (sent_ < requests_.size()) run_.requests[sent_++].arrival = now_;
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
  std::size_t next_ = 0, sent_ = 0;
  double cache_ = 0;
  std::int64_t unread_ = 0;  // tokens of prompts that were taken in
  std::vector<Running> running_;
  ServingRun run_;
};

}  // namespace

double tokens_of_step(const Speculation& speculation) {
  const double a = speculation.accepted, drafted = speculation.drafted;
  return a >= 1 ? drafted + 1 : (1 - std::pow(a, drafted + 1)) / (1 - a);
}

std::int64_t least_step_tokens(const ServerOptions& options) { return options.most_sequences * written(options); }

Result<void> check(const ServerOptions& options) {
  const std::int64_t needed = least_step_tokens(options);
  if (options.step_tokens == 0 || options.step_tokens >= needed) return {};
  const char* each = options.speculation ? ", those drafted included" : "";
  return fail(ErrorCode::usage,
              fmt::format("chunk {} is too small: {} sequences write up to {} tokens in a step{}; give "
                          "a larger chunk or a smaller max",
                          options.step_tokens, options.most_sequences, needed, each));
}

Result<ServingRun> serve(std::span<const Request> requests, const EngineTimes& engine, const ServerOptions& options) {
  TRY(check(options));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (whole(requests[i]) <= options.cache_tokens) continue;
    return fail(ErrorCode::unsupported, fmt::format("request {} needs {:.0f} tokens of cache; there is room for {:.0f}",
                                                    i + 1, whole(requests[i]), options.cache_tokens));
  }
  return Server(requests, engine, options).through();
}

}  // namespace rooftile
