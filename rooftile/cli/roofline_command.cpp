// rooftile roofline: what bounds each kernel, predicted or measured.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/error/nearest.hpp"
#include "rooftile/error/one_line.hpp"
#include "rooftile/report/roofline.hpp"
#include "rooftile/roofline/ceilings.hpp"
#include "rooftile/roofline/from_prediction.hpp"

namespace rooftile::cli {
namespace {

using roofline::Roof;
using roofline::View;

// The format asked for, else that of the output's suffix, else a table.
Result<std::string> format_of(const RooflineArguments& arguments) {
  static const std::vector<std::string> kFormats = {"table", "json", "csv", "svg", "html"};
  if (!arguments.format.empty()) {
    if (auto result = check_choice("--format", arguments.format, kFormats, {}); !result) {
      return tl::unexpected(result.error());
    }
    return arguments.format;
  }
  std::string lower = arguments.output;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string& format : kFormats) {
    if (lower.ends_with("." + format)) return format;
  }
  return kFormats.front();
}

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

Result<View> predicted_view(const RooflineArguments& arguments, const Gpu& gpu, const Roof& roof) {
  const PredictionArguments& given = arguments.prediction;
  const PredictOptions options = predict_options(given);
  if (auto result = check(options); !result) return tl::unexpected(result.error());
  const auto workload = load_model(arguments.model, model_options(given));
  if (!workload) return tl::unexpected(workload.error());
  const auto prediction = predict(*workload, gpu, options, given.phase);
  if (!prediction) return tl::unexpected(prediction.error());
  return roofline::view_of(*prediction, gpu, roof);
}

}  // namespace

Result<void> draw_roofline(const RooflineArguments& arguments) {
  const auto format = format_of(arguments);
  if (!format) return tl::unexpected(format.error());
  const auto gpu = gpu_of_option(arguments.prediction.gpus.front());
  if (!gpu) return tl::unexpected(gpu.error());
  auto roof = arguments.ceilings.empty() ? Result<Roof>(roofline::roof_of(*gpu))
                                         : roofline::find_ceilings(arguments.ceilings, gpu->launch_overhead);
  if (!roof) return tl::unexpected(roof.error());
  const auto level = level_of(arguments.level, *roof);
  if (!level) return tl::unexpected(level.error());
  const auto forced = forced_roof(arguments.roof, *roof);
  if (!forced) return tl::unexpected(forced.error());

  auto view = predicted_view(arguments, *gpu, *roof);
  if (!view) return tl::unexpected(view.error());
  view->level = *level;
  view->forced = *forced;
  if (*format == "json") return write_output(arguments.output, roofline_json(*view));
  if (*format == "csv") return write_output(arguments.output, roofline_csv(*view));
  return write_output(arguments.output, roofline_table(*view, {.all = arguments.all}));
}

}  // namespace rooftile::cli
