// Predictions as a page.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/input.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/memory.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/page/page_view.hpp"
#include "rooftile/report/peak_share.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/roofline/from_prediction.hpp"

namespace rooftile {
namespace {

PageCard limit_card(const Prediction& prediction) {
  const TimeBounds times = time_by_bottleneck(prediction);
  const auto most = std::max_element(times.by.begin(), times.by.end());
  std::pair<std::string, Seconds> limit(name_of(static_cast<Bottleneck>(most - times.by.begin())), *most);
  if (prediction.host && prediction.host->waiting > limit.second) limit = {"host", prediction.host->waiting};
  if (prediction.input && prediction.input->waiting > limit.second) limit = {"input", prediction.input->waiting};
  return {"limited most by", limit.first,
          fmt::format("{} of the time", percent(limit.second.value(), prediction.time.value()))};
}

std::vector<PageCard> cards_of(const Prediction& prediction) {
  const auto interval = interval_of(prediction);
  std::vector<PageCard> cards = {
      {"time", print(prediction.time),
       interval ? fmt::format("90 % interval: {} to {}", print(interval->low), print(interval->high)) : "no interval"}};
  if (const auto throughput = prediction.throughput_per_second()) {
    const std::string sample = text_of(prediction.sample);
    cards.push_back({"throughput", fmt::format("{} samples/s", four_digits(*throughput)),
                     fmt::format("batch size {}{}", prediction.batch_size, sample.empty() ? "" : " x " + sample)});
    cards.push_back(limit_card(prediction));
    const FlopsPerSecond rate = prediction.flops / prediction.time;
    std::string share = prediction.peak > FlopsPerSecond(0) ? share_of_peak(prediction)
                                                            : fmt::format("no {} peak", name_of(prediction.computed));
    if (const std::string why = why_above_peak(prediction); !why.empty()) share += "; " + why;
    cards.push_back({"arithmetic", print(rate), std::move(share)});
  }
  const MemoryUse& memory = prediction.memory;
  cards.push_back({"memory", print(memory.total()), memory_parts(memory)});
  return cards;
}

// The parts of a training step, and what the host has to do with the time.
void add_course(const Prediction& prediction, std::vector<PageFact>& facts) {
  if (const auto& phases = prediction.phases) {
    facts.push_back({"step", fmt::format("forward {}, backward {}, update {}", print(phases->forward),
                                         print(phases->backward), print(phases->update))});
  }
  if (const auto& host = prediction.host) {
    facts.push_back({"host", fmt::format("issues kernels for {}; GPU busy {}", print(host->issuing),
                                         percent(host->gpu_busy.value(), prediction.time.value()))});
  }
  if (prediction.input) facts.push_back({"input", input_text(*prediction.input)});
}

std::vector<PageFact> setup_of(const Prediction& prediction, const Gpu& gpu) {
  return {{"model", prediction.model},
          {"GPU", fmt::format("{} ({})", gpu.name, prediction.gpu)},
          {"batch size", fmt::format("{}", prediction.batch_size)},
          {"precision", precision_text(prediction)},
          {"pass", prediction.pass},
          {"execution", std::string(name_of(prediction.execution))},
          {"method", prediction.method},
          {"work", print(prediction.flops)},
          {"layers", fmt::format("{}", prediction.layers.size())}};
}

// What the roofline's kernels do not say of the layers that they stand for.
std::vector<PageColumn> columns_of(const Prediction& prediction) {
  PageColumn output = {"output", "output", {}}, method = {"method", "method", {}};
  for (const LayerEstimate& layer : prediction.layers) {
    if (layer.time <= Seconds(0)) continue;  // as roofline::kernels_of()
    output.values.push_back(print(layer.output));
    method.values.emplace_back(name_of(layer.method));
  }
  return {std::move(output), std::move(method)};
}

PageView page_view(const Prediction& prediction, const Gpu& gpu) {
  PageView page;
  page.view = roofline::view_of(prediction, gpu, roofline::roof_of(gpu));
  page.name = prediction.gpu;
  page.subtitle = fmt::format("Predicted: batch size {}, {}, {}, method {}", prediction.batch_size,
                              precision_text(prediction), prediction.pass, prediction.method);
  page.file_name = file_name_of(fmt::format("{}-{}", prediction.model, prediction.gpu));
  page.cards = cards_of(prediction);
  page.setup = setup_of(prediction, gpu);
  add_course(prediction, page.setup);
  page.columns = columns_of(prediction);
  page.lists = lists_of(page.view);
  if (!prediction.unsupported.empty()) {
    PageList left_out = {.title = "Operators left out", .items = {}, .folded = true};
    for (const Skipped& op : prediction.unsupported) {
      left_out.items.push_back(fmt::format("{} ({})", op.name, op.op_type));
    }
    page.lists.push_back(std::move(left_out));
  }
  if (!prediction.notes.empty()) page.lists.push_back({.title = "Assumed", .items = prediction.notes, .folded = true});
  return page;
}

}  // namespace

std::string prediction_page(std::span<const Prediction> predictions, std::span<const Gpu> gpus) {
  assert(!predictions.empty() && predictions.size() == gpus.size());
  std::vector<PageView> views;
  for (std::size_t i = 0; i < predictions.size(); ++i) views.push_back(page_view(predictions[i], gpus[i]));
  return page(views);
}

}  // namespace rooftile
