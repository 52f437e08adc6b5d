// A launch of conv_miopen in words: the form of rooftile/timing/miopen_time.cpp.
#include <string>

#include <fmt/format.h>

#include "rooftile/report/explain_launch.hpp"
#include "rooftile/report/explain_section.hpp"

namespace rooftile {
namespace {

std::string named_miopen(const GpuRates& rates, MiopenConstant which) {
  return fmt::format("{} {}", constant_table(rates.family)[static_cast<std::size_t>(which)].name,
                     grouped(rates.constants[which]));
}

Section miopen_move(const std::string& title, const Launch& launch, const GpuRates& rates) {
  Section section(title + ": only moves bytes");
  section.add("", "loaded", whole_bytes(launch.dram_load), "from DRAM");
  section.add("", "stored", launch.dram_store, "to DRAM");
  section.add("", "time", launch_time(launch, rates).time,
              fmt::format("(loaded + stored) / ({} x {})", print(rates.dram),
                          named_miopen(rates, MiopenConstant::transpose_efficiency)));
  return section;
}

}  // namespace

Section miopen_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates) {
  using Constant = MiopenConstant;
  if (launch.ctas == 0) return miopen_move(title, launch, rates);
  const LaunchTime time = launch_time(launch, rates);
  const Traffic bytes = launch_traffic(launch, rates);
  Section section(title);
  section.add("", "loaded", whole_bytes(bytes.dram), "from DRAM");
  section.add("", "stored", bytes.store_dram, "to DRAM");
  section.add("", "L2", whole_bytes(launch.l2_load), "loads of the CTAs from the L2");
  section.add("", "CTAs", launch.ctas,
              launch.miopen.kernels > 1 ? fmt::format("of {} kernels", grouped(launch.miopen.kernels)) : "");
  section.add("", "MACs a step", launch.macs_per_step, "of a CTA, for one step of k");
  section.add("", "steps", launch.steps, "of k, a CTA; padded to whole steps of the main loop");
  section.add("", "active CTAs/CU", launch.resident, "resident on a CU at once");
  section.add(
      "", "compute", time.compute,
      fmt::format("CTAs of the busiest CU x MACs a step x steps / (MAC rate x {:.3g} x {}){}", launch.miopen.peak_share,
                  named_miopen(rates, launch.miopen.efficiency),
                  launch.miopen.gathers() ? fmt::format("; with {}", named_miopen(rates, Constant::gather)) : ""));
  section.add("", "latency", time.latency,
              fmt::format("each wave: {} of the L2 for every 128 B of a row, and {} CTAs alone",
                          named_miopen(rates, Constant::latency), named_miopen(rates, Constant::fill)));
  section.add("", "L2", time.l2, fmt::format("loads / {}", print(rates.l2)));
  section.add("", "draw", time.l1,
              fmt::format("loads of the busiest CU / (64 B/clk x {})", named_miopen(rates, Constant::draw)));
  section.add(
      "", "DRAM", time.dram,
      fmt::format("(loaded + stored) / ({} x {})", print(rates.dram), named_miopen(rates, Constant::dram_efficiency)));
  section.add("", "aside", time.l2_aside, fmt::format("{}; parts of a split", named_miopen(rates, Constant::epilogue)));
  if (launch.product.split > 1) section.add("", "split", time.atomics, "clearing the results, adding the parts");
  section.add("", "time", time.time,
              "((4-norm of compute, latency, L2 or draw) + epilogue, DRAM by the 4-norm) + split and parts");
  return section;
}

}  // namespace rooftile
