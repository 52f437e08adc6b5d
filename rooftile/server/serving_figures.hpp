// What users of a server notice, and what it costs.
#pragma once

#include <optional>
#include <span>

#include "rooftile/server/server.hpp"

namespace rooftile {

// Of a time over all requests.
struct TimeSpread {
  Seconds mean, p50, p90, p99;
};

struct ServingFigures {
  TimeSpread first_token;                                 // from arrival
  TimeSpread each_token;                                  // after the first; of requests with more than one
  TimeSpread latency;                                     // from arrival to the last
  double requests_per_second = 0, tokens_per_second = 0;  // from the first arrival to the end; tokens written
  double busy = 0;                                        // share of that time
};
ServingFigures figures_of(std::span<const Request> requests, const ServingRun& run);

// Requests a second that the server serves while others always wait: it keeps up with no higher rate.
Result<double> most_served(std::int64_t input_tokens, std::int64_t output_tokens, const EngineTimes& engine,
                           const ServerOptions& options, std::size_t requests);

// The highest rate of arrivals that the server keeps up with, and at which nine of ten first tokens, and of each
// further token, are within bounds.
struct LatencyBound {
  std::optional<Seconds> first_token, each_token;
};
struct Knee {
  double rate = 0;  // requests a second; 0: not even a trickle
  ServingFigures figures;
};
Result<Knee> knee_of(std::int64_t input_tokens, std::int64_t output_tokens, const LatencyBound& bound,
                     const EngineTimes& engine, const ServerOptions& options, std::size_t requests, std::uint64_t seed);

}  // namespace rooftile
