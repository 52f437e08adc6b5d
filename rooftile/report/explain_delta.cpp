// Every number of a layer by DeLTA, equation by equation. The equations are those of docs/theory/delta.md.
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/explain_methods.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

Section gemm_section(const Im2col& gemm) {
  Section section("The convolution as a GEMM");
  section.add("", "M", gemm.m,
              fmt::format("batch {} x outputs {} x {} x {}", grouped(gemm.batch), grouped(gemm.out[0]),
                          grouped(gemm.out[1]), grouped(gemm.out[2])));
  section.add("", "N", gemm.n, "output channels of a group");
  section.add(
      "", "K", gemm.k,
      fmt::format("input channels of a group {} x taps {}", grouped(gemm.in_channels), grouped(gemm.filter_volume)));
  section.add("", "groups", gemm.groups, "independent GEMMs");
  return section;
}

Section plan_section(const DeltaKernel& kernel, const Gpu& gpu) {
  const Plan& plan = kernel.plan;
  const Kernel& k = plan.kernel;
  Section section("Plan");
  const bool chosen = k.tile == delta_kernel(kernel.gemm.out_channels).tile;
  section.add(chosen ? "Fig 6" : "", "tile", fmt::format("{}x{}x{}", k.tile.m, k.tile.n, k.tile.k),
              chosen ? fmt::format("blk_m x blk_n x blk_k for {} output channels", grouped(kernel.gemm.out_channels))
                     : "blk_m x blk_n x blk_k, as --set tile=… has it");
  section.add("", "warps", fmt::format("{} of {}x{}", k.warps, k.warp_m, k.warp_n), "of a CTA, and their tiles");
  section.add("", "columns", plan.columns, "ceil(N / blk_n)");
  section.add("", "rows", plan.rows, "ceil(M / blk_m)");
  section.add("", "CTAs", plan.ctas, "columns x rows x groups");
  section.add("", "loops", plan.loops, "ceil(K / blk_k)");
  const bool by_rule = plan.active_ctas_per_sm == resident_ctas(k, gpu.sm);
  section.add("", "active CTAs/SM", plan.active_ctas_per_sm,
              by_rule ? fmt::format("what registers ({} a thread), shared memory, warps and CTA slots allow",
                                    k.registers_per_thread)
                      : "as --set active-ctas=… has it");
  section.add("", "CTAs/SM", plan.ctas_per_sm, fmt::format("n = ceil(CTAs / {} SMs)", grouped(gpu.sm_count)));
  section.add("", "waves", plan.waves, "ceil(n / active CTAs)");
  return section;
}

