// A server of a language model, request by request: a simulation by events.
//
// Continuous batching is that of Orca (Yu et al., OSDI 2022) and vLLM (Kwon et al., SOSP 2023): before each step
// waiting requests are taken in the order of their arrival while the batch and the cache have room for all of their
// tokens; their prompts run together, which gives each its first token and holds up the others; then all running
// requests get a token. Nothing is evicted. With a budget of tokens for each step (Sarathi-Serve, Agrawal et al., OSDI
// 2024; vLLM's chunked prefill) all running requests get a token in every step, with speculation also those that are
// drafted, and prompts are read in what that leaves of the budget, in parts where they are longer. A static batch waits
// until it is full or nobody is left to come, and ends with its longest answer.
//
// Data parallel replicas wait for each other in every step, in which they share experts: the one with the most to do
// decides. Requests are spread evenly among them.
//
// Steps in which nothing comes or ends, and the same prompt is read, are jumped over: the effort grows with the
// requests, not with their tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/server/arrivals.hpp"

namespace rooftile {

// How long the engine takes for one of its runs; of replicas, what one of them has to do.
struct EngineTimes {
  std::function<Result<Seconds>(std::int64_t sequences, std::int64_t tokens)> prompt;  // tokens of all together
  std::function<Result<Seconds>(std::int64_t sequences, double context)> step;         // a token more for each
  // Both in one: `tokens` of prompts after `before` others of each, and a token more for `writing` sequences. None: an
  // engine that has no such steps.
  struct Mixed {
    std::int64_t sequences = 1, tokens = 1;  // of prompts
    double before = 0;
    std::int64_t writing = 0;
    double context = 0;  // of those
  };
  std::function<Result<Seconds>(const Mixed&)> mixed = {};
};

// Speculative decoding (Leviathan et al., ICML 2023): a small model drafts tokens, of which a step accepts some.
struct Speculation {
  int drafted = 4;
  double accepted = 0.7;  // probability of each
  double share = 0.1;     // time of drafting one, of a step's
};
// Tokens of a step, as expected: (1 - a^(g+1)) / (1 - a), equation 1.
double tokens_of_step(const Speculation& speculation);

enum class Batching { continuous, fixed };

struct ServerOptions {
  Batching batching = Batching::continuous;
  std::int64_t replicas = 1;  // in step, with requests spread evenly; what follows is of each
  std::int64_t most_sequences = 256;
  double cache_tokens = 1e18;    // that the cache holds, of all sequences
  double cached = 0;             // share of each prompt that the cache holds when its request comes
  std::int64_t step_tokens = 0;  // budget of a step, prompts and answers together; 0: whole prompts run by themselves
  std::int64_t users = 0;        // who send their next request when the last is answered; 0: requests come by the clock
  std::optional<Speculation> speculation = {};
};

struct RequestTimes {
  Seconds arrival, first_token, end;
};

struct ServingRun {
  std::vector<RequestTimes> requests;  // as they were given
  Seconds end;                         // of the last
  Seconds busy;                        // of the engine
  double sequence_time = 0;            // sequences x seconds of steps and prompts
  double most_cache = 0;               // tokens

  double mean_batch() const { return busy > Seconds(0) ? sequence_time / busy.value() : 0; }
};

// The tokens that a step of all sequences writes, drafted ones too: the least budget of a step. vLLM demands a token of
// each sequence (max_num_batched_tokens of at least max_num_seqs).
std::int64_t least_step_tokens(const ServerOptions& options);
Result<void> check(const ServerOptions& options);

// Requests in the order of their arrival; with users, these send them in that order, whenever they arrive. Errors:
// those of the engine and of check(); a request that the cache has no room for.
Result<ServingRun> serve(std::span<const Request> requests, const EngineTimes& engine, const ServerOptions& options);

}  // namespace rooftile
