// Schedules as JSON and CSV.
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/schedule.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json cost_json(const ScheduleCost& cost) {
  return {{"weighted_tardiness_s", cost.tardiness}, {"makespan_s", cost.makespan.value()}};
}

}  // namespace

std::string schedule_json(const ScheduleReport& report) {
  Json json = {{"schema", "rooftile/schedule/1"},
               {"cost", cost_json(report.schedule.cost)},
               {"heuristic", cost_json(report.heuristic)},
               {"proved", report.proved ? Json(*report.proved) : Json(nullptr)},
               {"machines", Json::array()},
               {"jobs", Json::array()}};
  for (const ClusterMachine& machine : report.machines) {
    json["machines"].push_back({{"name", machine.name}, {"gpu", machine.gpu}, {"gpus", machine.gpus}});
  }
  for (const Placement& placement : report.schedule.placements) {
    const Job& job = report.jobs[placement.job];
    json["jobs"].push_back({{"name", job.name},
                            {"machine", report.machines[placement.mode.machine].name},
                            {"gpus", placement.gpus},
                            {"start_s", placement.start.value()},
                            {"end_s", placement.end().value()},
                            {"deadline_s", job.deadline ? Json(job.deadline->value()) : Json(nullptr)},
                            {"tardiness_s", tardiness_of(job, placement.end()).value()},
                            {"weight", job.weight}});
  }
  return json_text(json);
}

std::string schedule_csv(const ScheduleReport& report) {
  std::string text = "job,machine,gpu,gpus,start_s,end_s,deadline_s,tardiness_s,weight\n";
  for (const Placement& placement : report.schedule.placements) {
    const Job& job = report.jobs[placement.job];
    const ClusterMachine& machine = report.machines[placement.mode.machine];
    const std::vector<std::string> cells = {job.name,
                                            machine.name,
                                            machine.gpu,
                                            fmt::format("{}", fmt::join(placement.gpus, " ")),
                                            fmt::format("{:.9g}", placement.start.value()),
                                            fmt::format("{:.9g}", placement.end().value()),
                                            job.deadline ? fmt::format("{:.9g}", job.deadline->value()) : "",
                                            fmt::format("{:.9g}", tardiness_of(job, placement.end()).value()),
                                            fmt::format("{:g}", job.weight)};
    text += write_csv_row(cells);
  }
  return text;
}

}  // namespace rooftile
