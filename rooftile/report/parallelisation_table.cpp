// Ways to spread a training step, as text.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/parallelisation.hpp"
#include "rooftile/report/parallelisation_parts.hpp"

namespace rooftile {
namespace {

// "2.11 h", but "7.234 s": minutes from a thousand seconds on.
std::string step_time_text(Seconds time) {
  constexpr Seconds kLong(1000);
  return time < kLong ? print(time) : print_duration(time);
}

// What the way spends more on than the best one does, for its time.
std::string why_slower(const ParallelStep& step, const ParallelStep& best) {
  constexpr double kWorthNaming = 0.005;  // of its time
  const auto parts = step_parts(step.parts), least = step_parts(best.parts);
  std::size_t most = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].time - least[i].time > parts[most].time - least[most].time) most = i;
  }
  const Seconds more = parts[most].time - least[most].time;
  if (more < step.time * kWorthNaming) return "";
  return fmt::format("{} +{}", parts[most].label, step_time_text(more));
}

std::string heading(const ParallelisationReport& report) {
  std::string text =
      fmt::format("{}, {} a step", report.model, counted(static_cast<std::size_t>(report.batch), "sample"));
  if (report.seq_len > 0) text += fmt::format(" of {} positions", grouped(static_cast<double>(report.seq_len)));
  return text + fmt::format(", {}, on {} x {} ({})", report.precision, grouped(static_cast<double>(report.gpus)),
                            report.gpu.id, report.cluster.id);
}

std::string counts(const ParallelisationReport& report) {
  std::size_t fitting = 0, large = 0, impossible = 0;
  const WayTried* smallest = nullptr;
  const WayTried* refused = nullptr;
  for (const WayTried& one : report.tried) {
    fitting += one.fate == WayFate::fits ? 1 : 0;
    large += one.fate == WayFate::too_large ? 1 : 0;
    impossible += one.fate == WayFate::impossible ? 1 : 0;
    if (one.fate == WayFate::too_large && smallest == nullptr) smallest = &one;
    if (one.fate == WayFate::impossible && refused == nullptr) refused = &one;
  }
  const Bytes room = report.gpu.level("DRAM").capacity * report.memory_share;
  std::string text = fmt::format("{}{} tried: {} fit", report.stopped ? "stopped; " : "",
                                 counted(report.tried.size(), "way"), grouped(static_cast<double>(fitting)));
  if (large > 0) {
    text += fmt::format(", {} need more than {}", grouped(static_cast<double>(large)), print(room));
    if (fitting == 0)
      text += fmt::format(" (the least {}: {})", print(smallest->step.memory.total()), print(smallest->way));
  }
  if (impossible > 0) {
    text += fmt::format(", {} cannot be ({})", grouped(static_cast<double>(impossible)), refused->reason);
  }
  return text;
}

// Of the front those that need markedly less than the one before.
std::string smaller_ways(const ParallelisationReport& report, std::size_t width) {
  constexpr double kMarkedly = 0.95;
  constexpr std::size_t kMost = 8;
  TextTable table({{"way", Align::left, Cut::wraps_list},
                   {"batch", Align::right},
                   {"recompute"},
                   {"time", Align::right},
                   {"memory", Align::right}});
  Bytes last = report.tried.front().step.memory.total();
  std::size_t rows = 0;
  for (const std::size_t i : front_of(report.tried)) {
    const ParallelStep& step = report.tried[i].step;
    if (step.memory.total() > last * kMarkedly || rows == kMost) continue;
    last = step.memory.total();
    ++rows;
    table.add({print(step.way), fmt::format("{} x {}", step.way.micro_batch, step.way.micro_batches),
               std::string(name_of(step.way.recompute)), step_time_text(step.time), print(last)});
  }
  return rows == 0 ? "" : "\nWith less memory\n" + table.text(width);
}

}  // namespace

std::array<NamedPart, 6> step_parts(const StepParts& parts) {
  return {{{"computing", "computing", parts.computing},
           {"issuing", "host", parts.issuing},
           {"exchanges", "exchanges", parts.exchanges},
           {"pipeline", "pipeline", parts.pipeline},
           {"gradients", "gradients", parts.gradients},
           {"update", "update", parts.update}}};
}

std::size_t ways_shown(const ParallelisationReport& report) {
  const auto fits = [](const WayTried& one) { return one.fate == WayFate::fits; };
  const auto count = std::count_if(report.tried.begin(), report.tried.end(), fits);
  return std::min(report.shown, static_cast<std::size_t>(count));
}

std::string parallelisation_table(const ParallelisationReport& report, std::size_t width) {
  std::string text = wrapped(heading(report), width - 2, "  ") + "\n" + wrapped(counts(report), width - 2, "  ") + "\n";
  if (!report.note.empty()) text += wrapped("note: " + report.note, width - 2, "  ") + "\n";
  const std::size_t shown = ways_shown(report);
  if (shown == 0) return text;
  const ParallelStep& best = report.tried.front().step;
  TextTable table({{"way", Align::left, Cut::wraps_list},
                   {"batch", Align::right},
                   {"recompute"},
                   {"time", Align::right},
                   {"90 %", Align::right},
                   {"samples/s", Align::right},
                   {"TFLOP/s", Align::right},
                   {"memory", Align::right},
                   {"slower by", Align::left, Cut::wraps}});
  for (std::size_t i = 0; i < shown; ++i) {
    const ParallelStep& step = report.tried[i].step;
    constexpr double kTera = 1e12;
    table.add(
        {print(step.way), fmt::format("{} x {}", step.way.micro_batch, step.way.micro_batches),
         std::string(name_of(step.way.recompute)), step_time_text(step.time),
         step.range ? fmt::format("{}-{}", step_time_text(step.range->low), step_time_text(step.range->high)) : "none",
         four_digits(step.samples_per_second()),
         fmt::format("{:.0f}", (step.flops / step.time).value() / step.way.gpus() / kTera), print(step.memory.total()),
         i == 0 ? "" : why_slower(step, best)});
  }
  text += "\n" + table.text(width);
  text += "\nThe time of the first goes to\n";
  TextTable goes({{"part"}, {"time", Align::right}, {"share", Align::right}, {""}});
  constexpr std::size_t kBar = 30;
  for (const NamedPart& part : step_parts(best.parts)) {
    if (part.time <= Seconds(0)) continue;
    const double share = part.time / best.time;
    goes.add({part.label, step_time_text(part.time), percent(part.time.value(), best.time.value()), bar(share, kBar)});
  }
  text += goes.text(width);
  return text + smaller_ways(report, width);
}

}  // namespace rooftile
