// A launch of conv_simt in words: the form of rooftile/timing/conv_time.cpp.
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/report/explain_launch.hpp"
#include "rooftile/report/explain_section.hpp"

namespace rooftile {
namespace {

// "l2_efficiency 0.6".
std::string named(const Machine& machine, ConvConstant which) {
  return fmt::format("{} {}", constant_table(machine.family)[static_cast<std::size_t>(which)].name,
                     grouped(machine.constants[which]));
}

void add_bytes(Section& section, const Launch& launch, const Machine& machine) {
  section.add("", "loaded", launch.dram_load, "from DRAM, each needed element once");
  section.add("", "stored", launch.dram_store,
              launch.aligned_store ? "to DRAM"
                                   : fmt::format("to DRAM; counts x (1 + {}), its rows do not start on 32-byte sectors",
                                                 named(machine, ConvConstant::unaligned_store)));
}

std::string stream_launch(const std::string& title, const Launch& launch, const Machine& machine) {
  Section section(title + ": only moves bytes");
  add_bytes(section, launch, machine);
  section.add("", "time", launch_time(launch, machine).time,
              fmt::format("(loaded + stored) / ({} x {})", print(BytesPerSecond(machine.dram)),
                          named(machine, ConvConstant::stream_efficiency)));
  return section.text();
}

void add_counts(Section& section, const Launch& launch, const Machine& machine) {
  add_bytes(section, launch, machine);
  section.add("", "L2", launch.l2, "loads of the CTAs from the L2, and their stores");
  section.add("", "CTAs", launch.ctas, fmt::format("of {} warps", grouped(launch.warps)));
  section.add("", "MACs a step", launch.macs_per_step, "of a CTA, for one step of k");
  section.add("", "steps", launch.steps, "of k, a CTA; padded to whole steps of the main loop");
  section.add("", "active CTAs/SM", launch.resident, "resident on an SM at once");
}

void add_rounds(Section& section, const Launch& launch, const Machine& machine) {
  const double per_wave = launch.resident * machine.sms;
  const double full = std::floor(launch.ctas / per_wave);
  section.add("", "full waves", full, fmt::format("floor(CTAs / (active CTAs x {} SMs))", grouped(machine.sms)));
  section.add("", "last wave", std::ceil((launch.ctas - full * per_wave) / machine.sms),
              "CTAs that are left for the busiest SM");
  section.add("", "needed", machine.constants[ConvConstant::latency_warps] / launch.warps,
              fmt::format("CTAs that hide latency: {} / warps", named(machine, ConvConstant::latency_warps)));
}

// "202.5 GMAC/s": half the FLOP/s.
std::string mac_rate(const Machine& machine) {
  std::string text = print(FlopsPerSecond(machine.macs_per_second));
  constexpr std::string_view kFlop = "FLOP";
  return text.replace(text.find(kFlop), kFlop.size(), "MAC");
}

void add_busy(Section& section, const Launch& launch, const Machine& machine, const LaunchParts& parts) {
  const std::string gradient =
      launch.gradient ? fmt::format(" x {}", named(machine, ConvConstant::gradient_efficiency)) : "";
  section.add("", "alone", parts.cta,
              fmt::format("a CTA: MACs a step x (steps + {}) / ({} x {}{})", named(machine, launch.prologue),
                          mac_rate(machine), named(machine, launch.efficiency), gradient));
  section.add("", "compute", parts.whole.compute, "alone x (full waves x active CTAs + last wave)");
  section.add("", "latency", parts.whole.latency, "alone x needed x waves");
  section.add("", "SMs", parts.sms, "alone x sum over the waves of (CTAs^4 + needed^4)^(1/4)");
}

void add_power(Section& section, const Machine& machine, const LaunchParts& parts) {
  section.add("", "energy", fmt::format("{:.4g} J", parts.joules),
              fmt::format("(MACs with prologue x {} pJ + bytes x {} pJ) x {} for the process",
                          named(machine, ConvConstant::mac_energy), named(machine, ConvConstant::byte_energy),
                          grouped(machine.energy_scale)));
  section.add("", "power", parts.whole.power,
              fmt::format("energy / {} - {} us, at least 0", print(Watts(machine.watts)),
                          named(machine, ConvConstant::power_window)));
}

void add_times(Section& section, const Launch& launch, const Machine& machine, const LaunchParts& parts) {
  add_busy(section, launch, machine, parts);
  section.add(
      "", "l2", parts.whole.l2,
      fmt::format("L2 / ({} x {})", print(BytesPerSecond(machine.l2)), named(machine, ConvConstant::l2_efficiency)));
  section.add("", "dram", parts.whole.dram,
              fmt::format("(loaded / {} + stored / {}) / {}", named(machine, ConvConstant::dram_load_efficiency),
                          named(machine, ConvConstant::dram_store_efficiency), print(BytesPerSecond(machine.dram))));
  section.add("", "together", parts.before_power, "(SMs^4 + l2^4 + dram^4)^(1/4): they overlap");
  if (machine.watts > 0) add_power(section, machine, parts);
  if (launch.atomics > 0) {
    section.add("", "atomics", parts.whole.atomics,
                fmt::format("{} additions / ({} x clock x SMs)", grouped(launch.atomics),
                            named(machine, ConvConstant::atomics)));
  }
  section.add("", "time", parts.whole.time,
              fmt::format("{}{}", machine.watts > 0 ? "(together^8 + power^8)^(1/8)" : "together",
                          launch.atomics > 0 ? " + atomics" : ""));
}

}  // namespace

LaunchParts launch_parts(const Launch& launch, const Machine& machine) {
  Machine unlimited = machine;
  unlimited.watts = 0;
  Launch alone = launch;
  alone.ctas = alone.resident = 1;
  Launch overlapping = launch;
  overlapping.atomics = 0;
  Launch only_sms = overlapping;
  only_sms.l2 = only_sms.dram_load = only_sms.dram_store = Bytes(0);
  Machine impatient = machine;
  impatient.constants[ConvConstant::power_window] = 0;
  return {.cta = launch_time(alone, unlimited).compute,
          .sms = launch_time(only_sms, unlimited).time,
          .before_power = launch_time(overlapping, unlimited).time,
          .joules = launch_time(launch, impatient).power.value() * machine.watts,
          .whole = launch_time(launch, machine)};
}

std::string conv_launch_section(const std::string& title, const Launch& launch, const Machine& machine) {
  if (launch.ctas == 0) return stream_launch(title, launch, machine);
  Section section(title);
  add_counts(section, launch, machine);
  add_rounds(section, launch, machine);
  add_times(section, launch, machine, launch_parts(launch, machine));
  return section.text();
}

}  // namespace rooftile
