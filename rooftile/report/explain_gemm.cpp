// Launches of gemm_simt and tensor in words: the forms of rooftile/timing/simt_gemm_time.cpp and tensor_gemm_time.cpp.
#include <cmath>

#include <fmt/format.h>

#include "rooftile/report/explain_launch.hpp"
#include "rooftile/report/explain_section.hpp"

namespace rooftile {
namespace {

constexpr BytesPerSecond kEndless{1e300};  // a rate that limits nothing

template <class Which>  // "l2_efficiency 0.6"
std::string named(const GpuRates& rates, Which which) {
  return fmt::format("{} {}", constant_table(rates.family)[static_cast<std::size_t>(which)].name,
                     grouped(rates.constants[which]));
}

void add_gemm_counts(Section& section, const Launch& launch, const GpuRates& rates) {
  const Launch::Product& product = launch.product;
  const Traffic traffic = launch_traffic(launch, rates);
  section.add("", "operands", launch.dram_load, "A and B in memory");
  section.add("", "L2 loads", whole_bytes(traffic.l2), "of the CTAs, and of parts where k is split");
  section.add("", "L2 stores", whole_bytes(traffic.store_l2), "C, and parts where k is split");
  section.add("", "DRAM loads", whole_bytes(traffic.dram),
              "with what is loaded again, without what the L2 holds: docs/theory.md");
  section.add("", "DRAM stores", whole_bytes(traffic.store_dram), "C");
  section.add("", "CTAs", launch.ctas,
              fmt::format("of {} warps{}", grouped(launch.warps),
                          product.split > 1 ? fmt::format("; {} share a tile of C", grouped(product.split)) : ""));
  section.add("", "MACs a step", launch.macs_per_step, "of a CTA, for one step of k");
  section.add("", "steps", launch.steps, "of k, a CTA; padded to whole steps of the main loop");
  section.add("", "active CTAs/SM", launch.resident, "resident on an SM at once");
  section.add("", "CTAs/SM", launch.ctas / rates.sms, fmt::format("CTAs / {} SMs", grouped(rates.sms)));
}

// What the L2 and the DRAM take, of the whole.
void add_memory(Section& section, const LaunchTime& whole, const GpuRates& rates, const std::string& l2,
                const std::string& constants) {
  if (whole.l1 > Seconds(0)) section.add("", "l1", whole.l1, "what the busiest SM can load");
  section.add("", "l2", whole.l2, l2);
  section.add("", "dram", whole.dram, fmt::format("(DRAM loads + stores) / ({} x {})", print(rates.dram), constants));
}

}  // namespace

GemmParts gemm_parts(const Launch& launch, const GpuRates& rates) {
  GpuRates endless = rates;
  endless.dram = kEndless;
  endless.power = Watts(0);
  GpuRates unlimited = endless;
  unlimited.l2 = kEndless;
  GpuRates unlimited_power = rates;
  unlimited_power.power = Watts(0);
  Launch whole = launch;
  whole.product.split = 1;
  return {.sms = launch_time(whole, on_tensor_cores(rates.family) ? endless : unlimited).time,
          .before_power = launch_time(launch, unlimited_power).time,
          .whole = launch_time(launch, rates)};
}

Section simt_gemm_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates) {
  using Constant = SimtGemmConstant;
  const GemmParts parts = gemm_parts(launch, rates);
  const Launch::Product& product = launch.product;
  Section section(title);
  add_gemm_counts(section, launch, rates);
  const double slots = issue_share(launch, rates);
  section.add(
      "", "compute", parts.whole.compute,
      fmt::format("CTAs of the busiest SM x MACs a step x (steps + {}) / (MAC rate x {}{})",
                  named(rates, product.old_kernel ? Constant::old_prologue : Constant::prologue),
                  named(rates, product.efficiency), slots < 1 ? fmt::format(" x issue slots {}", grouped(slots)) : ""));
  section.add("", "latency", parts.whole.latency,
              fmt::format("the same for the CTAs that hide latencies: {} / warps, each wave",
                          named(rates, Constant::latency_warps)));
  section.add("", "SMs", parts.sms, "sum over the waves of (CTAs^4 + those that hide latencies^4)^(1/4)");
  add_memory(section, parts.whole, rates,
             fmt::format("loads / ({} x {} x share of the SMs that run)", print(rates.l2),
                         named(rates, Constant::l2_efficiency)),
             named(rates, Constant::dram_efficiency));
  section.add("", "together", parts.before_power,
              product.split > 1 ? fmt::format("(SMs^4 + l2^4 + dram^4)^(1/4), and for adding parts {} us + their bytes",
                                              named(rates, Constant::split_overhead))
                                : std::string("(SMs^4 + l2^4 + dram^4)^(1/4): they overlap"));
  section.add(
      "", "time", parts.whole.time,
      fmt::format("the same with SMs at the clock that {} pJ a MAC leaves under {}, after {} us",
                  named(rates, Constant::mac_energy), print(rates.power), named(rates, Constant::power_window)));
  return section;
}