Section traffic_section(const DeltaKernel& kernel, const Gpu& gpu) {
  const DeltaTraffic& t = kernel.traffic;
  const Tile& tile = kernel.plan.kernel.tile;
  const Im2col& gemm = kernel.gemm;
  Section section("Traffic: loads, in elements of 4 B per CTA and loop unless bytes are shown");
  section.add("Eq 2", "ratio", t.request_ratio,
              fmt::format("Wp Strd / (Wp - Wf + 1) = {} x {} / ({} - {} + 1)", grouped(gemm.padded[2]),
                          grouped(gemm.stride[2]), grouped(gemm.padded[2]), grouped(gemm.extent[2])));
  section.add("Eq 3", "MLI_IFmap", t.mli_ifmap,
              fmt::format("ratio rounded up to whole L1 requests of {}", print(gpu.l1_request)));
  section.add("Eq 3", "MLI_filter", t.mli_filter, fmt::format("for blk_k = {}", tile.k));
  section.add("Eq 4", "L1 per loop", t.l1_per_loop, "4 (blk_m blk_k MLI_IFmap + blk_n blk_k MLI_filter)");
  section.add("Eq 4", "L1", t.total.l1, "L1 per loop x loops x CTAs");
  if (gemm.filter_volume == 1) {
    section.add("Eq 5-8", "A_DIST_IFmap", t.a_dist_ifmap, "blk_m blk_k: a 1x1 filter reuses nothing");
  } else {
    section.add("Eq 5", "DIST_V", t.dist_v, "blk_m x ratio");
    section.add("Eq 6", "A_DIST_V", t.a_dist_v, fmt::format("DIST_V blk_k / {} taps", grouped(gemm.filter_volume)));
    section.add("Eq 7", "DIST_H", t.dist_h, "(blk_k - 1) / Wf (Wp - Wf + 1) + (blk_k - 1) (Wf - 1) / Wf");
    section.add("Eq 8", "A_DIST_H", t.a_dist_h, "DIST_H (1 + blk_m / map size)");
    section.add("", "A_DIST_IFmap", t.a_dist_ifmap, "A_DIST_V + A_DIST_H, at most blk_m blk_k");
  }
  section.add("", "DIST_filter", t.dist_filter, "blk_n blk_k");
  section.add("Eq 9", "L2 per loop", t.l2_per_loop, "4 (A_DIST_IFmap + DIST_filter)");
  section.add("Eq 9", "L2", t.total.l2, "L2 per loop x loops x CTAs");
  const auto& loaded = gemm.filter_volume == 1 ? gemm.out : gemm.padded;
  section.add(
      "Eq 10", "DRAM, IFmap", t.dram_ifmap,
      fmt::format("4 x groups {} x batch {} x channels {} x {} positions {} x {} x {} x columns", grouped(gemm.groups),
                  grouped(gemm.batch), grouped(gemm.in_channels), gemm.filter_volume == 1 ? "touched" : "padded",
                  grouped(loaded[0]), grouped(loaded[1]), grouped(loaded[2])));
  section.add("Eq 10", "DRAM, filter", t.dram_filter, "4 x groups x K x N, once");
  section.add("Eq 10", "DRAM", t.total.dram, "IFmap + filter");
  section.add("", "DRAM per loop", t.dram_per_loop, "DRAM / (loops x CTAs)");
  section.add("", "store", t.total.store_dram, "4 x groups x M x N, to DRAM");
  section.add("", "compulsory", t.total.compulsory, "each needed input and filter element once");
  return section;
}

// Fixed miss rates: what leaves a level is a share of what reaches it.
Section prior_traffic_section(const DeltaKernel& kernel, const Gpu& gpu) {
  const DeltaTraffic& t = kernel.traffic;
  Section section("Traffic: loads, with one miss rate for the L1 and the L2");
  section.add(
      "Eq 3", "MLI_IFmap", t.mli_ifmap,
      fmt::format("ratio {} rounded up to whole L1 requests of {}", grouped(t.request_ratio), print(gpu.l1_request)));
  section.add("Eq 3", "MLI_filter", t.mli_filter, fmt::format("for blk_k = {}", kernel.plan.kernel.tile.k));
  section.add("Eq 4", "L1 per loop", t.l1_per_loop, "4 (blk_m blk_k MLI_IFmap + blk_n blk_k MLI_filter)");
  section.add("Eq 4", "L1", t.total.l1, "L1 per loop x loops x CTAs");
  section.add("", "miss rate", t.l2_per_loop / t.l1_per_loop, "as --method prior=RATE has it");
  section.add("", "L2", t.total.l2, "L1 x miss rate");
  section.add("", "DRAM", t.total.dram, "L2 x miss rate");
  section.add("", "store", t.total.store_dram, "4 x groups x M x N, to DRAM");
  return section;
}

Section rates_section(const Gpu& gpu) {
  const DeltaRates rates = delta_rates(gpu);
  Section section("Rates of one SM");
  section.add("", "arithmetic", rates.arithmetic, "fp32 peak / SMs");
  section.add("", "L1", rates.l1, fmt::format("latency {}", print(rates.l1_latency)));
  section.add("", "L2", rates.l2, fmt::format("bandwidth / SMs; latency {}", print(rates.l2_latency)));
  section.add("", "DRAM", rates.dram, fmt::format("bandwidth / SMs; latency {}", print(rates.dram_latency)));
  section.add("", "smem", rates.smem_load,
              fmt::format("loads; stores {}, latency {}", print(rates.smem_store), print(rates.smem_latency)));
  return section;
}

