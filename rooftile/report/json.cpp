#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "rooftile/predict/plan_summary.hpp"
#include "rooftile/report/input_json.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/memory_fit.hpp"
#include "rooftile/report/memory_json.hpp"
#include "rooftile/report/prediction_json.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// A count or a number of bytes: whole, so that traffic is exact to the byte and readers see an integer.
Json integer(double number) {
  assert(std::isfinite(number));
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const double rounded = std::round(number);
  if (std::abs(rounded) > kExact) return rounded;
  return static_cast<std::int64_t>(rounded);
}

template <class Q>
Json value(Q quantity) {
  assert(std::isfinite(quantity.value()));
  return quantity.value();
}

Json plan_json(const PlanSummary& plan) {
  const Tile& tile = plan.tile;
  Json json = {{"algorithm", name_of(plan.algorithm)}, {"tile", {tile.m, tile.n, tile.k}}};
  if (plan.split_k > 1) json["split_k"] = integer(plan.split_k);
  json["ctas"] = integer(plan.ctas);
  json["active_ctas_per_sm"] = integer(plan.active_ctas_per_sm);
  json["waves"] = integer(plan.waves);
  return json;
}

// Whether a case plays a part in a method. Those of DeLTA are always written, so that every layer has them.
bool has_case(Method method, Bottleneck which) {
  switch (which) {
    case Bottleneck::power:
      return method == Method::rooftile;
    case Bottleneck::launch:
      return method == Method::rooftile || method == Method::stream;
    default:
      return true;
  }
}

Json cases_json(const LayerEstimate& layer) {
  Json cases = Json::object();
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    const auto which = static_cast<Bottleneck>(i);
    if (!has_case(layer.method, which)) continue;
    cases[std::string(name_of(which))] = value(layer.cases[which]);
  }
  return cases;
}

Json sample_json(const Sample& sample) {
  if (sample.tokens == 0) return {{"shape", sample.shape}};
  return {{"tokens", sample.tokens}, {"cached", sample.cached}};
}

Json assumed_json(const AssumedHost& host) {
  Json json = {{"server", !host.single_thread}};
  if (host.single_thread) json["single_thread"] = *host.single_thread;
  return json;
}

}  // namespace

Json layer_json(const LayerEstimate& layer, double sm_count) {
  Json json = {{"name", layer.name}, {"op", layer.op}};
  if (!layer.function.empty()) json["function"] = layer.function;
  json["pass"] = name_of(layer.pass);
  json["method"] = name_of(layer.method);
  json["output"] = layer.output;
  json["flops"] = integer(layer.flops.value());
  json["time_s"] = value(layer.time);
  if (layer.time_low) json["time_low_s"] = value(*layer.time_low);
  if (layer.time_high) json["time_high_s"] = value(*layer.time_high);
  json["kernels"] = integer(layer.kernels);
  if (const auto plan = plan_summary(layer, sm_count)) {
    json["gemm"] = {
        {"m", integer(plan->m)}, {"n", integer(plan->n)}, {"k", integer(plan->k)}, {"groups", integer(plan->groups)}};
    json["plan"] = plan_json(*plan);
  }
  json["traffic_bytes"] = {{"l1", integer(layer.traffic.l1.value())},
                           {"l2", integer(layer.traffic.l2.value())},
                           {"dram", integer(layer.traffic.dram.value())},
                           {"store_l2", integer(layer.traffic.store_l2.value())},
                           {"store_dram", integer(layer.traffic.store_dram.value())},
                           {"compulsory", integer(layer.traffic.compulsory.value())}};
  json["bottleneck"] = layer.method == Method::none ? Json(nullptr) : Json(name_of(layer.bottleneck));
  json["cases_s"] = cases_json(layer);
  return json;
}

Json prediction_json(const Prediction& prediction, const Gpu* gpu) {
  const auto throughput = prediction.throughput_per_second();
  const MemoryUse& memory = prediction.memory;
  Json json = {{"schema", "rooftile/prediction/1"},
               {"model", prediction.model},
               {"gpu", prediction.gpu},
               {"batch_size", prediction.batch_size},
               {"precision", prediction.precision_name()},
               {"computed", name_of(prediction.computed)},
               {"pass", prediction.pass},
               {"execution", name_of(prediction.execution)},
               {"method", prediction.method},
               {"time_s", value(prediction.time)}};
  if (!prediction.sample.shape.empty()) json["sample"] = sample_json(prediction.sample);
  if (prediction.weights) json["weights"] = name_of(*prediction.weights);
  if (prediction.expert_weights) json["expert_weights"] = name_of(*prediction.expert_weights);
  if (prediction.cache) json["kv_cache"] = name_of(*prediction.cache);
  if (prediction.host) {
    json["host"] = {{"gpu_busy_s", value(prediction.host->gpu_busy)},
                    {"waiting_s", value(prediction.host->waiting)},
                    {"issuing_s", value(prediction.host->issuing)}};
    if (prediction.host->assumed) json["host"]["assumed"] = assumed_json(*prediction.host->assumed);
  }
  if (prediction.input) json["input"] = input_json(*prediction.input);
  if (prediction.phases) {
    json["phases_s"] = {{"forward", value(prediction.phases->forward)},
                        {"backward", value(prediction.phases->backward)},
                        {"update", value(prediction.phases->update)}};
    json["micro_batches"] = prediction.micro_batches;
    if (!prediction.optimizer.empty()) json["optimizer"] = prediction.optimizer;
    json["recompute"] = name_of(prediction.recompute);
  }
  if (const auto interval = interval_of(prediction)) {
    json["time_low_s"] = value(interval->low);
    json["time_high_s"] = value(interval->high);
  } else {
    json["no_interval"] = why_no_interval(prediction);
  }
  json["throughput_per_s"] = throughput ? Json(*throughput) : Json(nullptr);
  json["flops"] = integer(prediction.flops.value());
  json["memory_bytes"] = memory_json(memory);
  if (gpu != nullptr) {
    json["memory_bytes"]["gpu"] = integer(gpu->level("DRAM").capacity.value());
    json["fits_memory"] = fits(memory, *gpu);
  }
  json["unsupported"] = Json::array();
  json["layers"] = Json::array();
  for (const Skipped& op : prediction.unsupported) {
    json["unsupported"].push_back({{"name", op.name}, {"op_type", op.op_type}});
  }
  if (!prediction.notes.empty()) json["notes"] = prediction.notes;
  for (const LayerEstimate& layer : prediction.layers) {
    json["layers"].push_back(layer_json(layer, prediction.sm_count));
  }
  return json;
}

std::string json_report(std::span<const Prediction> predictions, std::span<const Gpu> gpus) {
  Json json = Json::array();
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    json.push_back(prediction_json(predictions[i], gpus.empty() ? nullptr : &gpus[i]));
  }
  // A model may carry any bytes in its names; what is not UTF-8 is replaced, not fatal.
  return json_list_text(json);
}

}  // namespace rooftile
