// Launches of gemm_simt and tensor in words: the forms of rooftile/timing/simt_gemm_time.cpp and tensor_gemm_time.cpp.
#include <cmath>

#include <fmt/format.h>

#include "rooftile/report/explain_launch.hpp"
#include "rooftile/report/explain_section.hpp"

namespace rooftile {
namespace {

constexpr double kEndless = 1e300;  // a rate that limits nothing

template <class Which>  // "l2_efficiency 0.6"
std::string named(const Machine& machine, Which which) {
  return fmt::format("{} {}", constant_table(machine.family)[static_cast<std::size_t>(which)].name,
                     grouped(machine.constants[which]));
}

void add_counts(Section& section, const Launch& launch, const Machine& machine) {
  const Launch::Product& product = launch.product;
  section.add("", "operands", launch.dram_load, "A and B in memory");
  section.add("", "stored", launch.dram_store, "C");
  section.add("", "L2", launch.l2, "loads of the CTAs from the L2, and their stores");
  section.add("", "CTAs", launch.ctas,
              fmt::format("of {} warps{}", grouped(launch.warps),
                          product.split > 1 ? fmt::format("; {} share a tile of C", grouped(product.split)) : ""));
  section.add("", "MACs a step", launch.macs_per_step, "of a CTA, for one step of k");
  section.add("", "steps", launch.steps, "of k, a CTA; padded to whole steps of the main loop");
  section.add("", "active CTAs/SM", launch.resident, "resident on an SM at once");
  section.add("", "CTAs/SM", launch.ctas / machine.sms, fmt::format("CTAs / {} SMs", grouped(machine.sms)));
}

// What the L2 and the DRAM take, of the whole.
void add_memory(Section& section, const LaunchTime& whole, const Machine& machine, double dram_efficiency,
                const std::string& l2, const std::string& constants) {
  section.add("", "l2", whole.l2, l2);
  section.add("", "DRAM", Bytes(std::round(whole.dram.value() * machine.dram * dram_efficiency)),
              "loaded and stored, with what is loaded again: docs/theory.md");
  section.add("", "dram", whole.dram, fmt::format("DRAM / ({} x {})", print(BytesPerSecond(machine.dram)), constants));
}

}  // namespace

GemmParts gemm_parts(const Launch& launch, const Machine& machine) {
  Machine endless = machine;
  endless.dram = kEndless;
  endless.watts = 0;
  Machine unlimited = endless;
  unlimited.l2 = kEndless;
  Machine unlimited_power = machine;
  unlimited_power.watts = 0;
  Launch whole = launch;
  whole.product.split = 1;
  return {.sms = launch_time(whole, machine.family == KernelFamily::tensor ? endless : unlimited).time,
          .before_power = launch_time(launch, unlimited_power).time,
          .whole = launch_time(launch, machine)};
}

std::string simt_gemm_launch_section(const std::string& title, const Launch& launch, const Machine& machine) {
  using Constant = SimtGemmConstant;
  const GemmParts parts = gemm_parts(launch, machine);
  const Launch::Product& product = launch.product;
  Section section(title);
  add_counts(section, launch, machine);
  const double slots = issue_share(launch, machine);
  section.add("", "compute", parts.whole.compute,
              fmt::format("CTAs of the busiest SM x MACs a step x (steps + {}) / (MAC rate x {}{})",
                          named(machine, product.old_kernel ? Constant::old_prologue : Constant::prologue),
                          named(machine, product.efficiency),
                          slots < 1 ? fmt::format(" x issue slots {}", grouped(slots)) : ""));
  section.add("", "latency", parts.whole.latency,
              fmt::format("the same for the CTAs that hide latencies: {} / warps, each wave",
                          named(machine, Constant::latency_warps)));
  section.add("", "SMs", parts.sms, "sum over the waves of (CTAs^4 + those that hide latencies^4)^(1/4)");
  add_memory(section, parts.whole, machine, machine.constants[Constant::dram_efficiency],
             fmt::format("loads / ({} x {} x share of the SMs that run)", print(BytesPerSecond(machine.l2)),
                         named(machine, Constant::l2_efficiency)),
             named(machine, Constant::dram_efficiency));
  section.add("", "together", parts.before_power,
              product.split > 1 ? fmt::format("(SMs^4 + l2^4 + dram^4)^(1/4), and for adding parts {} us + their bytes",
                                              named(machine, Constant::split_overhead))
                                : std::string("(SMs^4 + l2^4 + dram^4)^(1/4): they overlap"));
  section.add("", "time", parts.whole.time,
              fmt::format("the same with SMs at the clock that {} pJ a MAC leaves under {}, after {} us",
                          named(machine, Constant::mac_energy), print(Watts(machine.watts)),
                          named(machine, Constant::power_window)));
  return section.text();
}

std::string tensor_launch_section(const std::string& title, const Launch& launch, const Machine& machine) {
  using Constant = TensorConstant;
  const GemmParts parts = gemm_parts(launch, machine);
  Section section(title);
  add_counts(section, launch, machine);
  section.add("", "compute", parts.whole.compute,
              fmt::format("CTAs of the busiest SM x MACs a step x steps / (MAC rate x {} x sustained clock)",
                          named(machine, Constant::efficiency)));
  section.add("", "latency", parts.whole.latency,
              fmt::format("each wave: the L2's latency for every {} B of a row, and {} CTAs alone",
                          named(machine, Constant::bytes_in_flight), named(machine, Constant::fill)));
  add_memory(section, parts.whole, machine, machine.constants[Constant::dram_efficiency],
             fmt::format("loads / ({} x {}), or what one SM can load; and {} x storing the tiles",
                         print(BytesPerSecond(machine.l2)), named(machine, Constant::l2_efficiency),
                         named(machine, Constant::epilogue)),
             named(machine, Constant::dram_efficiency));
  section.add("", "busy", parts.sms, "(compute^4 + latency^4 + loads from the L2^4)^(1/4) + storing the tiles");
  if (launch.product.split > 1) {
    section.add("", "split", parts.whole.atomics,
                fmt::format("adding parts: {} cycles + their bytes", named(machine, Constant::split_cycles)));
  }
  section.add("", "time", parts.whole.time,
              fmt::format("(busy^4 + dram^4)^(1/4){}", launch.product.split > 1 ? " + split" : ""));
  return section.text();
}

}  // namespace rooftile