Section time_section(const DeltaKernel& kernel) {
  const DeltaTiming& t = kernel.timing;
  Section section("Time: of one CTA and loop");
  section.add("", "x_L1", t.l1_transfer, "L1 per loop / rate");
  section.add("", "x_L2", t.l2_transfer, "L2 per loop / rate");
  section.add("", "x_DRAM", t.dram_transfer, "DRAM per loop / rate");
  section.add("Eq 11", "t_GLS", t.t_gls, "max over levels of latency + x");
  section.add("Eq 12", "t_SAS", t.t_sas,
              "4 (blk_m + blk_n) blk_k / store rate + 4 (warp_m + warp_n) blk_k warps / load rate");
  section.add("Eq 13", "t_CS", t.t_cs, "2 blk_m blk_n blk_k / arithmetic");
  section.add("Eq 14", "prologue", t.prologue, "once: latency and first tiles from DRAM, through shared memory");
  section.add("Eq 15", "epilogue", t.epilogue, "a CTA: 4 blk_m blk_n / DRAM rate");
  section.add("Eq 15", "epilogue at L1", t.epilogue_l1, "the same at the L1 rate");
  section.add("Eq 15", "epilogue at L2", t.epilogue_l2, "the same at the L2 rate");
  return section;
}

Section delta_cases(const TimeBounds& cases, Bottleneck bottleneck) {
  struct Row {
    Bottleneck which;
    std::string_view equation, formula;
  };
  constexpr std::array<Row, 6> kRows = {{
      {Bottleneck::compute, "Eq 16", "prologue + (t_CS loops + epilogue) n"},
      {Bottleneck::smem, "Eq 16", "prologue + (t_SAS loops + epilogue) n"},
      {Bottleneck::latency, "Eq 17", "prologue + ((t_GLS + max(t_CS, t_SAS) / blk_k) loops + epilogue) waves"},
      {Bottleneck::l1, "Eq 18", "prologue + (x_L1 loops + epilogue at L1) n"},
      {Bottleneck::l2, "Eq 18", "prologue + (x_L2 loops + epilogue at L2) n"},
      {Bottleneck::dram, "Eq 18", "prologue + (x_DRAM loops + epilogue) n"},
  }};
  Section section("Time of the kernel if one thing limited it; the largest is the prediction");
  for (const Row& row : kRows) {
    section.add_case(row.equation, row.which, bottleneck, cases[row.which], std::string(row.formula));
  }
  return section;
}

std::vector<Section> kernel_sections(const DeltaKernel& kernel, const Gpu& gpu, Method method) {
  return {gemm_section(kernel.gemm), plan_section(kernel, gpu),
          method == Method::prior ? prior_traffic_section(kernel, gpu) : traffic_section(kernel, gpu),
          time_section(kernel), delta_cases(kernel.timing.cases, kernel.timing.bottleneck)};
}

}  // namespace

std::vector<Section> explain_delta(const LayerEstimate& layer, const Gpu& gpu) {
  std::vector<Section> sections = {rates_section(gpu)};
  std::size_t number = 0;
  const auto kernels = planned<DeltaKernel>(layer);
  for (const auto& [kernel, delta] : kernels) {
    std::string part;
    if (layer.kernels > 1) {
      part = fmt::format("Kernels {} of {}: {} alike, each taking {}", ++number, kernels.size(), grouped(kernel.count),
                         print(kernel.time));
    }
    for (Section& section : kernel_sections(delta, gpu, layer.method)) {
      section.part = part;
      sections.push_back(std::move(section));
    }
  }
  return sections;
}

}  // namespace rooftile
