// A roofline as a page of text.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/roofline.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using roofline::Bound;
using roofline::Kernel;
using roofline::Match;
using roofline::Origin;
using roofline::View;

constexpr std::size_t kMostKernels = 15, kMostMatches = 10, kMostLines = 10;
constexpr std::size_t kBounds = 3;

// Of a line that starts with its name.
std::string indented(const std::string& text, std::size_t width) {
  constexpr std::size_t kName = 14;
  return wrapped(text, width - kName, std::string(kName, ' '));
}

std::string heading(const View& view, std::size_t width) {
  std::string text = view.title;
  if (view.batch_size)
    text += fmt::format(": batch size {}, {}, {}, method {}", *view.batch_size, view.precision, view.pass, view.method);
  text = wrapped(text, width - 2, "  ") + fmt::format("\n\n  roof        {}\n", view.roof.name);
  text += "  bandwidth   ";
  for (std::size_t i = 0; i < view.roof.levels.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", view.roof.levels[i].name, print(view.roof.levels[i].bandwidth));
  }
  std::string peaks;
  for (std::size_t i = 0; i < kPeaks; ++i) {
    if (view.roof.peaks[i] <= FlopsPerSecond(0)) continue;
    peaks +=
        fmt::format("{}{} {}", peaks.empty() ? "" : ", ", name_of(static_cast<Peak>(i)), print(view.roof.peaks[i]));
  }
  text += fmt::format("\n  arithmetic  {}", indented(peaks, width));
  text += fmt::format("\n  launch      {}\n", print(view.roof.launch_overhead));
  text += fmt::format("  time points at {}, {}\n\n", view.roof.levels[view.level].name,
                      view.forced ? fmt::format("roof {} for every kernel", name_of(*view.forced))
                                  : "each kernel under the roof of its unit");
  return text;
}

// What bounds the kernels of an origin, by time.
std::string bounds(const View& view, Origin origin, std::size_t width) {
  std::array<Seconds, kBounds> times{};
  std::array<std::size_t, kBounds> counts{};
  Seconds unknown;
  std::size_t unknown_count = 0;
  for (const Kernel& kernel : view.kernels) {
    if (kernel.origin != origin) continue;
    if (const auto point = point_of(view, kernel)) {
      times[static_cast<std::size_t>(point->bound)] += kernel.time;
      ++counts[static_cast<std::size_t>(point->bound)];
    } else {
      unknown += kernel.time;
      ++unknown_count;
    }
  }
  const Seconds total = total_time(view, origin);
  TextTable table({{fmt::format("{}, bound by", name_of(origin))},
                   {"kernels", Align::right},
                   {"time", Align::right},
                   {"share", Align::right}});
  for (std::size_t i = 0; i < kBounds; ++i) {
    if (counts[i] == 0) continue;
    table.add({std::string(name_of(static_cast<Bound>(i))), grouped(static_cast<double>(counts[i])), print(times[i]),
               percent(times[i].value(), total.value())});
  }
  if (unknown_count > 0) {
    table.add({"not known", grouped(static_cast<double>(unknown_count)), print(unknown),
               percent(unknown.value(), total.value())});
  }
  return table.empty() ? "" : table.text(width) + "\n";
}

std::string intensity(double value) { return std::isinf(value) ? "no bytes" : four_digits(value); }

// Time over what was achievable; without a point the time itself, for it may all be lost.
Seconds loss_of(const View& view, const Kernel& kernel) {
  const auto point = point_of(view, kernel);
  return point ? kernel.time - point->achievable : Seconds(0);
}

std::vector<std::string> cells_of(const View& view, const Kernel& kernel) {
  std::vector<std::string> cells = {label_of(kernel), kernel.flops_known ? print(kernel.total_flops()) : "-"};
  const auto& bytes = kernel.bytes[view.level];
  cells.push_back(bytes ? print(*bytes) : "-");
  const auto point = point_of(view, kernel);
  if (!point) {
    cells.insert(cells.end(), {"-", "-", "-", "-", "-", "-"});
  } else {
    cells.insert(cells.end(),
                 {intensity(point->intensity), four_digits(point->balance), std::string(name_of(point->peak)),
                  std::string(name_of(point->bound)), print(point->compute_time), print(point->bandwidth_time)});
  }
  cells.push_back(grouped(kernel.launches));
  cells.push_back(print(view.roof.launch_overhead * kernel.launches));
  cells.push_back(print(kernel.time));
  cells.push_back(point ? fmt::format("{:.2f}x", point->inefficiency) : "-");
  return cells;
}

std::string kernels(const View& view, bool all, std::size_t width) {
  std::vector<std::size_t> order(view.kernels.size());
  std::iota(order.begin(), order.end(), 0U);
  if (!all) {
    std::vector<Seconds> losses;
    losses.reserve(order.size());
    for (const Kernel& kernel : view.kernels) losses.push_back(loss_of(view, kernel));
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return losses[a] > losses[b]; });
    order.resize(std::min(order.size(), kMostKernels));
  }
  TextTable table({{all ? "kernel" : "most time lost", Align::left},
                   {"FLOPs", Align::right},
                   {"bytes", Align::right},
                   {"FLOP/B", Align::right},
                   {"balance", Align::right},
                   {"roof"},
                   {"bound"},
                   {"compute", Align::right},
                   {"bandwidth", Align::right},
                   {"launches", Align::right},
                   {"overhead", Align::right},
                   {"time", Align::right},
                   {"vs roof", Align::right}});
  for (const std::size_t i : order) table.add(cells_of(view, view.kernels[i]));
  std::string text = table.empty() ? "  no kernels\n" : table.text(width);
  const std::size_t hidden = view.kernels.size() - order.size();
  if (hidden > 0)
    text += fmt::format("  … and {} more; --format csv lists every kernel\n", grouped(static_cast<double>(hidden)));
  return text + "\n";
}

