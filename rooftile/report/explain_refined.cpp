// Every number of a layer by the refined method: the product, the plans that could run it, the launches of the fastest,
// the constants and where they were fitted.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/predict/loads_in_flight.hpp"
#include "rooftile/predict/plan_summary.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/report/explain_launch.hpp"
#include "rooftile/report/explain_methods.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {
namespace {

// What the refined method knew when it predicted.
struct Context {
  const LayerEstimate& layer;
  const Gpu& gpu;
  const PredictOptions& options;
  const RefinedModel& model;
};

const Calibration& calibration_of(const PredictOptions& options) {
  return options.calibration != nullptr ? *options.calibration : builtin_calibration();
}

std::string tile_of(const Tile& tile) { return fmt::format("{}x{}x{}", tile.m, tile.n, tile.k); }

Section product_section(const PlanSummary& plan, const Im2col& gemm, Pass pass) {
  const std::string outputs = fmt::format("batch {} x outputs {} x {} x {}", grouped(gemm.batch), grouped(gemm.out[0]),
                                          grouped(gemm.out[1]), grouped(gemm.out[2]));
  const std::string inputs = fmt::format("batch {} x inputs {} x {} x {}", grouped(gemm.batch), grouped(gemm.in[0]),
                                         grouped(gemm.in[1]), grouped(gemm.in[2]));
  const std::string patch =
      fmt::format("input channels of a group {} x taps {}", grouped(gemm.in_channels), grouped(gemm.filter_volume));
  const std::string filters = "output channels of a group";
  std::string m = outputs, n = filters, k = patch;
  if (pass == Pass::bwd_weight) {
    const bool filters_first = plan.m == gemm.n && plan.n == gemm.k;
    m = filters_first ? filters : patch;
    n = filters_first ? patch : filters;
    k = outputs;
  } else if (pass == Pass::bwd_data) {
    const bool scatter = plan.m == gemm.m && plan.k == gemm.n;
    m = scatter ? outputs : inputs;
    n = scatter ? patch : "input channels of a group";
    k = scatter ? filters : filters + ", times the taps that meet an output";
  }
  Section section("The product C[M,N] = A[M,K] B[K,N]");
  section.add("", "M", plan.m, std::move(m));
  section.add("", "N", plan.n, std::move(n));
  section.add("", "K", plan.k, std::move(k));
  section.add("", "groups", plan.groups, "independent products");
  return section;
}

struct Candidate {
  LaunchPlan plan;
  Seconds time;
};

std::vector<Candidate> candidates(const RefinedKernel& kernel, const Context& context) {
  std::vector<Candidate> found;
  const OpShape op = op_shape(kernel.gemm, context.model, context.layer.pass);
  each_plan(op, context.gpu, context.options.plan, [&](const LaunchPlan& plan) {
    found.push_back({plan, {}});
    count_loads(found.back().plan, op, context.gpu);
    found.back().time = plan_time(found.back().plan, context.model.rates);
  });
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return found;
}

// How the library chooses, where it is not by time.
std::string_view choice_note(const RefinedKernel& kernel, const Context& context) {
  if (context.model.choice == TileChoice::by_channels) {
    return " (the tile of an implicit GEMM by a table over the channels)";
  }
  const bool old = context.model.family == KernelFamily::gemm_simt && kernel.plan.main.product.old_kernel;
  return old ? " (cuBLAS chooses by its own estimate, which knows little of DRAM)" : "";
}

// What tells kernels of one algorithm apart.
std::string_view variant_of(const LaunchPlan& plan, KernelFamily family) {
  if (scatters(plan)) return ", scattering";
  if (family != KernelFamily::conv_miopen || plan.algorithm != Algorithm::implicit_gemm) return "";
  if (plan.main.miopen.efficiency == MiopenConstant::lane_efficiency) return ", lanes";
  return plan.main.miopen.gathers() ? ", NCHW" : ", NHWC";
}

Section candidates_section(const RefinedKernel& kernel, const Context& context) {
  using Role = Section::Role;
  Section section(fmt::format("Plans{}, by time; * is the prediction", choice_note(kernel, context)),
                  {{"", "", Role::mark},
                   {"algorithm", "algorithm", Role::name},
                   {"tile", "tile", Role::name, Align::right},
                   {"split_k", "split-K", Role::quantity, Align::right},
                   {"kernels", "kernels", Role::quantity, Align::right},
                   {"ctas", "CTAs", Role::quantity, Align::right},
                   {"waves", "waves", Role::quantity, Align::right},
                   {"time", "time", Role::quantity, Align::right},
                   {"slower", "slower", Role::quantity, Align::right}});
  constexpr double kPercent = 100;
  const Seconds least = plan_time(kernel.plan, context.model.rates);
  bool chosen = false;
  for (const Candidate& candidate : candidates(kernel, context)) {
    const LaunchPlan& plan = candidate.plan;
    const PlanSummary summary = plan_summary(kernel.gemm, context.layer.pass, plan, context.gpu.sm_count);
    const bool same = !chosen && plan.algorithm == kernel.plan.algorithm && plan.tile == kernel.plan.tile &&
                      plan.split_k == kernel.plan.split_k && candidate.time == least;
    chosen = chosen || same;
    const double slower = candidate.time / least - 1;
    section.rows.push_back({{{},
                             {fmt::format("{}{}", name_of(plan.algorithm), variant_of(plan, context.model.family))},
                             {tile_of(plan.tile)},
                             {plan.split_k > 1 ? grouped(plan.split_k) : "-", plan.split_k},
                             cell_of(summary.kernels),
                             cell_of(summary.ctas),
                             cell_of(summary.waves),
                             cell_of(candidate.time),
                             {same ? "" : fmt::format("{:+.1f} %", kPercent * slower), slower}},
                            same});
  }
  return section;
}

std::string fitted_where(const FoundEntry& found, const Gpu& gpu) {
  if (found.entry == nullptr) return "starting values; no calibration has any";
  switch (found.match) {
    case Match::gpu:
      return fmt::format("fitted to {} itself", found.entry->scope);
    case Match::sibling:
      return fmt::format("fitted to {}, which has the same chip", found.entry->scope);
    case Match::architecture:
      return fmt::format("fitted to GPUs of its architecture, {}", found.entry->scope);
    case Match::kin:
      return fmt::format("fitted to {}, whose kernels run on {}, too", found.entry->scope, gpu.architecture);
    case Match::foreign:
      break;
  }
  return fmt::format("fitted to other GPUs; neither {} nor {} was measured", gpu.id, gpu.architecture);
}

Section constants_of(const RefinedKernel& kernel, const Context& context) {
  const FoundEntry found = find_entry(calibration_of(context.options), context.model.family, context.gpu);
  Section section = constants_section(
      fmt::format("Constants of {}: {}", name_of(context.model.family), fitted_where(found, context.gpu)), kernel.plan,
      context.model.rates);
  if (found.entry != nullptr) {
    constexpr double kPercent = 100;
    section.note = fmt::format("{} rows of {}; {}; they are off by {:.1f} % there (GMAE)", grouped(found.entry->rows),
                               found.entry->data, found.entry->date, kPercent * found.entry->gmae);
  }
  return section;
}

std::vector<Section> product_sections(const RefinedKernel& kernel, const Context& context) {
  const LaunchPlan& plan = kernel.plan;
  const Pass pass = context.layer.pass;
  std::vector<Section> sections = {
      product_section(plan_summary(kernel.gemm, pass, plan, context.gpu.sm_count), kernel.gemm, pass),
      candidates_section(kernel, context)};
  for (std::size_t i = 0; i < plan.count(); ++i) {
    sections.push_back(
        launch_section(fmt::format("Kernel {} of {}", i + 1, plan.count()), plan.launch(i), context.model.rates));
  }
  sections.push_back(constants_of(kernel, context));
  return sections;
}

std::string gap_words(KernelFamily family) {
  return on_tensor_cores(family)
             ? "to start and drain each kernel: start_cycles / clock, convert_cycles / clock where it only moves bytes"
             : "between the kernels of a product: kernel_gap each";
}

// Kernels, gaps and overhead of the whole layer, and what would limit it.
Section total_section(const Context& context) {
  const LayerEstimate& layer = context.layer;
  const RefinedModel& model = context.model;
  Seconds kernels, gaps, fused, sums;
  for (const KernelEstimate& kernel : layer.breakdown) {
    if (std::holds_alternative<FusedLoads>(kernel.plan)) {
      fused += kernel.time;
      continue;
    }
    if (std::holds_alternative<OrderedSums>(kernel.plan)) {
      sums += kernel.time;
      continue;
    }
    const Seconds between = kernel.cases[Bottleneck::launch];
    gaps += between * kernel.count;
    kernels += (kernel.time - between) * kernel.count;
  }
  const std::string& framework = context.options.framework;
  const bool known = find_harness(calibration_of(context.options), model.family, framework, context.gpu.id,
                                  context.gpu.vendor) != nullptr;
  Section section("Time of the layer");
  section.add("", "kernels", kernels, fmt::format("the times of {}", grouped(layer.kernels)));
  if (gaps > Seconds(0)) section.add("", "gaps", gaps, gap_words(model.rates.family));
  if (fused > Seconds(0)) section.add("", "fused", fused, "what the operators fused into the kernel load beside it");
  if (sums > Seconds(0)) section.add("", "sums", sums, "parts of a column that CTAs add up one after another");
  const bool tensor = on_tensor_cores(model.rates.family);
  if (known || model.overhead > Seconds(0)) {
    section.add("", "overhead", model.overhead,
                known         ? fmt::format("of one call by {}, fitted", framework)
                : model.range ? std::string("of one call, as other frameworks call the library")
                              : std::string(tensor ? "of one call: launch.overhead of the GPU, beyond start_cycles"
                                                   : "of one call: launch.overhead of the GPU"));
  }
  if (model.floor > Seconds(0)) {
    section.add("", "floor", model.floor,
                fmt::format("what {} takes for a call beside its kernels, fitted", framework));
    section.add("", "time", layer.time, "(their sum^16 + floor^16)^(1/16)");
  } else {
    section.add("", "time", layer.time, "their sum");
  }
  if (model.spread) {
    section.add("", "90 % interval", fmt::format("{} to {}", print(*layer.time_low), print(*layer.time_high)),
                fmt::format("time x {} to {}: measured over predicted on rows left out of the fit",
                            grouped(model.spread->low), grouped(model.spread->high)));
  } else {
    section.add("", "90 % interval", "none", why_no_interval(layer));
  }
  return section;
}

Section refined_cases(const LayerEstimate& layer) {
  struct Row {
    Bottleneck which;
    std::string_view meaning;
  };
  constexpr Row kRows[] = {
      {Bottleneck::compute, "multiply-accumulates"},
      {Bottleneck::latency, "too few warps to hide latencies; atomic additions, adding up a split"},
      {Bottleneck::l1, "what SMs can load"},
      {Bottleneck::l2, "L2 bandwidth"},
      {Bottleneck::dram, "DRAM bandwidth"},
      {Bottleneck::power, "board power"},
      {Bottleneck::launch, "gaps and overhead"}};
  Section section("The same if one thing limited all kernels; the largest is what limits the layer");
  for (const Row& row : kRows) {
    section.add_case("", row.which, layer.bottleneck, layer.cases[row.which], std::string(row.meaning));
  }
  return section;
}

}  // namespace

std::vector<Section> explain_refined(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options) {
  auto model = refined_model(layer.op == "gemm" ? RefinedOp::gemm : RefinedOp::conv, gpu, options);
  if (!model) return {};  // not reached: the layer was predicted with these options
  const auto* first = first_plan<RefinedKernel>(layer);
  if (first != nullptr && has_few_loads(first->gemm, options)) model->rates = with_few_loads(model->rates);
  const Context context{layer, gpu, options, *model};
  std::vector<Section> sections;
  std::size_t number = 0;
  const auto products = planned<RefinedKernel>(layer);
  for (const auto& [kernel, product] : products) {
    std::string part;
    if (products.size() > 1 || kernel.count > 1) {
      part = fmt::format("Product {} of {}: {} alike, each taking {}", ++number, products.size(), grouped(kernel.count),
                         print(kernel.time));
    }
    for (Section& section : product_sections(product, context)) {
      section.part = part;
      sections.push_back(std::move(section));
    }
  }
  sections.push_back(total_section(context));
  sections.push_back(refined_cases(layer));
  return sections;
}

}  // namespace rooftile
