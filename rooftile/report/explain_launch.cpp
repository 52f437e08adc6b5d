#include "rooftile/report/explain_launch.hpp"

#include <cmath>
#include <span>

#include <fmt/format.h>

#include "rooftile/report/explain_section.hpp"
#include "rooftile/timing/plan_time.hpp"

namespace rooftile {
namespace {

// A form without words of its own: what it starts from and what it says.
std::string plain_launch_section(const std::string& title, const Launch& launch, const Machine& machine) {
  const LaunchTime time = launch_time(launch, machine);
  Section section(title);
  section.add("", "loaded", launch.dram_load, "from DRAM");
  section.add("", "stored", launch.dram_store, "to DRAM");
  if (launch.ctas > 0) {
    section.add("", "L2", launch.l2, "loads of the CTAs from the L2, and their stores");
    section.add("", "CTAs", launch.ctas, fmt::format("of {} warps", grouped(launch.warps)));
    section.add("", "MACs a step", launch.macs_per_step, "of a CTA, for one step of k");
    section.add("", "steps", launch.steps, "of k, a CTA; padded to whole steps of the main loop");
    section.add("", "active CTAs/SM", launch.resident, "resident on an SM at once");
    section.add("", "compute", time.compute, "if only multiply-accumulates counted");
    section.add("", "latency", time.latency, "if only latencies counted");
    section.add("", "l2", time.l2, "if only the L2 counted");
  }
  section.add("", "dram", time.dram, "if only the DRAM counted");
  section.add("", "power", time.power, "energy over board power");
  section.add("", "time", time.time, "together");
  return section.text();
}

// How much longer the plan takes, as a share, if a constant grows by 1 % (by 1 % of its range from 0).
double effect_of(std::size_t constant, const LaunchPlan& plan, Machine machine) {
  constexpr double kStep = 0.01;
  const double before = plan_time(plan, machine).value();
  double& value = machine.constants.values[constant];
  const ConstantInfo& info = constant_table(machine.family)[constant];
  value += kStep * (value > 0 ? value : info.high - info.low);
  return plan_time(plan, machine).value() / before - 1;
}

}  // namespace

std::string launch_section(const std::string& title, const Launch& launch, const Machine& machine) {
  switch (machine.family) {
    case KernelFamily::conv_simt:
      return conv_launch_section(title, launch, machine);
    case KernelFamily::gemm_simt:
    case KernelFamily::tensor:
      break;
  }
  return plain_launch_section(title, launch, machine);
}

std::string constants_section(const std::string& title, const LaunchPlan& plan, const Machine& machine) {
  TextTable table({{"constant"},
                   {"value", Align::right},
                   {"unit"},
                   {"1 % more of it", Align::right},
                   {"meaning", Align::left, 100}});
  const std::span<const ConstantInfo> infos = constant_table(machine.family);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const double effect = effect_of(i, plan, machine);
    if (effect == 0) continue;
    constexpr double kPercent = 100, kLeastShown = 0.0005;
    const bool tiny = std::abs(effect) * kPercent < kLeastShown;
    const ConstantInfo& info = infos[i];
    table.add({std::string(info.name), grouped(machine.constants.values[i]), std::string(info.unit),
               tiny ? "no effect here" : fmt::format("{:+.3f} % time", effect * kPercent), std::string(info.meaning)});
  }
  return title + "\n" + table.text() + "\n";
}

}  // namespace rooftile