std::string ratio(const std::optional<double>& value) { return value ? fmt::format("{:.2f}x", *value) : "-"; }

// The kernel that a layer became, or how many.
std::string kernels_of(const View& view, const Match& match) {
  if (match.measured.size() == 1) return title_of(view.kernels[match.measured.front()]);
  return counted(match.measured.size(), "kernel");
}

std::string matches(const View& view, bool all, std::size_t width) {
  if (view.matches.empty()) return "";
  std::vector<TextTable::Column> columns = {
      {"fix first: layer", Align::left}, {"as", Align::left},        {"by"},
      {"predicted", Align::right},       {"measured", Align::right}, {"at best", Align::right},
      {"saving", Align::right},          {"time", Align::right}};
  for (const auto& level : view.roof.levels) columns.push_back({level.name, Align::right});
  TextTable table(std::move(columns));
  const std::size_t count = all ? view.matches.size() : std::min(view.matches.size(), kMostMatches);
  for (std::size_t i = 0; i < count; ++i) {
    const Match& match = view.matches[i];
    const Kernel& layer = view.kernels[match.predicted];
    std::vector<std::string> cells = {title_of(layer),
                                      kernels_of(view, match),
                                      match.by,
                                      print(layer.time),
                                      print(match.measured_time),
                                      match.achievable ? print(*match.achievable) : "-",
                                      match.loss ? print(*match.loss) : "-",
                                      ratio(match.time_ratio)};
    for (const auto& bytes : match.bytes_ratio) cells.push_back(ratio(bytes));
    table.add(std::move(cells));
  }
  std::string text = table.text(width) + "  time and bytes: measured over predicted\n";
  if (count < view.matches.size())
    text += fmt::format("  … and {} more layers\n", grouped(static_cast<double>(view.matches.size() - count)));
  if (!view.unmatched.empty()) {
    text += fmt::format("  {} kernels and layers unmatched:", grouped(static_cast<double>(view.unmatched.size())));
    const std::size_t named = std::min(view.unmatched.size(), kMostLines);
    for (std::size_t i = 0; i < named; ++i) {
      const Kernel& kernel = view.kernels[view.unmatched[i]];
      text += fmt::format("\n    {} {}", name_of(kernel.origin), shorten(title_of(kernel), 100));
    }
    text += named < view.unmatched.size() ? "\n    …\n" : "\n";
  }
  return text + "\n";
}

std::string stalls(const View& view, std::size_t width) {
  constexpr std::size_t kBarWidth = 30;
  std::string text;
  for (const roofline::NetworkStalls& network : view.stalls) {
    TextTable table({{fmt::format("stalls, {}{}", name_of(network.origin), network.estimated ? " (estimate)" : "")},
                     {"share", Align::right},
                     {"", Align::left}});
    for (const roofline::StallShare& stall : network.shares) {
      table.add({stall.name, percent(stall.share, 1), bar(stall.share, kBarWidth)});
    }
    text += table.text(width) + "\n";
  }
  return text;
}

std::string utilisation(const View& view) {
  const roofline::Utilisation& use = view.utilisation;
  std::string text;
  const auto add = [&](const char* name, const std::optional<double>& share) {
    if (share) text += fmt::format("{}{} {}", text.empty() ? "  utilisation " : ", ", name, percent(*share, 1));
  };
  add("GPU", use.gpu);
  add("FP32", use.fp32);
  add("CPU", use.cpu);
  return text.empty() ? "" : text + "\n\n";
}

std::string remarks(const View& view, std::size_t width) {
  std::string text;
  for (const std::string& note : view.notes)
    text += fmt::format("  note        {}\n", indented(note, std::min<std::size_t>(width, 114)));
  if (view.dropped_count > 0) {
    text += fmt::format("  left out    {} invalid {} of the input:\n", view.dropped_count,
                        view.dropped_count == 1 ? "entry" : "entries");
    const std::size_t named = std::min(view.dropped.size(), kMostLines);
    for (std::size_t i = 0; i < named; ++i) {
      text += fmt::format("              {}: {}\n", view.dropped[i].where, view.dropped[i].reason);
    }
    if (named < view.dropped_count)
      text += fmt::format("              … and {} more\n", grouped(static_cast<double>(view.dropped_count - named)));
  }
  return text;
}

}  // namespace

std::string roofline_table(const View& view, const RooflineTableOptions& options, std::size_t width) {
  return heading(view, width) + bounds(view, Origin::predicted, width) + bounds(view, Origin::measured, width) +
         matches(view, options.all, width) + kernels(view, options.all, width) + stalls(view, width) +
         utilisation(view) + remarks(view, width);
}

}  // namespace rooftile
