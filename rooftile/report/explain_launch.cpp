#include "rooftile/report/explain_launch.hpp"

#include <cmath>
#include <span>

#include <fmt/format.h>

#include "rooftile/report/explain_section.hpp"
#include "rooftile/timing/plan_time.hpp"

namespace rooftile {
namespace {

// How much longer the plan takes, as a share, if a constant grows by 1 % (by 1 % of its range from 0).
double effect_of(std::size_t constant, const LaunchPlan& plan, GpuRates rates) {
  constexpr double kStep = 0.01;
  const double before = plan_time(plan, rates).value();
  double& value = rates.constants.values[constant];
  const ConstantInfo& info = constant_table(rates.family)[constant];
  value += kStep * (value > 0 ? value : info.high - info.low);
  return plan_time(plan, rates).value() / before - 1;
}

}  // namespace

Section launch_section(const std::string& title, const Launch& launch, const GpuRates& rates) {
  switch (rates.family) {
    case KernelFamily::conv_simt:
      return conv_launch_section(title, launch, rates);
    case KernelFamily::gemm_simt:
      return simt_gemm_launch_section(title, launch, rates);
    case KernelFamily::tensor:
    case KernelFamily::conv_tensor:
      return tensor_launch_section(title, launch, rates);
    case KernelFamily::conv_miopen:
      return miopen_launch_section(title, launch, rates);
    case KernelFamily::attention:  // these have no launches of this kind
    case KernelFamily::stream:
    case KernelFamily::recurrent:
      break;
  }
  return Section(title);
}

Section constants_section(const std::string& title, const LaunchPlan& plan, const GpuRates& rates) {
  using Role = Section::Role;
  Section section(title, {{"symbol", "constant", Role::name},
                          {"quantity", "value", Role::quantity, Align::right},
                          {"shown_in", "unit", Role::other},
                          {"effect", "1 % more of it", Role::quantity, Align::right},
                          {"meaning", "meaning", Role::meaning}});
  const std::span<const ConstantInfo> infos = constant_table(rates.family);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const double effect = effect_of(i, plan, rates);
    if (effect == 0) continue;
    constexpr double kPercent = 100, kLeastShown = 0.0005;
    const bool tiny = std::abs(effect) * kPercent < kLeastShown;
    const ConstantInfo& info = infos[i];
    const std::string change = tiny ? "no effect here" : fmt::format("{:+.3f} % time", effect * kPercent);
    section.rows.push_back({{cell_of(std::string(info.name)),
                             cell_of(info, rates.constants.values[i]),
                             cell_of(std::string(info.unit)),
                             {change, effect},
                             cell_of(std::string(info.meaning))}});
  }
  return section;
}

}  // namespace rooftile
