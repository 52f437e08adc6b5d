// Every number behind one layer's time, in the order in which it is computed: what all methods share, and streaming and
// roofline as a whole.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/facts.hpp"
#include "rooftile/report/explain_methods.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/report/explanation.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

Section stream_section(const LayerEstimate& layer, const Gpu& gpu) {
  Section section("Streaming: the largest of three is the prediction");
  section.add("", "read", layer.traffic.dram, "inputs and weights, once");
  section.add("", "written", layer.traffic.store_dram, "outputs");
  section.add("", "arithmetic", layer.flops, "nominal operations (docs/theory.md)");
  section.add_case("", Bottleneck::dram, layer.bottleneck, layer.cases[Bottleneck::dram],
                   fmt::format("(read + written) / {}", print(gpu.level("DRAM").bandwidth)));
  section.add_case("", Bottleneck::compute, layer.bottleneck, layer.cases[Bottleneck::compute],
                   fmt::format("arithmetic / {}", print(gpu.peak(Peak::fp32))));
  section.add_case("", Bottleneck::launch, layer.bottleneck, layer.cases[Bottleneck::launch], "one kernel launch");
  return section;
}

Section roofline_section(const LayerEstimate& layer, const Gpu& gpu, DType precision) {
  Section section("Roofline: the larger of two is the prediction");
  section.add("", "read", layer.traffic.dram, "operands, once");
  section.add("", "written", layer.traffic.store_dram, "results");
  section.add("", "arithmetic", layer.flops, "2 FLOP a multiply-accumulate");
  section.add_case("", Bottleneck::dram, layer.bottleneck, layer.cases[Bottleneck::dram],
                   fmt::format("(read + written) / {}", print(gpu.level("DRAM").bandwidth)));
  section.add_case("", Bottleneck::compute, layer.bottleneck, layer.cases[Bottleneck::compute],
                   fmt::format("arithmetic / {}", print(peak_of(precision, gpu).value_or(gpu.peak(Peak::fp32)))));
  return section;
}

// What comes to the time of the kernels.
Section fused_section(const KernelEstimate& loads, const Gpu& gpu) {
  Section section("Operators fused into the kernel");
  section.add("", "read", loads.traffic.compulsory, "what they need beside the kernel's result, when that is done");
  section.add("", "from DRAM", Bytes(std::round(loads.traffic.dram.value())),
              "of it what the L2 has no longer: docs/theory.md");
  section.add("", "fused", loads.time,
              fmt::format("from DRAM / {} + the rest / {}: added to the layer's time",
                          print(gpu.level("DRAM").bandwidth), print(gpu.level("L2").bandwidth)));
  return section;
}

// Facts of the GPU that the method of a layer uses.
std::vector<std::string> keys_of(const LayerEstimate& layer, const std::string& peak) {
  if (first_plan<StreamKernel>(layer) != nullptr) {
    return {"core.sm_count",      "core.clock",         "sm.warps",         "sm.ctas",
            "level.L2.capacity",  "level.L2.bandwidth", "level.L2.latency", "level.DRAM.bandwidth",
            "level.DRAM.latency", "launch.overhead"};
  }
  switch (layer.method) {
    case Method::stream:
      return {"peak.fp32", "level.DRAM.bandwidth", "launch.overhead"};
    case Method::roofline:
      return {peak, "level.DRAM.bandwidth"};
    case Method::rooftile:
      return {"core.generation",    "core.sm_count",
              "core.clock",         "core.base_clock",
              "core.product_clock", "core.tensor_clock",
              "core.process_nm",    peak,
              "level.L2.capacity",  "level.L2.bandwidth",
              "level.L2.latency",   "level.DRAM.bandwidth",
              "board.tdp",          "launch.overhead",
              "sm.registers",       "sm.smem",
              "sm.warps",           "sm.ctas"};
    case Method::delta:
    case Method::prior:
    case Method::none:
      break;
  }
  return {"core.sm_count",
          "core.clock",
          peak,
          "sm.l1_request",
          "level.L1.bandwidth",
          "level.L2.bandwidth",
          "level.DRAM.bandwidth",
          "level.L1.latency",
          "level.L2.latency",
          "level.DRAM.latency",
          "sm.smem_load_bandwidth",
          "sm.smem_store_bandwidth",
          "sm.smem_latency"};
}

std::vector<Fact> facts_of(const LayerEstimate& layer, const Gpu& gpu, DType precision) {
  std::vector<Fact> used;
  for (const std::string& key : keys_of(layer, peak_key(gpu, precision))) {
    if (const Fact* fact = find_fact(gpu, key)) used.push_back(*fact);
  }
  return used;
}

std::vector<Section> sections_of(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options) {
  switch (layer.method) {
    case Method::stream:
      if (first_plan<StreamKernel>(layer) != nullptr) return explain_stream(layer, gpu, options);
      return {stream_section(layer, gpu)};
    case Method::roofline:
      return {roofline_section(layer, gpu, options.precision)};
    case Method::rooftile:
      if (first_plan<AttentionPlan>(layer) != nullptr) return explain_attention(layer, gpu, options);
      if (layer.op == "recurrent") return explain_recurrent(layer, gpu, options);
      return explain_refined(layer, gpu, options);
    case Method::delta:
    case Method::prior:
      return explain_delta(layer, gpu);
    case Method::none:
      break;
  }
  return {};
}

}  // namespace

std::string peak_key(const Gpu& gpu, DType precision) {
  std::string_view type = is_fp4(precision) ? "fp4" : name_of(precision);
  if (precision == DType::fp32) type = "";
  const std::string tensor = fmt::format("tensor_{}", type);
  for (std::size_t i = 0; i < kPeaks; ++i) {
    if (name_of(static_cast<Peak>(i)) == tensor && gpu.peaks[i] > FlopsPerSecond(0)) return "peak." + tensor;
  }
  return fmt::format("peak.{}", name_of(precision));
}

Explanation explain_layer(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options) {
  Explanation explanation;
  explanation.layer = layer.name;
  explanation.op = layer.op;
  explanation.function = layer.function;
  explanation.label = label_of(layer);
  explanation.gpu = gpu.id;
  explanation.precision = options.precision;
  explanation.pass = layer.pass;
  explanation.method = layer.method;
  explanation.bottleneck = layer.bottleneck;
  explanation.time = layer.time;
  explanation.interval = interval_of(layer);
  explanation.ratio_of_calls = layer.ratio_of_calls;
  explanation.sections = sections_of(layer, gpu, options);
  for (const auto& [loads, plan] : planned<FusedLoads>(layer)) {
    explanation.sections.push_back(fused_section(loads, gpu));
  }
  if (layer.method != Method::none) explanation.facts = facts_of(layer, gpu, options.precision);
  return explanation;
}

}  // namespace rooftile
