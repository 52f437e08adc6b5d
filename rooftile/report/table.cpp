// The prediction as a page of text.
#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/input.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/memory.hpp"
#include "rooftile/report/memory_fit.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/peak_share.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kSlowest = 10;
constexpr std::size_t kBarWidth = 30;

std::string heading(const Prediction& prediction, std::size_t width) {
  const std::string line = fmt::format("{} on {}: batch size {}, {}, {}, {}, method {}", prediction.model,
                                       prediction.gpu, prediction.batch_size, precision_text(prediction),
                                       prediction.pass, name_of(prediction.execution), prediction.method);
  return wrapped(line, width - 2, "  ") + "\n\n";
}

// "12.5 samples/s, 6,400 tokens/s"
std::string rate_of(const Prediction& prediction) {
  const auto throughput = prediction.throughput_per_second();
  if (!throughput) return "";
  std::string text = fmt::format("   {} samples/s", four_digits(*throughput));
  if (prediction.sample.tokens > 1)
    text += fmt::format(", {} tokens/s", four_digits(*throughput * static_cast<double>(prediction.sample.tokens)));
  return text;
}

std::string totals(const Prediction& prediction, const TableOptions& options, std::size_t width) {
  std::string text =
      fmt::format("  time        {}{}\n", print(prediction.time, interval_of(prediction)), rate_of(prediction));
  if (const std::string sample = text_of(prediction.sample); !sample.empty())
    text += fmt::format("  batch       {} x {}\n", prediction.batch_size, sample);
  if (prediction.phases) {
    const PhaseTimes& phases = *prediction.phases;
    text += fmt::format(
        "  step        forward {}, backward {}, update {}{}{}\n", print(phases.forward), print(phases.backward),
        print(phases.update), prediction.optimizer.empty() ? "" : " by " + prediction.optimizer,
        prediction.micro_batches > 1 ? fmt::format("; {} micro-batches", prediction.micro_batches) : "");
  }
  if (prediction.host) {
    const HostShare& host = *prediction.host;
    text += fmt::format("  host        issues kernels for {}; GPU busy {}, waiting {}\n", print(host.issuing),
                        percent(host.gpu_busy.value(), prediction.time.value()),
                        percent(host.waiting.value(), prediction.time.value()));
  }
  if (prediction.input) {
    text += wrapped(fmt::format("  input       {}", input_text(*prediction.input)), width, "              ") + "\n";
  }
  if (prediction.time > Seconds(0)) {
    const FlopsPerSecond rate = prediction.flops / prediction.time;
    text += fmt::format("  arithmetic  {}, {}, {}\n", print(prediction.flops), print(rate), share_of_peak(prediction));
    if (const std::string why = why_above_peak(prediction); !why.empty())
      text += fmt::format("              {}\n", why);
  }
  const MemoryUse& memory = prediction.memory;
  text += wrapped(fmt::format("  memory      {}: {}", print(memory.total()), memory_parts(memory)), width,
                  "              ") +
          "\n";
  if (const Gpu* gpu = options.gpu; gpu != nullptr && !fits(memory, *gpu)) {
    text += fmt::format("              does not fit: {}{}\n", used_of(memory.total(), capacity_of(*gpu)),
                        what_fits(options.fitting_batch));
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
  constexpr double kWorthARow = 0.0005;
  const double share = prediction.host ? prediction.host->waiting / prediction.time : 0;
  if (share > kWorthARow) {
    table.add({"host", percent(share, 1), print(prediction.host->waiting), "", bar(share, kBarWidth)});
  }
  if (const Seconds input = prediction.input ? prediction.input->waiting : Seconds(0); input > Seconds(0)) {
    const double waiting = input / prediction.time;
    table.add({"input", percent(waiting, 1), print(input), "", bar(waiting, kBarWidth)});
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

std::string assumed(const Prediction& prediction) {
  std::string text;
  for (const std::string& assumption : prediction.notes) text += note("assumed", assumption);
  return text;
}

// What a framework would compute in unless it was told otherwise.
std::string default_precision(const Prediction& prediction, const Gpu* gpu) {
  const bool fp32 = prediction.computed == DType::fp32 && prediction.precision == DType::fp32;
  const bool own = prediction.execution != Execution::engine && prediction.method == "rooftile";
  if (!fp32 || !own || gpu == nullptr || gpu->peak(Peak::tensor_tf32) == FlopsPerSecond(0)) return "";
  const bool convolves = std::any_of(prediction.layers.begin(), prediction.layers.end(),
                                     [](const LayerEstimate& layer) { return layer.op == "conv"; });
  if (!convolves) return "";
  return note("precision", "FP32 throughout; PyTorch's default here is TF32 in convolutions (--precision tf32)");
}

std::string not_modelled(const Prediction& prediction) {
  const bool training = prediction.pass == "training";
  return std::string(training && !prediction.loss ? "the loss, " : "") + (prediction.host ? "" : "host time, ") +
         (prediction.input ? "results sent back to the host" : "transfers to and from the host");
}

}  // namespace

std::string table_report(const Prediction& prediction, const TableOptions& options, std::size_t width) {
  return heading(prediction, width) + totals(prediction, options, width) + bottlenecks(prediction, width) +
         layers(prediction, options.all_layers, width) + methods(prediction) + interval_note(prediction) +
         left_out(prediction) + assumed(prediction) + default_precision(prediction, options.gpu) +
         note("not modelled", not_modelled(prediction));
}

}  // namespace rooftile
