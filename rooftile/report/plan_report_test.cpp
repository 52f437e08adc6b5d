// Plans and schedules as JSON, CSV, text and SVG.
#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/optimizer.hpp"
#include "rooftile/planning/scheduler.hpp"
#include "rooftile/report/plan.hpp"
#include "rooftile/report/schedule.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Planned {
  TrainingTask task;
  TrainingChoices choices;
  TrainingPlan plan;

  PlanReport report() const { return {.task = task, .choices = choices, .plan = plan}; }
};

Planned planned() {
  Planned result;
  result.task.model = "alexnet";
  result.task.samples = 100000;
  result.task.deadline = Seconds(3600);
  result.task.workload_of = [](std::int64_t batch) -> Result<Workload> {
    return std::find_if(zoo().begin(), zoo().end(), [](const ZooEntry& e) { return e.name == "alexnet"; })
        ->build(batch);
  };
  for (const char* id : {"t4", "a100-sxm4-80gb", "k40"}) result.choices.gpus.push_back(find_gpu(id).value());
  result.choices.most_gpus = 2;
  result.choices.batches = {32, 128};
  result.plan = plan_training(result.task, result.choices).value();
  return result;
}

TEST(PlanReport, JsonFitsItsSchema) {
  json value = json::parse(plan_json(planned().report()));
  EXPECT_TRUE(fits_schema(value, "plan-1.json"));
  EXPECT_EQ(value["best"]["cost_usd"], value["best_of_gpus"][0]["cost_usd"]);
  EXPECT_EQ(value["ruled_out"][0]["gpu"], "k40");
  value["best"].erase("time_s");
  EXPECT_FALSE(fits_schema(value, "plan-1.json"));
}

TEST(PlanReport, JsonFitsItsSchemaWhateverTheOptimizer) {
  Planned plan = planned();
  for (const std::string& name : optimizer_names()) {
    plan.choices.predict.optimizer = *parse_optimizer(name);
    const json value = json::parse(plan_json(plan.report()));
    EXPECT_TRUE(fits_schema(value, "plan-1.json")) << name;
    EXPECT_EQ(value["optimizer"], name);
  }
}

TEST(PlanReport, CsvHasARowAnOption) {
  const Planned plan = planned();
  const auto table = parse_csv(plan_csv(plan.report()), "plan.csv").value();
  EXPECT_EQ(table.size(), 1 + plan.plan.options.size());
  EXPECT_EQ(plan.plan.options.size(), 8U);  // two GPUs, one or two of them, two batches
  for (const CsvRow& row : table) EXPECT_EQ(row.cells.size(), table.front().cells.size());
}

TEST(PlanReport, TextHasTheBestWhatItCostsAndWhatIsRuledOut) {
  const std::string text = plan_table(planned().report());
  EXPECT_THAT(text, HasSubstr("within 1 h"));
  EXPECT_THAT(text, HasSubstr("cheapest"));
  EXPECT_THAT(text, HasSubstr("USD per GPU-hour (median"));
  EXPECT_THAT(text, HasSubstr("no on-demand price is known"));
}

struct Scheduled {
  std::vector<ClusterMachine> machines = {{"node", "t4", 2}, {"big, <one>", "a100-sxm4-80gb", 1}};
  std::vector<Job> jobs = {{"a, b", Seconds(10), 2, {{0, 2, Seconds(20)}, {1, 1, Seconds(15)}}},
                           {"c", {}, 1, {{0, 1, Seconds(30)}}}};
  Schedule schedule = schedule_heuristically(jobs, machines);

  ScheduleReport report() const {
    return {.jobs = jobs, .machines = machines, .schedule = schedule, .heuristic = schedule.cost, .proved = true};
  }
};

TEST(ScheduleReport, JsonFitsItsSchema) {
  const Scheduled scheduled;
  json value = json::parse(schedule_json(scheduled.report()));
  EXPECT_TRUE(fits_schema(value, "schedule-1.json"));
  EXPECT_EQ(value["cost"]["weighted_tardiness_s"], 10);  // 5 s late, weight 2
  EXPECT_EQ(value["jobs"].size(), 2U);
  value["jobs"][0].erase("gpus");
  EXPECT_FALSE(fits_schema(value, "schedule-1.json"));
}

TEST(ScheduleReport, CsvQuotesNames) {
  const Scheduled scheduled;
  const auto table = parse_csv(schedule_csv(scheduled.report()), "schedule.csv").value();
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[1].cells[0], "a, b");
  EXPECT_EQ(table[1].cells[1], "big, <one>");
  EXPECT_EQ(table[1].cells.size(), table[0].cells.size());
}

// The table of options and the chart of letters, with names as long as the catalogue's.
TEST(PlanReport, LinesFitATerminalOf80Columns) {
  Planned plan = planned();
  for (TrainingOption& option : plan.plan.options) option.step_range.reset();  // its bounds are two columns more
  std::istringstream lines(plan_table(plan.report()));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("USD an hour") != std::string::npos) continue;  // the source of a price is as long as it is
    EXPECT_LE(width_of(line), 80U) << line;
  }
}

TEST(ScheduleReport, TextAndChartShowEveryGpu) {
  const Scheduled scheduled;
  const std::string text = schedule_table(scheduled.report());
  EXPECT_THAT(text, HasSubstr("total weighted tardiness 10 s, 1 late, all done after 30 s"));
  EXPECT_THAT(text, HasSubstr("No schedule is better"));
  EXPECT_THAT(text, HasSubstr(std::string(28, 'A') + "."));  // 15 of 30 s in 56 columns
  EXPECT_THAT(text, HasSubstr(std::string(56, 'B')));
  const std::string svg = schedule_svg(scheduled.report());
  EXPECT_THAT(svg, HasSubstr("big, &lt;one&gt;"));
  EXPECT_THAT(svg, HasSubstr("width=\"1020\""));
  EXPECT_THAT(svg, HasSubstr("<text x=\"980\"")) << "the last tick's name has room on its right";
  EXPECT_THAT(svg, HasSubstr("#d62728"));
}

}  // namespace
}  // namespace rooftile
