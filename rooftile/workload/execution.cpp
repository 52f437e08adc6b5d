#include "rooftile/workload/execution.hpp"

#include <array>

namespace rooftile {
namespace {

constexpr std::array kExecutions = {Execution::eager, Execution::compiled, Execution::engine};
constexpr std::string_view kAutocast = "amp-";

}  // namespace

std::string_view name_of(Execution execution) {
  switch (execution) {
    case Execution::eager:
      return "eager";
    case Execution::compiled:
      return "compiled";
    case Execution::engine:
      return "engine";
  }
  return "";
}

std::optional<Execution> parse_execution(std::string_view text) {
  for (const Execution execution : kExecutions) {
    if (name_of(execution) == text) return execution;
  }
  return std::nullopt;
}

std::vector<std::string> execution_names() {
  std::vector<std::string> names;
  for (const Execution execution : kExecutions) names.emplace_back(name_of(execution));
  return names;
}

DType trained_in(const RunPrecision& precision) {
  if (precision.autocast) return DType::fp32;
  return is_narrow_float(precision.dtype) ? kBesideNarrow : precision.dtype;
}

std::string name_of(const RunPrecision& precision) {
  return (precision.autocast ? std::string(kAutocast) : std::string()).append(name_of(precision.dtype));
}

std::optional<RunPrecision> parse_run_precision(std::string_view text) {
  if (text == "amp") return RunPrecision{DType::fp16, true};  // torch.autocast's on GPUs
  const bool autocast = text.substr(0, kAutocast.size()) == kAutocast;
  const auto dtype = parse_dtype(autocast ? text.substr(kAutocast.size()) : text);
  if (!dtype) return std::nullopt;
  if (autocast && *dtype != DType::fp16 && *dtype != DType::bf16) return std::nullopt;
  return RunPrecision{*dtype, autocast};
}

}  // namespace rooftile
