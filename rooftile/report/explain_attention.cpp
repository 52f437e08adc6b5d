// Fused attention by the refined method: its kernel, what it moves, and what limits it.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/predict/refined.hpp"
#include "rooftile/report/explain_methods.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/timing/attention_time.hpp"

namespace rooftile {
namespace {

// "softmax 0.52"
std::string named(const GpuRates& rates, AttentionConstant which) {
  return fmt::format("{} {}", constant_table(KernelFamily::attention)[static_cast<std::size_t>(which)].name,
                     grouped(rates.constants[which]));
}

// Means over the CTAs are shown to a hundredth.
double hundredth(double number) { return std::round(number * 100) / 100; }
Section attention_plan_section(const AttentionPlan& plan) {
  Section section(fmt::format("Kernel of {}", name_of(plan.library)));
  section.add("", "kind", std::string(name_of(plan.kernel)),
              plan.decode     ? "few queries against a cache"
              : plan.backward ? "gradients"
                              : "a prompt");
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
  section.add("", "around", plan.around,
              plan.backward ? "moved by the kernels before and after"
                            : "moved by the kernels that write the cache and rotate queries");
  return section;
}

Section attention_time_section(const LayerEstimate& layer, const RefinedModel& model) {
  const AttentionPlan& plan = *first_plan<AttentionPlan>(layer);
  const GpuRates& rates = model.rates;
  const AttentionTime time = attention_time(plan, rates);
  const FlopsPerSecond rate = rates.sm_peak * rates.sms;
  Section section("Time, as if one thing alone limited it");
  section.add("", "compute", time.cases[Bottleneck::compute],
              fmt::format("products at {} x {} and {} of {} exponentials a clock", print(rate),
                          named(rates, constant_of(plan.rate)), named(rates, softmax_of(plan)), plan.exponentials));
  section.add("", "latency", time.cases[Bottleneck::latency], "CTAs that start or wait, tokens written, split keys");
  section.add("", "l2", time.cases[Bottleneck::l2],
              fmt::format("({}) x {}", print(rates.l2), named(rates, AttentionConstant::l2_efficiency)));
  const Traffic traffic = time.traffic.total();
  section.add("", "L2 loads", whole_bytes(traffic.l2), "with what the kernels around move, and parts of split keys");
  section.add("", "L2 stores", whole_bytes(traffic.store_l2), "the same");
  section.add("", "DRAM loads", whole_bytes(traffic.dram),
              plan.warm ? "what the L2 does not hold" : "all: nothing is warm");
  section.add("", "DRAM stores", whole_bytes(traffic.store_dram), "the same");
  section.add("", "dram", time.cases[Bottleneck::dram],
              fmt::format("({}) x {}", print(rates.dram), named(rates, AttentionConstant::dram_efficiency)));
  section.add("", "launch", time.cases[Bottleneck::launch],
              fmt::format("(kernels - 1) x launch overhead x {}", named(rates, AttentionConstant::kernel_cost)));
  section.add("", "kernels", time.time, "(busy^4 + l2^4 + dram^4)^(1/4) and what follows (docs/theory.md)");
  section.add("", "overhead", model.overhead, "of one call");
  section.add("", "time", layer.time, "their sum");
  return section;
}

}  // namespace

std::vector<Section> explain_attention(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options) {
  const AttentionPlan& plan = *first_plan<AttentionPlan>(layer);
  options.precision = plan.precision;
  const auto model = refined_model(RefinedOp::attention, gpu, options);
  if (!model) return {};  // not reached: the layer was predicted with these options
  return {attention_plan_section(plan), attention_time_section(layer, *model),
          constants_list("Constants of attention", KernelFamily::attention, model->rates.constants)};
}

}  // namespace rooftile
