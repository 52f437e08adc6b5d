#include "rooftile/learn/asked_run.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"

namespace rooftile {

std::string framework_of(const regression::FittedModel& model, const AskedRun& run) {
  if (const auto given = run.cells.find("framework"); given != run.cells.end()) return given->second;
  return model.fitted_on.software.size() == 1 ? model.fitted_on.software.front() : std::string();
}

std::string unseen_text(std::string_view what, std::string_view own, const std::vector<std::string>& of_fit) {
  return fmt::format("{} {} is not one of those in the fit: {}", what, one_line(own),
                     one_line(fmt::format("{}", fmt::join(of_fit, ", "))));
}

void warn_of_unseen(std::vector<std::string>& warnings, const regression::FittedModel& model, const AskedRun& run) {
  const auto warn = [&](std::string_view what, std::string_view own, const std::vector<std::string>& of_fit) {
    const bool known = std::find(of_fit.begin(), of_fit.end(), own) != of_fit.end();
    if (!known && !of_fit.empty()) warnings.push_back(unseen_text(what, own, of_fit));
  };
  warn("GPU", run.gpu->id, model.fitted_on.gpus);
  warn("precision", name_of(run.precision), model.fitted_on.precisions);
}

}  // namespace rooftile
