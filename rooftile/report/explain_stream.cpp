// A streaming layer by the refined method: its kernels and what each of them waits for.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/predict/refined.hpp"
#include "rooftile/report/explain_methods.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/timing/stream_kernel_time.hpp"

namespace rooftile {
namespace {

// "l2_efficiency 0.57"
std::string named(const GpuRates& rates, StreamConstant which) {
  return fmt::format("{} {}", constant_table(KernelFamily::stream)[static_cast<std::size_t>(which)].name,
                     grouped(rates.constants[which]));
}

Section stream_kernel_section(const std::string& title, const StreamKernel& kernel, const GpuRates& rates) {
  const StreamKernelTime time = stream_kernel_time(kernel, rates);
  Section section(title);
  section.add("", "read", kernel.read, "each tensor once");
  section.add("", "written", kernel.write, "each tensor once");
  if (kernel.reread > Bytes(0)) section.add("", "read again", kernel.reread, "by later passes over a row");
  section.add("", "DRAM loads", whole_bytes(time.traffic.dram),
              fmt::format("what {} of the L2 does not hold from before", named(rates, StreamConstant::warm_share)));
  section.add("", "DRAM stores", whole_bytes(time.traffic.store_dram), "the same");
  section.add("", "CTAs", kernel.ctas, fmt::format("of {} threads", grouped(kernel.threads)));
  section.add("", "waits", kernel.steps + kernel.resteps, "of a thread for memory, one after another");
  section.add("", "compute", time.cases[Bottleneck::compute],
              "instructions of the busiest SM's CTAs, 128 lanes a clock");
  section.add("", "latency", time.cases[Bottleneck::latency],
              fmt::format("{}: {} x latency of what is loaded",
                          kernel.overlaps ? "the first wait, or those of its rounds that instructions do not hide"
                                          : "waits of its rounds of CTAs",
                          named(rates, StreamConstant::latency)));
  section.add(
      "", "l2", time.cases[Bottleneck::l2],
      fmt::format("read, again and written / ({} x {})", print(rates.l2), named(rates, StreamConstant::l2_efficiency)));
  section.add("", "dram", time.cases[Bottleneck::dram],
              fmt::format("(loads + stores / {}) / {}", named(rates, StreamConstant::dram_store_efficiency),
                          print(rates.dram)));
  section.add("", "start", time.cases[Bottleneck::launch], named(rates, StreamConstant::start_cycles));
  section.add("", "time", time.time, "start + ((compute + latency)^4 + l2^4 + dram^4)^(1/4)");
  return section;
}

}  // namespace

std::vector<Section> explain_stream(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options) {
  options.framework.clear();  // as the layer of a network is predicted
  const auto model = refined_model(RefinedOp::stream, gpu, options);
  if (!model) return {};  // not reached: the layer was predicted with these options
  std::vector<Section> sections;
  const auto kernels = planned<StreamKernel>(layer);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string title =
        kernels.size() == 1 ? "The kernel" : fmt::format("Kernel {} of {}", i + 1, kernels.size());
    sections.push_back(stream_kernel_section(title, kernels[i].plan, model->rates));
  }
  Section section("Time of the layer");
  section.add("", "launch", model->floor * layer.kernels, "kernels x launch overhead: no layer is shorter");
  section.add("", "time", layer.time, "(kernels^16 + launch^16)^(1/16)");
  sections.push_back(std::move(section));
  sections.push_back(constants_list("Constants of streaming kernels", KernelFamily::stream, model->rates.constants));
  return sections;
}

}  // namespace rooftile
