// Ways to spread a training step, as JSON and CSV.
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/parallelisation.hpp"
#include "rooftile/report/parallelisation_parts.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json way_json(const ParallelStep& step) {
  const Parallelism& way = step.way;
  Json parts = Json::object();
  for (const NamedPart& part : step_parts(step.parts)) parts[part.key] = part.time.value();
  const RankMemory& memory = step.memory;
  Json json = {{"tp", way.tp},
               {"pp", way.pp},
               {"dp", way.dp},
               {"cp", way.cp},
               {"ep", way.ep},
               {"etp", way.expert_tp()},
               {"vp", way.vp},
               {"sharding", name_of(way.sharding)},
               {"sequence_parallel", way.sequence_parallel},
               {"micro_batch", way.micro_batch},
               {"micro_batches", way.micro_batches},
               {"recompute", name_of(way.recompute)},
               {"offload", name_of(way.offload)},
               {"dispatcher", name_of(way.dispatcher)},
               {"time_s", step.time.value()},
               {"samples_per_s", step.samples_per_second()},
               {"flops", step.flops.value()},
               {"parts_s", parts},
               {"memory_bytes",
                {{"weights", memory.weights.value()},
                 {"gradients", memory.gradients.value()},
                 {"optimizer", memory.optimizer.value()},
                 {"activations", memory.activations.value()},
                 {"total", memory.total().value()}}}};
  if (step.range) json["time_low_s"] = step.range->low.value(), json["time_high_s"] = step.range->high.value();
  return json;
}

}  // namespace

std::string parallelisation_json(const ParallelisationReport& report) {
  std::size_t fitting = 0, large = 0;
  for (const WayTried& one : report.tried) {
    fitting += one.fate == WayFate::fits ? 1 : 0;
    large += one.fate == WayFate::too_large ? 1 : 0;
  }
  Json json = {{"schema", "rooftile/parallelisation/1"},
               {"model", report.model},
               {"precision", report.precision},
               {"cluster", report.cluster.id},
               {"gpu", report.gpu.id},
               {"gpus", report.gpus},
               {"batch_size", report.batch},
               {"tried", report.tried.size()},
               {"fitting", fitting},
               {"too_large", large},
               {"complete", !report.stopped},
               {"ways", Json::array()},
               {"front", Json::array()}};
  if (report.seq_len > 0) json["seq_len"] = report.seq_len;
  for (std::size_t i = 0; i < ways_shown(report); ++i) json["ways"].push_back(way_json(report.tried[i].step));
  for (const std::size_t i : front_of(report.tried)) json["front"].push_back(way_json(report.tried[i].step));
  return json_text(json);
}

std::string parallelisation_csv(const ParallelisationReport& report) {
  std::string text =
      "model,gpu,gpus,batch,tp,pp,dp,cp,ep,etp,vp,fsdp,micro_batch,grad_accum,recompute,offload,dispatcher,time_s,"
      "time_low_s,time_high_s,computing_s,issuing_s,exchanges_s,pipeline_s,gradients_s,update_s,memory_bytes\n";
  for (std::size_t i = 0; i < ways_shown(report); ++i) {
    const ParallelStep& step = report.tried[i].step;
    const Parallelism& way = step.way;
    std::vector<std::string> cells = {report.model, report.gpu.id, std::to_string(report.gpus),
                                      std::to_string(report.batch)};
    for (const int degree : {way.tp, way.pp, way.dp, way.cp, way.ep, way.expert_tp(), way.vp})
      cells.push_back(std::to_string(degree));
    cells.emplace_back(name_of(way.sharding));
    cells.push_back(std::to_string(way.micro_batch));
    cells.push_back(std::to_string(way.micro_batches));
    cells.emplace_back(name_of(way.recompute));
    cells.emplace_back(name_of(way.offload));
    cells.emplace_back(name_of(way.dispatcher));
    cells.push_back(fmt::format("{:.9g}", step.time.value()));
    cells.push_back(step.range ? fmt::format("{:.9g}", step.range->low.value()) : "");
    cells.push_back(step.range ? fmt::format("{:.9g}", step.range->high.value()) : "");
    for (const NamedPart& part : step_parts(step.parts)) cells.push_back(fmt::format("{:.9g}", part.time.value()));
    cells.push_back(fmt::format("{:.0f}", step.memory.total().value()));
    text += write_csv_row(cells);
  }
  return text;
}

}  // namespace rooftile
