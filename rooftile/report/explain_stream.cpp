// A streaming layer by the refined method: its kernels and what each of them waits for.
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "rooftile/predict/refined.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/timing/stream_kernel_time.hpp"

namespace rooftile {
namespace {

// "l2_efficiency 0.57"
std::string named(const Machine& machine, StreamConstant which) {
  return fmt::format("{} {}", constant_table(KernelFamily::stream)[static_cast<std::size_t>(which)].name,
                     grouped(machine.constants[which]));
}

// Counts in bytes are means of what is in the L2 and not: shown whole.
Bytes whole(Bytes bytes) { return Bytes(std::round(bytes.value())); }

std::string kernel_section(const std::string& title, const StreamKernel& kernel, const Machine& machine) {
  const StreamKernelTime time = stream_kernel_time(kernel, machine);
  Section section(title);
  section.add("", "read", kernel.read, "each tensor once");
  section.add("", "written", kernel.write, "each tensor once");
  if (kernel.reread > Bytes(0)) section.add("", "read again", kernel.reread, "by later passes over a row");
  section.add("", "DRAM loads", whole(time.dram_load),
              fmt::format("what {} of the L2 does not hold from before", named(machine, StreamConstant::warm_share)));
  section.add("", "DRAM stores", whole(time.dram_store), "the same");
  section.add("", "CTAs", kernel.ctas, fmt::format("of {} threads", grouped(kernel.threads)));
  section.add("", "waits", kernel.steps + kernel.resteps, "of a thread for memory, one after another");
  section.add("", "compute", time.cases[Bottleneck::compute],
              "instructions of the busiest SM's CTAs, 128 lanes a clock");
  section.add("", "latency", time.cases[Bottleneck::latency],
              fmt::format("waits of its rounds of CTAs: {} x latency of what is loaded",
                          named(machine, StreamConstant::latency)));
  section.add("", "l2", time.cases[Bottleneck::l2],
              fmt::format("read, again and written / ({} x {})", print(BytesPerSecond(machine.l2)),
                          named(machine, StreamConstant::l2_efficiency)));
  section.add("", "dram", time.cases[Bottleneck::dram],
              fmt::format("(loads + stores / {}) / {}", named(machine, StreamConstant::dram_store_efficiency),
                          print(BytesPerSecond(machine.dram))));
  section.add("", "start", time.cases[Bottleneck::launch], named(machine, StreamConstant::start_cycles));
  section.add("", "time", time.time, "start + ((compute + latency)^4 + l2^4 + dram^4)^(1/4)");
  return section.text();
}

std::string constants_section(const Constants& constants) {
  Section section("Constants of streaming kernels");
  const std::span<const ConstantInfo> infos = constant_table(KernelFamily::stream);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    section.add("", infos[i].name, constants.values[i], std::string(infos[i].meaning));
  }
  return section.text();
}

}  // namespace

std::string explain_stream(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options) {
  options.framework.clear();  // as the layer of a network is predicted
  const auto model = refined_model(RefinedOp::stream, gpu, options);
  if (!model) return "";  // not reached: the layer was predicted with these options
  std::string text;
  for (std::size_t i = 0; i < layer.streams.size(); ++i) {
    const std::string title =
        layer.streams.size() == 1 ? "The kernel" : fmt::format("Kernel {} of {}", i + 1, layer.streams.size());
    text += kernel_section(title, layer.streams[i], model->machine);
  }
  Section section("Time of the layer");
  section.add("", "launch", model->floor * layer.kernels, "kernels x launch overhead: no layer is shorter");
  section.add("", "time", layer.time, "(kernels^16 + launch^16)^(1/16)");
  return text + section.text() + constants_section(model->machine.constants);
}

}  // namespace rooftile
