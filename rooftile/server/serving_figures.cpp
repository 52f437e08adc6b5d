#include "rooftile/server/serving_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "rooftile/base/quantile.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

TimeSpread spread_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return {Seconds(sum / static_cast<double>(seconds.size())), Seconds(sorted_quantile(seconds, 0.5)),
          Seconds(sorted_quantile(seconds, 0.9)), Seconds(sorted_quantile(seconds, 0.99))};
}

bool within(const ServingFigures& figures, const LatencyBound& bound) {
  return (!bound.first_token || figures.first_token.p90 <= *bound.first_token) &&
         (!bound.each_token || figures.each_token.p90 <= *bound.each_token);
}

}  // namespace

ServingFigures figures_of(std::span<const Request> requests, const ServingRun& run) {
  std::vector<double> first, each, whole;
  double tokens = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    const RequestTimes& times = run.requests[i];
    first.push_back((times.first_token - times.arrival).value());
    whole.push_back((times.end - times.arrival).value());
    const auto further = static_cast<double>(request.output_tokens - 1);
    if (further > 0) each.push_back((times.end - times.first_token).value() / further);
    tokens += static_cast<double>(request.output_tokens);
  }
  ServingFigures figures;
  figures.first_token = spread_of(std::move(first));
  figures.each_token = spread_of(std::move(each));
  figures.latency = spread_of(std::move(whole));
  const Seconds span = requests.empty() ? Seconds(0) : run.end - run.requests.front().arrival;
  if (span <= Seconds(0)) return figures;
  figures.requests_per_second = static_cast<double>(requests.size()) / span.value();
  figures.tokens_per_second = tokens / span.value();
  figures.busy = run.busy / span;
  return figures;
}

Result<double> most_served(std::int64_t input_tokens, std::int64_t output_tokens, const EngineTimes& engine,
                           const ServerOptions& options, std::size_t requests) {
  constexpr double kFlood = 1e6;
  const auto arrivals = poisson_arrivals(kFlood, requests, input_tokens, output_tokens);
  const ServingRun run = TRY(serve(arrivals, engine, options));
  return figures_of(arrivals, run).requests_per_second;
}

Result<Knee> knee_of(std::int64_t input_tokens, std::int64_t output_tokens, const LatencyBound& bound,
                     const EngineTimes& engine, const ServerOptions& options, std::size_t requests,
                     std::uint64_t seed) {
  const auto at = [&](double rate) -> Result<ServingFigures> {
    const auto arrivals = poisson_arrivals(rate, requests, input_tokens, output_tokens, seed);
    const ServingRun run = TRY(serve(arrivals, engine, options));
    return figures_of(arrivals, run);
  };
  constexpr double kTrickle = 1e-3, kFaster = 4, kClose = 1.01;
  Knee knee;
  // At a higher rate requests wait ever longer, however few the simulation has.
  const auto most = TRY(most_served(input_tokens, output_tokens, engine, options, requests));
  // Batches of a fixed size wait the longer the fewer requests come: rates may be too low as well as too high.
  double high = 0;
  for (double rate = kTrickle, tried = 0; tried < most; rate *= kFaster) {
    tried = std::min(rate, most);
    const ServingFigures figures = TRY(at(tried));
    if (!within(figures, bound)) continue;
    knee = {tried, figures};
    high = std::min(tried * kFaster, most);
  }
  while (high > knee.rate * kClose) {
    const double middle = std::sqrt(high * knee.rate);
    const ServingFigures figures = TRY(at(middle));
    if (within(figures, bound)) {
      knee = {middle, figures};
    } else {
      high = middle;
    }
  }
  return knee;
}

}  // namespace rooftile
