// The prediction as a page of text.
#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/memory_fit.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kSlowest = 10;
constexpr std::size_t kBarWidth = 30;

std::string stored_and_computed(const Prediction& prediction) {
  if (prediction.computed == prediction.precision) return std::string(name_of(prediction.precision));
  return fmt::format("stored {}, computed {}", name_of(prediction.precision), name_of(prediction.computed));
}

std::string heading(const Prediction& prediction) {
  return fmt::format("{} on {}: batch size {}, {}, {}, method {}\n\n", prediction.model, prediction.gpu,
                     prediction.batch_size, stored_and_computed(prediction), prediction.pass, prediction.method);
}

std::string totals(const Prediction& prediction, const Gpu* gpu) {
  const auto throughput = prediction.throughput_per_second();
  std::string text = fmt::format("  time        {}{}\n", print(prediction.time, interval_of(prediction)),
                                 throughput ? fmt::format("   {} samples/s", four_digits(*throughput)) : "");
  if (prediction.time > Seconds(0)) {
    const FlopsPerSecond rate = prediction.flops / prediction.time;
    text += fmt::format("  arithmetic  {}, {}, {} of the {} {} peak\n", print(prediction.flops), print(rate),
                        percent(rate / prediction.peak, 1), print(prediction.peak), name_of(prediction.computed));
  }
  const MemoryUse& memory = prediction.memory;
  text += fmt::format("  memory      {}: weights {}, activations {}, workspace {}\n", print(memory.total()),
                      print(memory.weights), print(memory.activations), print(memory.workspace));
  if (gpu != nullptr && !fits(memory, *gpu)) {
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    text += fmt::format("              does not fit: {:.4g} of {:.4g} GiB\n", memory.total().value() / kGiB,
                        gpu->level("DRAM").capacity.value() / kGiB);
  }
  text += "\n";
  return text;
}

std::string bottlenecks(const Prediction& prediction, std::size_t width) {
  const TimeBounds times = time_by_bottleneck(prediction);
  std::array<std::size_t, kBottlenecks> layers{};
  for (const LayerEstimate& layer : prediction.layers) {
    if (layer.method != Method::none) ++layers[static_cast<std::size_t>(layer.bottleneck)];
  }
  std::vector<std::size_t> order(kBottlenecks);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return times.by[a] > times.by[b]; });
  TextTable table(
      {{"limited by"}, {"share", Align::right}, {"time", Align::right}, {"layers", Align::right}, {"", Align::left}});
  for (const std::size_t i : order) {
    if (layers[i] == 0) continue;
    const double share = prediction.time > Seconds(0) ? times.by[i] / prediction.time : 0;
    table.add({std::string(name_of(static_cast<Bottleneck>(i))), percent(share, 1), print(times.by[i]),
               fmt::format("{}", layers[i]), bar(share, kBarWidth)});
  }
  return table.empty() ? "" : table.text(width) + "\n";
}

std::string layers(const Prediction& prediction, bool all, std::size_t width) {
  std::vector<const LayerEstimate*> order;
  for (const LayerEstimate& layer : prediction.layers) order.push_back(&layer);
  if (!all) {
    std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->time > b->time; });
    order.resize(std::min(order.size(), kSlowest));
  }
  TextTable table({{all ? "layer" : "slowest layers", Align::left},
                   {"op", Align::left},
                   {"output", Align::right},
                   {"time", Align::right},
                   {"share", Align::right},
                   {"limited by"},
                   {"method"}});
  for (const LayerEstimate* layer : order) {
    const bool free = layer->method == Method::none;
    const bool forward = layer->pass == Pass::fwd || layer->op == "update";
    table.add({forward ? layer->name : fmt::format("{} {}", layer->name, name_of(layer->pass)), label_of(*layer),
               print(layer->output), print(layer->time), percent(layer->time.value(), prediction.time.value()),
               free ? "-" : std::string(name_of(layer->bottleneck)), std::string(name_of(layer->method))});
  }
  std::string text = table.empty() ? "  no layers\n" : table.text(width);
  const std::size_t hidden = prediction.layers.size() - order.size();
  if (hidden > 0) text += fmt::format("  … and {} more; --all lists every layer\n", hidden);
  return text + "\n";
}

// A line below the tables, within 80 columns.
std::string note(std::string_view label, std::string_view text) {
  return fmt::format("  {:<12}  {}\n", label, wrapped(text, 64, std::string(16, ' ')));
}

std::string methods(const Prediction& prediction) {
  std::string text;
  for (const Method method :
       {Method::delta, Method::rooftile, Method::roofline, Method::prior, Method::stream, Method::none}) {
    const auto is = [&](const LayerEstimate& layer) { return layer.method == method; };
    const auto count = std::count_if(prediction.layers.begin(), prediction.layers.end(), is);
    if (count == 0) continue;
    Seconds time;
    for (const LayerEstimate& layer : prediction.layers) time += is(layer) ? layer.time : Seconds(0);
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", count, name_of(method),
                        percent(time.value(), prediction.time.value()));
  }
  return text.empty() ? "" : note("methods", text);
}

// What the interval of the total means.
std::string interval_note(const Prediction& prediction) {
  if (!interval_of(prediction)) return note("interval", "none: " + why_no_interval(prediction));
  const auto with = std::count_if(prediction.layers.begin(), prediction.layers.end(),
                                  [](const LayerEstimate& layer) { return interval_of(layer).has_value(); });
  std::string text = fmt::format("90 %, from the errors of {}", counted(static_cast<std::size_t>(with), "layer"));
  const std::string why = why_layers_have_none(prediction);
  if (!why.empty()) text += fmt::format("; the others are added without one ({})", why);
  return note("interval", text);
}

std::string left_out(const Prediction& prediction) {
  if (prediction.unsupported.empty()) return "";
  return note("left out",
              fmt::format("{} of {} operators, not counted above: {}", prediction.unsupported.size(),
                          prediction.unsupported.size() + prediction.layers.size(), list_of(prediction.unsupported)));
}

}  // namespace

std::string table_report(const Prediction& prediction, const TableOptions& options, std::size_t width) {
  return heading(prediction) + totals(prediction, options.gpu) + bottlenecks(prediction, width) +
         layers(prediction, options.all_layers, width) + methods(prediction) + interval_note(prediction) +
         left_out(prediction) + note("not modelled", "fusion of layers, host time, transfers to and from the host");
}

}  // namespace rooftile
