// Calibrations as text, for calibration_file.cpp to read.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/calibration/calibration.hpp"

namespace rooftile {
namespace {

// Names of files and frameworks may be of any encoding; TOML is UTF-8.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : one_line(text, text.size())) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string spread_lines(const Spread& spread) {
  return fmt::format("spread = [{:.4f}, {:.4f}]\ncommon = {:.4f}\n", spread.low, spread.high, spread.common);
}

std::string calls_text(const std::vector<MeasuredCall>& calls) {
  constexpr double kLeast = 5e-3;  // of a limit
  std::string text = "calls = [\n";
  for (const MeasuredCall& call : calls) {
    text += fmt::format("  {{family = {}, micros = {:.4g}, weight = {:.4f}", quoted(name_of(call.family)),
                        call.place.micros, call.weight);
    for (std::size_t i = 0; i < CallPlace::kLimits.size(); ++i) {
      const double limit = call.place.limits[i];
      if (limit >= kLeast) text += fmt::format(", {} = {:.2f}", CallPlace::kLimits[i], limit);
    }
    text += "},\n";
  }
  return text + "]\n";
}

std::string factors_text(const GpuFactors& factors) {
  std::string text = fmt::format("[[factors]]\ngpu = {}\ndata = {}\ndate = {}\nrows = {:.0f}\n", quoted(factors.gpu),
                                 quoted(factors.data), quoted(factors.date), factors.rows);
  text += fmt::format("clock = {:.4f}\ndram_bandwidth = {:.4f}\nlaunch_overhead = {:.4f}\n", factors.clock,
                      factors.dram_bandwidth, factors.launch_overhead);
  if (!factors.calls.empty()) text += calls_text(factors.calls);
  for (const KernelFamily family : kKernelFamilies) {
    const FamilyFactors& own = factors.of(family);
    if (own == FamilyFactors{}) continue;
    text += fmt::format("[factors.{}]\nefficiency = {:.4f}\n", name_of(family), own.efficiency);
    if (own.spread) text += spread_lines(*own.spread);
  }
  return text + '\n';
}

}  // namespace

std::string write_calibration(const Calibration& calibration) {
  std::string text;
  if (calibration.on_shipped) text += fmt::format("based_on = {}\n\n", quoted("shipped"));
  for (const CalibrationEntry& entry : calibration.entries) {
    text += fmt::format("[[entry]]\nfamily = {}\nscope = {}\nchoice = {}\n", quoted(name_of(entry.family)),
                        quoted(entry.scope), quoted(name_of(entry.choice)));
    text += fmt::format("data = {}\ndate = {}\nrows = {:.0f}\ngmae = {:.4f}\n", quoted(entry.data), quoted(entry.date),
                        entry.rows, entry.gmae);
    if (entry.board) {
      text += fmt::format("board = {{ architecture = {}, sms = {}, power_w = {:.5g} }}\n",
                          quoted(entry.board->architecture), entry.board->sms, entry.board->power.value());
    }
    if (entry.spread) text += spread_lines(*entry.spread);
    text += "[entry.constants]\n";
    const auto table = constant_table(entry.family);
    for (std::size_t i = 0; i < table.size(); ++i) {
      text += fmt::format("{} = {:.5g}\n", table[i].name, entry.constants.values[i]);
    }
    text += '\n';
  }
  constexpr double kMicro = 1e6;
  for (const Harness& harness : calibration.harnesses) {
    text += fmt::format("[[harness]]\nfamily = {}\nframework = {}\ngpu = {}\n", quoted(name_of(harness.family)),
                        quoted(harness.framework), quoted(harness.gpu));
    text += fmt::format("overhead_us = {:.4g}\nfloor_us = {:.4g}\n", harness.overhead.value() * kMicro,
                        harness.floor.value() * kMicro);
    if (on_tensor_cores(harness.family)) {
      text += fmt::format("weight_sets = {:.3g}\nrotates = {}\n", harness.weight_sets, harness.rotates);
    }
    if (harness.flushes) text += "flushes = true\n";
    if (harness.family == KernelFamily::recurrent)
      text += fmt::format("step_launches = {:.3g}\n", harness.step_launches);
    if (harness.range) {
      text += fmt::format("overhead_range_us = [{:.4g}, {:.4g}]\nfloor_range_us = [{:.4g}, {:.4g}]\n",
                          harness.range->overhead_low.value() * kMicro, harness.range->overhead_high.value() * kMicro,
                          harness.range->floor_low.value() * kMicro, harness.range->floor_high.value() * kMicro);
      if (harness.family == KernelFamily::recurrent) {
        text += fmt::format("step_launches_range = [{:.3g}, {:.3g}]\n", harness.range->launches_low,
                            harness.range->launches_high);
      }
    }
    text += '\n';
  }
  for (const ForeignSpread& foreign : calibration.foreign_spreads) {
    text += fmt::format("[[foreign]]\nfamily = {}\nvendor = {}\n{}harness = {:.4f}\nunknown_harness = {:.4f}\n\n",
                        quoted(name_of(foreign.family)), quoted(foreign.vendor),
                        foreign.spread ? spread_lines(*foreign.spread) : "", foreign.harness, foreign.unknown_harness);
  }
  for (const GpuFactors& factors : calibration.factors) text += factors_text(factors);
  return text;
}

}  // namespace rooftile
