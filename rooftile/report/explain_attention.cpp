// Fused attention by the refined method: its kernel, what it moves, and what limits it.
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "rooftile/predict/refined.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/timing/attention_time.hpp"

namespace rooftile {
namespace {

// "softmax 0.52"
std::string named(const Machine& machine, AttentionConstant which) {
  return fmt::format("{} {}", constant_table(KernelFamily::attention)[static_cast<std::size_t>(which)].name,
                     grouped(machine.constants[which]));
}

// Means over the CTAs are shown to a hundredth.
double hundredth(double number) { return std::round(number * 100) / 100; }
Bytes whole(Bytes bytes) { return Bytes(std::round(bytes.value())); }

std::string plan_section(const AttentionPlan& plan) {
  Section section(fmt::format("Kernel of {}", name_of(plan.library)));
  section.add("", "kind", std::string(name_of(plan.kernel)), plan.decode ? "few queries against a cache" : "a prompt");
  section.add("", "tile", fmt::format("{} x {}", grouped(plan.tile_q), grouped(plan.tile_kv)), "rows x keys of a step");
  section.add("", "products", std::string(name_of(plan.precision)), fmt::format("of {} dimensions", plan.padded_dim));
  section.add("", "packed", plan.packed, "heads that share keys and are rows of one tile");
  section.add("", "CTAs", plan.ctas, "before keys are split");
  section.add("", "split", plan.split, "CTAs that share the keys of a tile");
  section.add("", "steps", hundredth(plan.steps), fmt::format("of a CTA; the longest {}", hundredth(plan.most_steps)));
  section.add("", "resident", plan.resident, "CTAs an SM holds at once");
  section.add("", "kernels", plan.kernels, "of the call; one that overlaps with the one before counts half");
  section.add("", "queries", plan.queries, "loaded");
  section.add("", "results", plan.results, "stored");
  section.add("", "keys", plan.keys, fmt::format("and values, once; loaded {} times from the L2", plan.key_loads));
  section.add("", "around", plan.around, "moved by the kernels that write the cache and rotate queries");
  return section.text();
}

std::string time_section(const LayerEstimate& layer, const RefinedModel& model) {
  const AttentionPlan& plan = *layer.attention;
  const Machine& machine = model.machine;
  const AttentionTime time = attention_time(plan, machine);
  const double rate = machine.macs_per_second * 2 * machine.sms;
  Section section("Time, as if one thing alone limited a forward pass");
  section.add("", "compute", time.cases[Bottleneck::compute],
              fmt::format("products at {} x {} and {} of 16 exponentials a clock", print(FlopsPerSecond(rate)),
                          named(machine, constant_of(plan.rate)), named(machine, AttentionConstant::softmax)));
  section.add("", "latency", time.cases[Bottleneck::latency], "CTAs that start or wait, tokens written, split keys");
  section.add(
      "", "l2", time.cases[Bottleneck::l2],
      fmt::format("({}) x {}", print(BytesPerSecond(machine.l2)), named(machine, AttentionConstant::l2_efficiency)));
  section.add("", "DRAM loads", whole(time.dram_load),
              plan.warm ? "what the L2 does not hold" : "all: nothing is warm");
  section.add("", "DRAM stores", whole(time.dram_store), "the same");
  section.add("", "dram", time.cases[Bottleneck::dram],
              fmt::format("({}) x {}", print(BytesPerSecond(machine.dram)),
                          named(machine, AttentionConstant::dram_efficiency)));
  section.add("", "launch", time.cases[Bottleneck::launch],
              fmt::format("(kernels - 1) x launch overhead x {}", named(machine, AttentionConstant::kernel_cost)));
  section.add("", "kernels", time.time, "(busy^4 + l2^4 + dram^4)^(1/4) and what follows (docs/theory.md)");
  section.add("", "overhead", model.overhead, "of one call");
  section.add("", "time", layer.time, layer.pass == Pass::fwd ? "their sum" : "2.5 x kernels + overhead");
  return section.text();
}

std::string constants_section(const Constants& constants) {
  Section section("Constants of attention");
  const std::span<const ConstantInfo> infos = constant_table(KernelFamily::attention);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    section.add("", infos[i].name, constants.values[i], std::string(infos[i].meaning));
  }
  return section.text();
}

}  // namespace

std::string explain_attention(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options) {
  options.precision = layer.attention->precision;
  const auto model = refined_model(RefinedOp::attention, gpu, options);
  if (!model) return "";  // not reached: the layer was predicted with these options
  return plan_section(*layer.attention) + time_section(layer, *model) + constants_section(model->machine.constants);
}

}  // namespace rooftile
