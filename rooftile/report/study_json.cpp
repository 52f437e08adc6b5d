#include <nlohmann/json.hpp>

#include "rooftile/report/json_text.hpp"
#include "rooftile/report/study.hpp"
#include "rooftile/roofline/stalls.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json price_of_part(const std::optional<Dollars>& usd, const std::string& source) {
  return {{"usd", usd ? Json(usd->value()) : Json(nullptr)},
          {"source", usd && !source.empty() ? Json(source) : Json(nullptr)}};
}

Json run_json(const Study& study, const StudyRun& run) {
  const Application& application = study.applications[run.application];
  Json json = {{"application", application.name},   {"label", application.label},
               {"gpu", study.gpus[run.gpu].gpu.id}, {"batch_size", application.batch},
               {"step_s", run.step.value()},        {"throughput_per_s", run.samples_per_second},
               {"relative", run.relative},          {"per_1000_usd", run.per_usd ? Json(*run.per_usd) : Json(nullptr)},
               {"gpu_busy", run.gpu_busy},          {"peak_share", run.peak_share},
               {"cpu_busy", run.cpu_busy},          {"waiting", run.waiting},
               {"stalls", Json::object()}};
  for (const roofline::StallShare& stall : roofline::estimated_stalls(run.by)) json["stalls"][stall.name] = stall.share;
  return json;
}

}  // namespace

std::string study_json(const Study& study, const StudyResult& result) {
  Json json = {{"schema", "rooftile/study/1"},
               {"id", study.id},
               {"title", study.title},
               {"precision", name_of(study.precision)}};
  json["host"] = {{"id", study.host.id}, {"price", price_of_part(study.host.price, price_source_of(study.host))}};
  for (const StudyGpu& gpu : study.gpus) {
    json["gpus"].push_back({{"gpu", gpu.gpu.id}, {"price", price_of_part(gpu.price, price_source_of(gpu))}});
  }
  for (const StudyRun& run : result.runs) json["runs"].push_back(run_json(study, run));
  return json_text(json);
}

}  // namespace rooftile
