// A roofline as JSON.
#include <cmath>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "rooftile/report/json_text.hpp"
#include "rooftile/report/roofline.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;
using roofline::Kernel;
using roofline::Roof;
using roofline::View;

// JSON has no infinity: a kernel without bytes has null for its intensity.
Json finite(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json optional(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json roof_json(const Roof& roof) {
  Json levels = Json::array(), peaks = Json::object(), sources = Json::array();
  for (const roofline::RoofLevel& level : roof.levels) {
    levels.push_back({{"name", level.name}, {"bandwidth_bytes_per_s", level.bandwidth.value()}});
  }
  for (std::size_t i = 0; i < kPeaks; ++i) {
    if (roof.peaks[i] > FlopsPerSecond(0)) peaks[std::string(name_of(static_cast<Peak>(i)))] = roof.peaks[i].value();
  }
  for (const Fact& fact : roof.sources) {
    sources.push_back({{"key", fact.key}, {"text", fact.text}, {"kind", name_of(fact.kind)}, {"source", fact.source}});
  }
  return {{"name", roof.name},
          {"levels", levels},
          {"peaks_flops_per_s", peaks},
          {"launch_overhead_s", roof.launch_overhead.value()},
          {"sources", sources}};
}

Json point_json(const roofline::TimePoint& point) {
  return {{"roof", name_of(point.peak)},
          {"intensity", finite(point.intensity)},
          {"balance", point.balance},
          {"bound", name_of(point.bound)},
          {"ideal_compute_s", point.ideal_compute.value()},
          {"ideal_bandwidth_s", point.ideal_bandwidth.value()},
          {"overhead_s", point.overhead.value()},
          {"achievable_s", point.achievable.value()},
          {"compute_time_s", point.compute_time.value()},
          {"bandwidth_time_s", point.bandwidth_time.value()},
          {"inefficiency", point.inefficiency}};
}

Json stalls_json(const std::vector<roofline::StallShare>& stalls) {
  Json json = Json::object();
  for (const roofline::StallShare& stall : stalls) json[stall.name] = stall.share;
  return json;
}

Json kernel_json(const View& view, const Kernel& kernel) {
  Json json = {{"name", kernel.name}, {"layer", kernel.layer}, {"op", kernel.op}, {"origin", name_of(kernel.origin)}};
  if (kernel.pass) json["pass"] = name_of(*kernel.pass);
  json["unit"] = name_of(kernel.unit);
  json["flops"] = nullptr;
  if (kernel.flops_known) {
    json["flops"] = Json::object();
    for (std::size_t i = 0; i < kPeaks; ++i) {
      if (kernel.flops[i] > Flops(0))
        json["flops"][std::string(name_of(static_cast<Peak>(i)))] = kernel.flops[i].value();
    }
  }
  Json bytes = Json::object(), points = Json::object();
  for (std::size_t i = 0; i < view.roof.levels.size(); ++i) {
    if (kernel.bytes[i]) bytes[view.roof.levels[i].name] = kernel.bytes[i]->value();
    if (const auto point = point_of(view, kernel, i)) points[view.roof.levels[i].name] = point_json(*point);
  }
  json["bytes"] = bytes;
  json["launches"] = kernel.launches;
  json["time_s"] = kernel.time.value();
  if (kernel.time_low) json["time_low_s"] = kernel.time_low->value();
  if (kernel.time_high) json["time_high_s"] = kernel.time_high->value();
  json["points"] = points;
  if (kernel.bottleneck) json["bottleneck"] = name_of(*kernel.bottleneck);
  if (kernel.cases) {
    json["cases_s"] = Json::object();
    for (std::size_t i = 0; i < kBottlenecks; ++i) {
      json["cases_s"][std::string(name_of(static_cast<Bottleneck>(i)))] = kernel.cases->by[i].value();
    }
  }
  if (!kernel.stalls.empty()) {
    json["stalls"] = stalls_json(kernel.stalls);
    json["stalls_estimated"] = kernel.stalls_estimated;
  }
  return json;
}

Json match_json(const View& view, const roofline::Match& match) {
  Json bytes = Json::object();
  for (std::size_t i = 0; i < match.bytes_ratio.size(); ++i) {
    if (match.bytes_ratio[i]) bytes[view.roof.levels[i].name] = *match.bytes_ratio[i];
  }
  return {{"predicted", match.predicted},
          {"measured", match.measured},
          {"by", match.by},
          {"measured_time_s", match.measured_time.value()},
          {"time_ratio", match.time_ratio},
          {"bytes_ratio", bytes},
          {"achievable_s", match.achievable ? Json(match.achievable->value()) : Json(nullptr)},
          {"loss_s", match.loss ? Json(match.loss->value()) : Json(nullptr)}};
}

Json json_of(const View& view) {
  Json json = {{"schema", "rooftile/roofline/1"}, {"title", view.title}, {"gpu", view.gpu}};
  if (!view.model.empty()) {
    json["model"] = view.model;
    json["batch_size"] = view.batch_size.value_or(1);
    json["precision"] = view.precision;
    json["pass"] = view.pass;
    json["method"] = view.method;
  }
  json["profiles"] = view.profiles;
  json["roof"] = roof_json(view.roof);
  json["level"] = view.roof.levels[view.level].name;
  json["forced_roof"] = view.forced ? Json(name_of(*view.forced)) : Json(nullptr);
  json["kernels"] = Json::array();
  for (const Kernel& kernel : view.kernels) json["kernels"].push_back(kernel_json(view, kernel));
  json["matches"] = Json::array();
  for (const roofline::Match& match : view.matches) json["matches"].push_back(match_json(view, match));
  json["unmatched"] = view.unmatched;
  json["stalls"] = Json::array();
  for (const roofline::NetworkStalls& network : view.stalls) {
    json["stalls"].push_back({{"origin", name_of(network.origin)},
                              {"estimated", network.estimated},
                              {"time_s", network.time.value()},
                              {"shares", stalls_json(network.shares)}});
  }
  json["utilisation"] = {{"gpu", optional(view.utilisation.gpu)},
                         {"fp32", optional(view.utilisation.fp32)},
                         {"cpu", optional(view.utilisation.cpu)}};
  json["notes"] = view.notes;
  json["assumptions"] = view.assumptions;
  Json first = Json::array();
  for (const roofline::DroppedInput& dropped : view.dropped) {
    first.push_back({{"where", dropped.where}, {"reason", dropped.reason}});
  }
  json["dropped"] = {{"count", view.dropped_count}, {"first", first}};
  return json;
}

}  // namespace

std::string roofline_json(std::span<const View> views) {
  Json json = Json::array();
  for (const View& view : views) json.push_back(json_of(view));
  // Names come from models and profiles and may hold any bytes; what is not UTF-8 is replaced.
  return json_list_text(json);
}

}  // namespace rooftile
