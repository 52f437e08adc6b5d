// Plans to train a network (docs/planning.md) as text, JSON and CSV.
#pragma once

#include <string>

#include "rooftile/planning/training_plan.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// A plan that has a best, with what it answers.
struct PlanReport {
  const TrainingTask& task;
  const TrainingChoices& choices;
  const TrainingPlan& plan;
};

std::string plan_table(const PlanReport& report, std::size_t width = kAnyWidth);
// "rooftile/plan/1".
std::string plan_json(const PlanReport& report);
// One row an option that fits into memory.
std::string plan_csv(const PlanReport& report);

}  // namespace rooftile
