#include "rooftile/cli/roofline_options.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/roofline/ceilings.hpp"

namespace rooftile::cli {
namespace {

using roofline::Roof;

bool is_peak(const std::string& name) {
  for (std::size_t i = 0; i < kPeaks; ++i) {
    if (name == name_of(static_cast<Peak>(i))) return true;
  }
  return false;
}

// "v100-ert,tensor_fp16": ceilings, and the peak that every kernel stands under.
Result<RooflineOutput> parse_ceilings_option(const std::string& option, const std::string& text,
                                             RooflineOutput drawing) {
  for (const std::string& one : TRY(parse_names(option, text))) {
    std::string& place = is_peak(one) ? drawing.peak : drawing.ceilings;
    if (!place.empty()) return usage(fmt::format("{}: takes one file or name and one peak", option));
    place = one;
  }
  return drawing;
}

// "time,flops-x": a chart, and its axes.
Result<RooflineOutput> parse_chart(const std::string& option, const std::string& text, RooflineOutput drawing) {
  std::vector<std::string> known = roofline_chart_names();
  known.emplace_back("flops-x");
  for (const std::string& named : TRY(parse_names(option, text))) {
    const auto one = TRY(parse_choice(option, named, known));
    if (one == "flops-x") {
      drawing.axes = RooflineAxes::flops_x;
    } else if (drawing.chart_named) {
      return usage(option + " takes one chart");
    } else {
      drawing.chart = *parse_roofline_chart(one);
      drawing.chart_named = true;
    }
  }
  drawing.chart_named = true;
  return drawing;
}

Result<std::optional<Peak>> forced_roof(const std::string& text, const Roof& roof) {
  if (text.empty()) return std::optional<Peak>();
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kPeaks; ++i) {
    const auto peak = static_cast<Peak>(i);
    if (roof.peak(peak) <= FlopsPerSecond(0)) continue;
    known.emplace_back(name_of(peak));
    if (text == name_of(peak)) return std::optional(peak);
  }
  return fail(ErrorCode::usage, fmt::format("{} has no peak '{}'{}", roof.name, one_line(text), one_of(text, known)),
              "--ceilings");
}

Result<std::size_t> level_of(const std::string& text, const Roof& roof) {
  const auto level = roof.level(text.empty() ? "DRAM" : text);
  if (level) return *level;
  if (text.empty()) return roof.levels.size() - 1;
  std::vector<std::string> known;
  for (const roofline::RoofLevel& one : roof.levels) known.push_back(one.name);
  return fail(ErrorCode::usage,
              fmt::format("{} has no level '{}'; one of {}", roof.name, one_line(text), fmt::join(known, ", ")),
              "--level");
}

struct Drawn {
  std::span<const roofline::View> views;
  const RooflineOutput& drawing;
};

// One below the other.
std::string tables(const Drawn& of, std::size_t width) {
  std::string text;
  for (const roofline::View& view : of.views) text += (text.empty() ? "" : "\n") + roofline_table(view, {}, width);
  return text;
}

// Whether a chart shows points of one memory level.
bool has_level(RooflineChart chart) { return chart != RooflineChart::bottleneck && chart != RooflineChart::stalls; }

constexpr Writers<const Drawn&> kRooflineWriters = {
    {Format::table, tables},
    {Format::json, [](const Drawn& of) { return roofline_json(of.views); }},
    {Format::csv, [](const Drawn& of) { return roofline_csv(of.views); }},
    {Format::svg, [](const Drawn& of) { return roofline_svg(of.views.front(), of.drawing.chart, of.drawing.axes); }},
    {Format::html, [](const Drawn& of) { return roofline_page(of.views.front()); }}};

}  // namespace

void add_roofline_output(CLI::App* app, RooflineOutput& drawing) {
  using Read = Result<RooflineOutput> (*)(const std::string&, const std::string&, RooflineOutput);
  const auto add = [&](const std::string& name, const std::string& kind, Read read, const std::string& help) {
    add_value(
        app, name, drawing, kind,
        [&drawing, read](const std::string& option, const std::string& text) { return read(option, text, drawing); },
        help)
        ->group("Roof");
  };
  add("--ceilings", "NAME|FILE|PEAK,…", parse_ceilings_option,
      "measured ceilings (v100-ert, v100-ert-no-fma, a .toml), or one peak to use as the roof of every kernel "
      "(tensor_fp16), or both");
  add_text(app, "--level", drawing.level, "L1|L2|DRAM", "memory level of time points (default: DRAM)")->group("Roof");
  add("--chart", fmt::format("{}|flops-x,…", fmt::join(roofline_chart_names(), "|")), parse_chart,
      "for svg, png, pdf (default: combined); flops-x: FLOPs on the x axis, not bytes");
  add_output_options(app, drawing.output, kRooflineWriters);
}

Result<ChosenRoof> choose_roof(const RooflineOutput& drawing, const Gpu& gpu) {
  if (drawing.chart_named && !is_picture(drawing.output.format)) {
    return usage("--chart is for svg, png and pdf; the page has all charts");
  }
  if (!drawing.level.empty() && is_picture(drawing.output.format) && !has_level(drawing.chart)) {
    return usage("--level is for charts of one memory level, not bottleneck or stalls");
  }
  ChosenRoof chosen;
  chosen.roof = drawing.ceilings.empty() ? roofline::roof_of(gpu)
                                         : TRY(roofline::find_ceilings(drawing.ceilings, gpu.launch_overhead));
  chosen.level = TRY(level_of(drawing.level, chosen.roof));
  chosen.forced = TRY(forced_roof(drawing.peak, chosen.roof));
  return chosen;
}

// Where there is nothing to draw, why.
Result<void> check_drawable(const roofline::View& view, const RooflineOutput& drawing) {
  const bool page = drawing.output.format == Format::html;
  if (!page && !is_picture(drawing.output.format)) return {};
  const auto any = [&](const auto& is) { return std::any_of(view.kernels.begin(), view.kernels.end(), is); };
  const bool points = any([](const roofline::Kernel& kernel) {
    return kernel.flops_known && std::any_of(kernel.bytes.begin(), kernel.bytes.end(), [](const auto& b) { return b; });
  });
  const bool stalls = any([](const roofline::Kernel& kernel) { return !kernel.stalls.empty(); });
  const bool bars = any([](const roofline::Kernel& kernel) { return kernel.cases.has_value(); });
  constexpr std::string_view kMeasure = "measure them with the counters of docs/profiles.md";
  std::string_view missing, instead = kMeasure;
  if (page) {
    if (!points && !bars && !stalls) missing = "FLOPs and bytes";
  } else if (drawing.chart == RooflineChart::stalls) {
    if (!stalls) missing = "stall reasons";
  } else if (drawing.chart == RooflineChart::bottleneck) {
    if (!bars) missing = "a prediction";
    instead = "name the MODEL, or use --chart stalls";
  } else if (!points) {
    missing = "FLOPs and bytes";
  }
  if (missing.empty()) return {};
  return fail(
      ErrorCode::bad_input,
      fmt::format("nothing to draw: none of {} has {}; {}", counted(view.kernels.size(), "kernel"), missing, instead),
      view.profiles.empty() ? std::string() : view.profiles.front());
}

void draw_under(const ChosenRoof& chosen, roofline::View& view) {
  view.level = chosen.level;
  view.forced = chosen.forced;
}

Result<void> write_roofline(const RooflineOutput& drawing, std::span<const roofline::View> views) {
  for (const roofline::View& view : views) TRY(check_drawable(view, drawing));
  return write_report(drawing.output, kRooflineWriters, {views, drawing});
}

}  // namespace rooftile::cli