Section move_section(const std::string& title, const Launch& launch, const GpuRates& rates) {
  using Constant = TensorConstant;
  const LaunchTime whole = launch_time(launch, rates);
  const Traffic traffic = launch_traffic(launch, rates);
  Section section(title + ": only moves bytes");
  section.add("", "loaded", whole_bytes(traffic.l2), "from the L2");
  section.add("", "stored", whole_bytes(traffic.store_l2), "to the L2");
  section.add("", "l2", whole.l2,
              fmt::format("(loaded + stored) / ({} x {})", print(rates.l2), named(rates, Constant::l2_efficiency)));
  section.add("", "dram", whole.dram,
              fmt::format("what the L2 does not keep of them ({}) / ({} x {})", named(rates, Constant::warm_share),
                          print(rates.dram), named(rates, Constant::convert_efficiency)));
  section.add("", "time", whole.time, "(l2^4 + dram^4)^(1/4)");
  return section;
}

Section tensor_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates) {
  using Constant = TensorConstant;
  if (launch.ctas == 0) return move_section(title, launch, rates);
  const GemmParts parts = gemm_parts(launch, rates);
  Section section(title);
  add_gemm_counts(section, launch, rates);
  section.add("", "compute", parts.whole.compute,
              fmt::format("CTAs of the busiest SM x MACs a step x steps / (MAC rate x {} x sustained clock)",
                          named(rates, Constant::efficiency)));
  section.add("", "latency", parts.whole.latency,
              fmt::format("each wave: the L2's latency for every {} B of a row, and {} CTAs alone",
                          named(rates, Constant::bytes_in_flight), named(rates, Constant::fill)));
  add_memory(section, parts.whole, rates,
             fmt::format("loads / ({} x {}); storing the tiles takes {} x their bytes beside it", print(rates.l2),
                         named(rates, Constant::l2_efficiency), named(rates, Constant::epilogue)),
             named(rates, Constant::dram_efficiency));
  if (parts.whole.power > Seconds(0)) {
    section.add("", "power", parts.whole.power,
                fmt::format("what {} pJ a MAC takes under {}, as far as the clock has fallen: compute is no shorter",
                            named(rates, Constant::mac_energy), print(rates.power)));
  }
  section.add("", "busy", parts.sms, "(compute^4 + latency^4 + loads from the L2^4)^(1/4) + storing the tiles");
  if (launch.product.split > 1) {
    section.add(
        "", "split", parts.whole.atomics,
        fmt::format("adding parts: {} cycles; their bytes pass the L2 besides", named(rates, Constant::split_cycles)));
  }
  section.add("", "time", parts.whole.time,
              fmt::format("(busy^4 + dram^4)^(1/4){}{}", launch.product.split > 1 ? " + split" : "",
                          parts.whole.power > Seconds(0) ? ", compute as power allows" : ""));
  return section;
}

}  // namespace rooftile
