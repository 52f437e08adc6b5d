// A served language model, as JSON.
#include <nlohmann/json.hpp>

#include "rooftile/execution/cache_type.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/price_json.hpp"
#include "rooftile/report/serving.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const TimeSpread& spread) {
  return {{"mean_s", spread.mean.value()},
          {"p50_s", spread.p50.value()},
          {"p90_s", spread.p90.value()},
          {"p99_s", spread.p99.value()}};
}

Json pass_json(const ForwardTime& pass) {
  Json json = {{"time_s", pass.time.value()}};
  if (pass.range) json["time_low_s"] = pass.range->low.value(), json["time_high_s"] = pass.range->high.value();
  json["exchanging_s"] = pass.exchanging.value();
  json["sending_s"] = pass.sending.value();
  return json;
}

Json figures_json(const ServingFigures& figures) {
  return {{"first_token", spread_json(figures.first_token)}, {"each_token", spread_json(figures.each_token)},
          {"latency", spread_json(figures.latency)},         {"requests_per_s", figures.requests_per_second},
          {"tokens_per_s", figures.tokens_per_second},       {"busy", figures.busy}};
}

Json usd_json(const std::optional<Dollars>& usd) { return usd ? Json(usd->value()) : Json(nullptr); }

}  // namespace

std::string serving_json(const ServingReport& report) {
  const EngineSetup& setup = report.setup;
  const DType weights = setup.options.weights.value_or(setup.options.precision);
  Json json = {{"schema", "rooftile/serving/1"},
               {"model", report.model},
               {"precision", name_of(setup.options.precision)},
               {"weights", name_of(weights)},
               {"expert_weights", name_of(setup.options.expert_weights.value_or(weights))},
               {"kv_cache", name_of(cache_type(setup.options.cache, setup.options.precision))},
               {"gpu", setup.gpu.id},
               {"cluster", setup.cluster.id},
               {"tp", setup.way.tp},
               {"pp", setup.way.pp},
               {"dp", setup.way.dp},
               {"ep", setup.way.ep},
               {"dispatcher", setup.way.dp > 1 ? Json(name_of(setup.way.dispatcher)) : Json(nullptr)},
               {"input_tokens", report.input_tokens},
               {"output_tokens", report.output_tokens},
               {"cache_tokens", report.cache_tokens()},
               {"step_tokens", report.server.step_tokens > 0 ? Json(report.server.step_tokens) : Json(nullptr)},
               {"cached", report.server.cached},
               {"price", report.price ? price_json(*report.price) : Json(nullptr)},
               {"notes", report.note.empty() ? Json::array() : Json::array({report.note})},
               {"batches", Json::array()}};
  for (const ServingBatch& one : report.batches) {
    json["batches"].push_back({{"batch_size", one.sequences},
                               {"fits", one.fits},
                               {"prompt", pass_json(one.prompt)},
                               {"step", pass_json(one.step)},
                               {"tokens_per_s", one.tokens_per_second()},
                               {"usd_per_million_tokens", usd_json(report.per_million(one.tokens_per_second()))}});
  }
  if (report.figures) {
    Json arrivals = figures_json(*report.figures);
    arrivals["requests"] = report.requests;
    arrivals["rate_per_s"] = report.rate ? Json(*report.rate) : Json(nullptr);
    arrivals["mean_batch"] = report.mean_batch;
    arrivals["usd_per_million_tokens"] = usd_json(report.per_million(report.figures->tokens_per_second));
    json["arrivals"] = std::move(arrivals);
  }
  if (report.users) {
    Json users = figures_json(report.users->figures);
    users["users"] = report.users->users;
    users["requests"] = report.users->requests;
    users["mean_batch"] = report.users->mean_batch;
    users["usd_per_million_tokens"] = usd_json(report.per_million(report.users->figures.tokens_per_second));
    json["concurrency"] = std::move(users);
  }
  if (report.knee) {
    json["knee"] = {{"rate_per_s", report.knee->rate}};
    if (report.bound.first_token) json["knee"]["first_token_s"] = report.bound.first_token->value();
    if (report.bound.each_token) json["knee"]["each_token_s"] = report.bound.each_token->value();
    if (report.knee->rate > 0) json["knee"]["figures"] = figures_json(report.knee->figures);
  }
  return json_text(json);
}

}  // namespace rooftile
