// A launch of conv_simt in words: the form of rooftile/timing/conv_time.cpp.
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/report/explain_launch.hpp"
#include "rooftile/report/explain_section.hpp"

namespace rooftile {
namespace {

// "l2_efficiency 0.6".
std::string named(const GpuRates& rates, ConvConstant which) {
  return fmt::format("{} {}", constant_table(rates.family)[static_cast<std::size_t>(which)].name,
                     grouped(rates.constants[which]));
}

void add_bytes(Section& section, const Launch& launch, const GpuRates& rates) {
  section.add("", "loaded", whole_bytes(launch.dram_load), "from DRAM");
  section.add("", "stored", launch.dram_store,
              launch.aligned_store ? "to DRAM"
                                   : fmt::format("to DRAM; counts x (1 + {}), its rows do not start on 32-byte sectors",
                                                 named(rates, ConvConstant::unaligned_store)));
}

Section stream_launch(const std::string& title, const Launch& launch, const GpuRates& rates) {
  Section section(title + ": only moves bytes");
  add_bytes(section, launch, rates);
  section.add(
      "", "time", launch_time(launch, rates).time,
      fmt::format("(loaded + stored) / ({} x {})", print(rates.dram), named(rates, ConvConstant::stream_efficiency)));
  return section;
}

void add_conv_counts(Section& section, const Launch& launch, const GpuRates& rates) {
  add_bytes(section, launch, rates);
  if (launch.l1_load > Bytes(0)) section.add("", "L1", whole_bytes(launch.l1_load), "sectors that warps ask for");
  section.add("", "L2", whole_bytes(launch.l2_load + launch.l2_store),
              "loads of the CTAs from the L2, and their stores");
  section.add("", "CTAs", launch.ctas, fmt::format("of {} warps", grouped(launch.warps)));
  section.add("", "MACs a step", launch.macs_per_step, "of a CTA, for one step of k");
  section.add("", "steps", launch.steps, "of k, a CTA; padded to whole steps of the main loop");
  section.add("", "active CTAs/SM", launch.resident, "resident on an SM at once");
}

void add_rounds(Section& section, const Launch& launch, const GpuRates& rates) {
  const double per_wave = launch.resident * rates.sms;
  const double full = std::floor(launch.ctas / per_wave);
  section.add("", "full waves", full, fmt::format("floor(CTAs / (active CTAs x {} SMs))", grouped(rates.sms)));
  section.add("", "last wave", std::ceil((launch.ctas - full * per_wave) / rates.sms),
              "CTAs that are left for the busiest SM");
  section.add("", "needed", rates.constants[ConvConstant::latency_warps] / launch.warps,
              fmt::format("CTAs that hide latency: {} / warps", named(rates, ConvConstant::latency_warps)));
}

// "202.5 GMAC/s": half the FLOP/s.
std::string mac_rate(const GpuRates& rates) {
  std::string text = print(FlopsPerSecond(rates.macs_per_second()));
  constexpr std::string_view kFlop = "FLOP";
  return text.replace(text.find(kFlop), kFlop.size(), "MAC");
}

void add_busy(Section& section, const Launch& launch, const GpuRates& rates, const LaunchParts& parts) {
  const std::string gradient =
      launch.gradient ? fmt::format(" x {}", named(rates, ConvConstant::gradient_efficiency)) : "";
  section.add("", "alone", parts.cta,
              fmt::format("a CTA: MACs a step x (steps + {}) / ({} x {}{})", named(rates, launch.prologue),
                          mac_rate(rates), named(rates, launch.efficiency), gradient));
  section.add("", "compute", parts.whole.compute, "alone x (full waves x active CTAs + last wave)");
  section.add("", "latency", parts.whole.latency, "alone x needed x waves");
  section.add("", "SMs", parts.sms, "alone x sum over the waves of (CTAs^4 + needed^4)^(1/4)");
}

void add_power(Section& section, const GpuRates& rates, const LaunchParts& parts) {
  section.add("", "energy", ExplainedCell{fmt::format("{:.4g} J", parts.joules), parts.joules, "J"},
              fmt::format("(MACs with prologue x {} pJ + bytes x {} pJ) x {} for the process",
                          named(rates, ConvConstant::mac_energy), named(rates, ConvConstant::byte_energy),
                          grouped(rates.energy_scale)));
  section.add(
      "", "power", parts.whole.power,
      fmt::format("energy / {} - {} us, at least 0", print(rates.power), named(rates, ConvConstant::power_window)));
}

void add_times(Section& section, const Launch& launch, const GpuRates& rates, const LaunchParts& parts) {
  add_busy(section, launch, rates, parts);
  section.add("", "l2", parts.whole.l2,
              fmt::format("L2 / ({} x {})", print(rates.l2), named(rates, ConvConstant::l2_efficiency)));
  section.add("", "dram", parts.whole.dram,
              fmt::format("(loaded / {} + stored / {}) / {}", named(rates, ConvConstant::dram_load_efficiency),
                          named(rates, ConvConstant::dram_store_efficiency), print(rates.dram)));
  section.add("", "together", parts.before_power, "(SMs^4 + l2^4 + dram^4)^(1/4): they overlap");
  if (rates.power > Watts(0)) add_power(section, rates, parts);
  if (launch.atomics > 0) {
    section.add(
        "", "atomics", parts.whole.atomics,
        fmt::format("{} additions / ({} x clock x SMs)", grouped(launch.atomics), named(rates, ConvConstant::atomics)));
  }
  section.add("", "time", parts.whole.time,
              fmt::format("{}{}", rates.power > Watts(0) ? "(together^8 + power^8)^(1/8)" : "together",
                          launch.atomics > 0 ? " + atomics" : ""));
}

}  // namespace

LaunchParts launch_parts(const Launch& launch, const GpuRates& rates) {
  GpuRates unlimited = rates;
  unlimited.power = Watts(0);
  Launch alone = launch;
  alone.ctas = alone.resident = 1;
  Launch overlapping = launch;
  overlapping.atomics = 0;
  Launch only_sms = overlapping;
  only_sms.l2_load = only_sms.l2_store = only_sms.dram_load = only_sms.dram_store = Bytes(0);
  GpuRates impatient = rates;
  impatient.constants[ConvConstant::power_window] = 0;
  return {.cta = launch_time(alone, unlimited).compute,
          .sms = launch_time(only_sms, unlimited).time,
          .before_power = launch_time(overlapping, unlimited).time,
          .joules = launch_time(launch, impatient).power.value() * rates.power.value(),
          .whole = launch_time(launch, rates)};
}

Section conv_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates) {
  if (launch.ctas == 0) return stream_launch(title, launch, rates);
  Section section(title);
  add_conv_counts(section, launch, rates);
  add_rounds(section, launch, rates);
  add_times(section, launch, rates, launch_parts(launch, rates));
  return section;
}

}  // namespace rooftile
