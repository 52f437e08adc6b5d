// A recurrent layer by the refined method: what would limit it, and the constants of its steps.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/predict/refined.hpp"
#include "rooftile/report/explain_methods.hpp"
#include "rooftile/report/explain_section.hpp"

namespace rooftile {
namespace {

Section recurrent_time_section(const LayerEstimate& layer, const RefinedModel& model, const PredictOptions& options) {
  Section section("Time of the layer");
  section.add(
      "", "kernels", layer.time - model.overhead,
      fmt::format("{} of them: steps one after another, and the products over all steps", grouped(layer.kernels)));
  section.add("", "overhead", model.overhead,
              options.framework.empty() ? "of one call: launch.overhead of the GPU"
                                        : fmt::format("of one call by {}", options.framework));
  section.add("", "time", layer.time, "their sum");
  return section;
}

Section recurrent_cases(const LayerEstimate& layer) {
  struct Row {
    Bottleneck which;
    std::string_view meaning;
  };
  constexpr std::array kRows = {Row{Bottleneck::compute, "multiply-accumulates"},
                                Row{Bottleneck::latency, "chains of loads along k, step after step"},
                                Row{Bottleneck::l2, "weights and elements of the gates from the L2"},
                                Row{Bottleneck::dram, "weights that the L2 does not keep, and elements of the gates"},
                                Row{Bottleneck::launch, "kernels that wait for one another, and the call"}};
  Section section("The same if one thing limited all steps; the largest is what limits the layer");
  for (const Row& row : kRows) {
    section.add_case("", row.which, layer.bottleneck, layer.cases[row.which], std::string(row.meaning));
  }
  return section;
}

}  // namespace

std::vector<Section> explain_recurrent(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options) {
  const auto model = refined_model(RefinedOp::recurrent, gpu, options);
  if (!model) return {};  // not reached: the layer was predicted with these options
  return {recurrent_time_section(layer, *model, options), recurrent_cases(layer),
          constants_list("Constants of recurrent layers", KernelFamily::recurrent, model->rates.constants)};
}

}  // namespace rooftile
