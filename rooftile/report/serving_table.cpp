// A served language model, as text.
#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/serving.hpp"

namespace rooftile {
namespace {

// With replicas the dispatcher, whichever it is.
std::string way_of(const EngineSetup& setup) {
  const bool untold = setup.way.dp > 1 && setup.shape.experts > 0 && setup.way.dispatcher == Dispatcher::nccl;
  return print(setup.way) + (untold ? fmt::format(", dispatcher {}", name_of(setup.way.dispatcher)) : "");
}

std::string heading(const ServingReport& report) {
  const EngineSetup& setup = report.setup;
  std::string where = report.gpus() == 1
                          ? setup.gpu.id
                          : fmt::format("{} x {} ({})", grouped(report.gpus()), setup.gpu.id, way_of(setup));
  std::string text = fmt::format("{}, {}, on {}: {} tokens read, {} written", report.model, report.precision, where,
                                 grouped(static_cast<double>(report.input_tokens)),
                                 grouped(static_cast<double>(report.output_tokens)));
  if (report.server.cached > 0) text += fmt::format("; {:.3g} % of each prompt cached", report.server.cached * 100);
  return text + fmt::format("; the cache holds {} tokens", grouped(std::floor(report.cache_tokens())));
}

std::string dollars_text(const ServingReport& report, double tokens_per_second) {
  const auto usd = report.per_million(tokens_per_second);
  return usd ? fmt::format("{:.3g}", usd->value()) : "-";
}

std::string batches(const ServingReport& report, std::size_t width) {
  TextTable table({{"batch", Align::right},
                   {"prompts", Align::right},
                   {"a token", Align::right},
                   {"90 %", Align::right},
                   {"exchanges", Align::right},
                   {"tokens/s", Align::right},
                   {"USD/1M", Align::right},
                   {""}});
  for (const ServingBatch& one : report.batches) {
    const Seconds moved = one.step.exchanging + one.step.sending;
    table.add({grouped(static_cast<double>(one.sequences)), print(one.prompt.time), print(one.step.time),
               one.step.range ? fmt::format("{}-{}", print(one.step.range->low), print(one.step.range->high)) : "-",
               percent(moved.value(), one.step.time.value()), four_digits(one.tokens_per_second()),
               dollars_text(report, one.tokens_per_second()), one.fits ? "" : "does not fit"});
  }
  return table.text(width);
}

std::string spreads(const ServingFigures& figures, std::size_t width) {
  TextTable table({{""}, {"mean", Align::right}, {"p50", Align::right}, {"p90", Align::right}, {"p99", Align::right}});
  const auto add = [&](const char* name, const TimeSpread& spread) {
    table.add({name, print(spread.mean), print(spread.p50), print(spread.p90), print(spread.p99)});
  };
  add("first token", figures.first_token);
  add("each token", figures.each_token);
  add("whole answer", figures.latency);
  return table.text(width);
}

// What came of a load, and what its users noticed.
std::string load(const ServingReport& report, const std::string& what, const ServingFigures& figures, double mean_batch,
                 std::size_t width) {
  const std::string steps =
      report.server.step_tokens > 0
          ? fmt::format(", steps of up to {}", counted(static_cast<std::size_t>(report.server.step_tokens), "token"))
          : "";
  return "\n" +
         wrapped(
             fmt::format("{}: {} served a second, {} tokens/s, busy {:.0f} %, {:.3g} at a time{}, {} USD per million "
                         "tokens",
                         what, four_digits(figures.requests_per_second), four_digits(figures.tokens_per_second),
                         figures.busy * 100, mean_batch, steps, dollars_text(report, figures.tokens_per_second)),
             width - 2, "  ") +
         "\n" + spreads(figures, width);
}

}  // namespace

std::string serving_table(const ServingReport& report, std::size_t width) {
  std::string text = wrapped(heading(report), width - 2, "  ") + "\n";
  if (report.price)
    text += wrapped(fmt::format("{:.4g} USD per GPU-hour: {}", report.price->usd_per_hour(), report.price->source),
                    width - 2, "  ") +
            "\n";
  if (!report.price)
    text += fmt::format("no on-demand price of {} is known: --price ID=USD gives one\n", report.setup.gpu.id);
  if (!report.note.empty()) text += wrapped("note: " + report.note, width - 2, "  ") + "\n";
  text += "\nA batch alone; a token after " +
          grouped(static_cast<double>(report.input_tokens + report.output_tokens / 2)) + "\n" + batches(report, width);
  if (report.figures) {
    const ServingFigures& figures = *report.figures;
    const std::string come = report.rate ? fmt::format("{} a second", four_digits(*report.rate)) : "from a file";
    text += load(report, fmt::format("{} arriving {}", counted(report.requests, "request"), come), figures,
                 report.mean_batch, width);
    if (report.most_served) {
      text += wrapped(fmt::format("note: the server keeps up with {:.3g} requests a second at most; the longer they "
                                  "arrive at {}, the longer they wait",
                                  *report.most_served, four_digits(*report.rate)),
                      width - 2, "  ") +
              "\n";
    }
  }
  if (report.users) {
    const UsersServed& served = *report.users;
    text += load(report,
                 fmt::format("{} of {}, each sent when the one before is answered", counted(served.requests, "request"),
                             counted(static_cast<std::size_t>(served.users), "user")),
                 served.figures, served.mean_batch, width);
  }
  if (report.knee) {
    std::string bound;
    if (report.bound.first_token) bound += fmt::format("a first token within {}", print(*report.bound.first_token));
    if (report.bound.each_token)
      bound += fmt::format("{}{} a token", bound.empty() ? "" : " and ", print(*report.bound.each_token));
    if (report.knee->rate == 0) {
      const bool waits = report.server.batching == Batching::fixed;
      text +=
          "\n" +
          wrapped(fmt::format("No rate keeps nine in ten to {}: {}", bound,
                              waits ? "filling a batch and running it takes longer" : "a single request takes longer"),
                  width - 2, "  ") +
          "\n";
    } else {
      text += "\n" +
              wrapped(fmt::format(
                          "Up to {:.3g} requests a second, nine in ten get {}: {} tokens/s, {} USD per million tokens",
                          report.knee->rate, bound, four_digits(report.knee->figures.tokens_per_second),
                          dollars_text(report, report.knee->figures.tokens_per_second)),
                      width - 2, "  ") +
              "\n";
    }
  }
  return text;
}

}  // namespace rooftile
