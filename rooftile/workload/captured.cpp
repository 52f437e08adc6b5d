#include "rooftile/workload/captured.hpp"

#include <algorithm>

namespace rooftile {

std::string_view name_of(StepPart part) {
  switch (part) {
    case StepPart::forward:
      return "forward";
    case StepPart::backward:
      return "backward";
    case StepPart::update:
      return "update";
  }
  return "";
}

bool has_part(Phase phase, StepPart part) {
  switch (phase) {
    case Phase::fwd:
      return part == StepPart::forward;
    case Phase::bwd_data:
    case Phase::bwd_weight:
      return false;
    case Phase::bwd:
      return part == StepPart::backward;
    case Phase::fwd_bwd:
      return part != StepPart::update;
    case Phase::step:
      return true;
  }
  return false;
}

bool trains(const CapturedStep& step) {
  return std::any_of(step.launches.begin(), step.launches.end(),
                     [](const CapturedLaunch& launch) { return launch.part == StepPart::backward; });
}

}  // namespace rooftile
