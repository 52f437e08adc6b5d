// rooftile roofline: what bounds each kernel, predicted or measured.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/picture.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/roofline.hpp"
#include "rooftile/roofline/ceilings.hpp"
#include "rooftile/roofline/from_prediction.hpp"
#include "rooftile/roofline/match.hpp"
#include "rooftile/roofline/measured.hpp"
#include "rooftile/roofline/study.hpp"

namespace rooftile::cli {
namespace {

using roofline::Roof;
using roofline::View;

constexpr std::size_t kMostProfileBytes = std::size_t{2} << 30;  // traces of long runs are large

Result<std::optional<Peak>> forced_roof(const std::string& text, const Roof& roof) {
  if (text.empty() || text == "auto") return std::optional<Peak>();
  std::vector<std::string> known = {"auto"};
  for (std::size_t i = 0; i < kPeaks; ++i) {
    const auto peak = static_cast<Peak>(i);
    if (roof.peak(peak) <= FlopsPerSecond(0)) continue;
    known.emplace_back(name_of(peak));
    if (text == name_of(peak)) return std::optional(peak);
  }
  return fail(ErrorCode::usage,
              fmt::format("{} has no roof '{}'{}; one of {}", roof.name, one_line(text), did_you_mean(text, known),
                          fmt::join(known, ", ")),
              "--roof");
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

struct Drawing {
  RooflineChart chart = RooflineChart::combined;
  RooflineAxes axes = RooflineAxes::bytes_x;
};

// --chart and --axes, which are for SVG only.
Result<Drawing> drawing_of(const RooflineArguments& arguments, Format format) {
  Drawing drawing;
  if (!is_picture(format) && !(arguments.chart.empty() && arguments.axes.empty())) {
    return fail(ErrorCode::usage, "--chart and --axes are for svg, png and pdf; the page has all charts");
  }
  if (!arguments.chart.empty()) {
    TRY(check_choice("--chart", arguments.chart, roofline_chart_names(), {}));
    drawing.chart = *parse_roofline_chart(arguments.chart);
  }
  if (!arguments.axes.empty()) {
    TRY(check_choice("--axes", arguments.axes, {"bytes-x", "flops-x"}, {}));
    drawing.axes = arguments.axes == "flops-x" ? RooflineAxes::flops_x : RooflineAxes::bytes_x;
  }
  return drawing;
}

struct Input {
  View view;
  std::optional<Workload> workload;  // of the model, if there is one
};

Result<Input> predicted(const RooflineArguments& arguments, const Gpu& gpu, const Roof& roof) {
  const PredictionArguments& given = arguments.prediction;
  const PredictOptions options = predict_options(given);
  TRY(check(options));
  auto workload = TRY(load_model(arguments.model, model_options(given)));
  const auto prediction = TRY(predict(workload, gpu, options, given.phase));
  return Input{roofline::view_of(prediction, gpu, roof), std::move(workload)};
}

// The points of --study, and the rows of --measured beside them.
Result<View> study(const RooflineArguments& arguments, const Gpu& gpu, const Roof& roof) {
  const auto which = TRY(roofline::parse_study(arguments.study));
  const PredictOptions options = predict_options(arguments.prediction);
  auto view = roofline::study_view(which, gpu, roof, options, arguments.prediction.phase);
  if (!view || arguments.measured.empty()) return view;
  const auto text = TRY(read_text_file(arguments.measured));
  auto measured = TRY(roofline::kernels_of_table(text, arguments.measured, gpu, roof, options.precision));
  view->profiles = {arguments.measured};
  roofline::add_measured_study(*view, std::move(measured));
  return view;
}

Input measured_only(const Gpu& gpu, const Roof& roof) {
  Input input;
  input.view.title = "measured on " + gpu.name;
  input.view.gpu = gpu.id;
  input.view.roof = roof;
  return input;
}

// All files of --profile: those of profilers belong together, tables stand alone.
Result<roofline::MeasuredKernels> read_profiles(const RooflineArguments& arguments, const Gpu& gpu, const Roof& roof) {
  const std::vector<std::string>& paths = arguments.profiles;
  std::vector<roofline::NamedProfile> profiles;
  std::vector<roofline::MeasuredKernels> parts;
  for (const std::string& path : paths) {
    const auto text = TRY(read_text_file(path, kMostProfileBytes));
    if (roofline::is_measured_table(text)) {
      auto part = TRY(roofline::kernels_of_table(text, path, gpu, roof));
      parts.push_back(std::move(part));
      continue;
    }
    auto profile = TRY(profile::read_profile(text, path, {.compute_capability = gpu.compute_capability}));
    if (std::string note = roofline::note_of_other_gpu(profile, gpu); !note.empty()) {
      profile.notes.push_back(std::move(note));
    }
    profiles.push_back({path, std::move(profile)});
  }
  const auto rules = arguments.tensor_flops
                         ? profile::rules_with_tensor_flops(static_cast<double>(*arguments.tensor_flops))
                         : profile::counter_rules();
  parts.insert(parts.begin(), roofline::kernels_of(profiles, roof, rules));
  roofline::MeasuredKernels all = roofline::together(std::move(parts));
  if (all.kernels.empty()) {
    const std::string why = all.dropped.empty() ? "" : "; the first: " + all.dropped.front().reason;
    return fail(ErrorCode::bad_input, "no kernel that can be used" + why, paths.front());
  }
  return all;
}

Result<void> write(const View& view, const RooflineArguments& arguments, Format format, const Drawing& drawing) {
  switch (format) {
    case Format::json:
      return write_output(arguments.output, roofline_json(view));
    case Format::csv:
      return write_output(arguments.output, roofline_csv(view));
    case Format::html:
      return write_output(arguments.output, roofline_page(view));
    case Format::table:
      return write_output(arguments.output, roofline_table(view, {.all = arguments.all}));
    default:
      return write_picture(arguments.output, roofline_svg(view, drawing.chart, drawing.axes), format);
  }
}

}  // namespace

Result<void> draw_roofline(const RooflineArguments& arguments) {
  const auto format = TRY(
      parse_format(arguments.format, arguments.output,
                   {Format::table, Format::json, Format::csv, Format::svg, Format::png, Format::pdf, Format::html}));
  const auto drawing = TRY(drawing_of(arguments, format));
  const auto gpu = TRY(gpu_of_option(arguments.prediction.gpus.front()));
  auto roof = TRY(arguments.ceilings.empty() ? Result<Roof>(roofline::roof_of(gpu))
                                             : roofline::find_ceilings(arguments.ceilings, gpu.launch_overhead));
  const auto level = TRY(level_of(arguments.level, roof));
  const auto forced = TRY(forced_roof(arguments.roof, roof));

  if (!arguments.study.empty()) {
    auto view = TRY(study(arguments, gpu, roof));
    view.level = level;
    view.forced = forced;
    return write(view, arguments, format, drawing);
  }
  auto input = TRY(arguments.model.empty() ? Result<Input>(measured_only(gpu, roof)) : predicted(arguments, gpu, roof));
  View& view = input.view;
  view.level = level;
  view.forced = forced;
  if (!arguments.profiles.empty()) {
    auto measured = TRY(read_profiles(arguments, gpu, roof));
    view.profiles = arguments.profiles;
    const std::vector<roofline::Shapes> shapes = measured.shapes;
    const std::vector<roofline::LayerTraits> layers =
        input.workload ? roofline::traits_of(view, *input.workload) : std::vector<roofline::LayerTraits>();
    roofline::add_measured(view, std::move(measured));
    if (input.workload) roofline::match(view, layers, shapes);
  }
  return write(view, arguments, format, drawing);
}

}  // namespace rooftile::cli
