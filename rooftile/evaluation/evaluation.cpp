#include "rooftile/evaluation/evaluation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

constexpr std::array<FigureMaker, 9> kMakers = {
    FigureMaker{"table1", "tab1", "Table I: what the model knows of each GPU", nullptr, make_inputs},
    FigureMaker{"fig13", "fig14,fig19", "Figs 13, 14, 19: predicted time and bottleneck of each layer", nullptr,
                make_times},
    FigureMaker{"fig15", "", "Fig 15: spread over GPUs and against fixed miss rates", nullptr, make_spread},
    FigureMaker{"table16", "tab16,fig16", "Table 16a, Fig 16b: scaling options", nullptr, make_scaling},
    FigureMaker{"fig17", "", "Fig 17: sensitivity of traffic to the shape of a layer", want_sensitivity,
                make_sensitivity},
    FigureMaker{"fig4", "", "Fig 4: miss rates of GoogLeNet's layers", want_googlenet, make_miss_rates},
    FigureMaker{"fig11", "", "Fig 11: closed forms over simulated traffic", want_unique_layers, make_traffic_ratios},
    FigureMaker{"fig12", "", "Fig 12: traffic of prior models", want_unique_layers, make_prior_traffic},
    FigureMaker{"fig20", "", "Fig 20: traffic of each layer, simulated and in closed form", want_unique_layers,
                make_traffic},
};

std::vector<std::string> names_of(const FigureMaker& maker) {
  std::vector<std::string> names = {std::string(maker.name)};
  std::string_view rest = maker.aliases;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    names.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return names;
}

}  // namespace

std::span<const FigureMaker> figure_makers() { return kMakers; }

Result<std::vector<const FigureMaker*>> choose_figures(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  std::array<bool, kMakers.size()> chosen{};
  chosen.fill(names.empty());
  std::vector<std::string> missing = names;
  for (std::size_t i = 0; i < kMakers.size(); ++i) {
    for (const std::string& name : names_of(kMakers[i])) {
      known.push_back(name);
      if (std::erase(missing, name) > 0) chosen[i] = true;
    }
  }
  if (!missing.empty()) {
    std::string list;
    for (const FigureMaker& maker : kMakers) list += fmt::format("{}{}", list.empty() ? "" : ", ", maker.name);
    const std::string meant = did_you_mean(missing.front(), known);
    return fail(ErrorCode::usage, fmt::format("no table or figure '{}'{}", missing.front(),
                                              meant.empty() ? fmt::format("; one of {}", list) : meant));
  }
  std::vector<const FigureMaker*> result;
  for (std::size_t i = 0; i < kMakers.size(); ++i) {
    if (chosen[i]) result.push_back(&kMakers[i]);
  }
  return result;
}

Result<EvaluationInput> evaluation_input(std::vector<Gpu> gpus, std::int64_t batch) {
  for (const Gpu& gpu : gpus) {
    const auto same = [&](const Gpu& other) { return other.id == gpu.id; };
    if (std::count_if(gpus.begin(), gpus.end(), same) > 1) {
      return fail(ErrorCode::bad_input, fmt::format("the GPU '{}' is named twice", gpu.id));
    }
    for (const Method method : {Method::delta, Method::rooftile}) {
      TRY(check(evaluated(method), gpu));
    }
  }
  if (batch < 1 || batch > kMaxDimension / 2) {  // fig17 doubles it
    return fail(ErrorCode::bad_input,
                fmt::format("the batch size must be 1 to {} samples, not {}", kMaxDimension / 2, batch));
  }
  EvaluationInput input = {.gpus = std::move(gpus), .batch = batch, .layers = unique_convolutions(batch)};
  for (const EvaluatedLayer& layer : input.layers) {
    if (auto result = check(layer.conv); !result) {
      return fail(result.error().code, result.error().text(), fmt::format("{}, {}", layer.network, layer.name));
    }
  }
  if (auto result = check(artificial_convolution(2 * batch)); !result) {
    return fail(result.error().code, result.error().text(), "the artificial layer of fig17");
  }
  return input;
}

}  // namespace rooftile
