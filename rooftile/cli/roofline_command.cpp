// rooftile roofline: what bounds each kernel, predicted or measured.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/roofline_options.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"
#include "rooftile/roofline/from_prediction.hpp"
#include "rooftile/roofline/match.hpp"
#include "rooftile/roofline/measured.hpp"

namespace rooftile::cli {
namespace {

using roofline::Roof;
using roofline::View;

constexpr std::size_t kMostProfileBytes = std::size_t{2} << 30;  // traces of long runs are large

struct RooflineArguments {
  std::string model;  // empty: what was measured alone
  PredictionArguments prediction;
  std::vector<std::string> profiles;         // files of profilers, layer tables
  std::optional<std::int64_t> tensor_flops;  // of a tensor instruction in a profile; none: as the program knows it
  RooflineOutput drawing;
};

struct Input {
  View view;
  std::optional<Workload> workload;  // of the model, if there is one
};

Result<Input> predicted(const RooflineArguments& arguments, const Gpu& gpu, const Roof& roof) {
  const PredictionArguments& given = arguments.prediction;
  PredictOptions options = predict_options(given);
  TRY(check(options));
  auto workload = TRY(load_network(arguments.model, given, options));
  write_notes(workload);
  const auto prediction = TRY(predict(workload, gpu, options, phase_of(given, workload)));
  return Input{roofline::view_of(prediction, gpu, roof), std::move(workload)};
}

Input measured_only(const Gpu& gpu, const Roof& roof) {
  Input input;
  input.view.gpu = gpu.id;
  input.view.roof = roof;
  return input;
}

// Of kernels without a model: timelines may have been predicted, too.
std::string title_of(const roofline::MeasuredKernels& measured, const Gpu& gpu) {
  const std::vector<roofline::Kernel>& kernels = measured.kernels;
  const auto predicted = std::count_if(kernels.begin(), kernels.end(), [](const roofline::Kernel& kernel) {
    return kernel.origin == roofline::Origin::predicted;
  });
  const bool all = predicted == static_cast<std::ptrdiff_t>(kernels.size());
  const char* origin = predicted == 0 ? "measured" : all ? "predicted" : "predicted and measured";
  return fmt::format("{} on {}", origin, all && !measured.predicted_for.empty() ? measured.predicted_for : gpu.name);
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
    if (profile.predicted && !arguments.model.empty()) {
      return fail(ErrorCode::usage, "was predicted, not measured: there is nothing to compare MODEL with", path);
    }
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
  if (profiles.size() == 1 && profiles.front().profile.predicted)
    all.predicted_for = one_line(profiles.front().profile.gpu);
  if (all.kernels.empty()) {
    const std::string why = all.dropped.empty() ? "" : "; the first: " + all.dropped.front().reason;
    return fail(ErrorCode::bad_input, "no usable kernel" + why, paths.front());
  }
  return all;
}

// The FLOPs of an instruction of the tensor cores that --set says.
Result<void> take_tensor_flops(RooflineArguments& arguments) {
  const auto flops = arguments.prediction.set.columns.extract("tensor-flops");
  if (!flops) return {};
  arguments.prediction.set.named.erase("tensor-flops");
  if (arguments.profiles.empty()) return usage("--set: tensor-flops is for --profile");
  constexpr std::int64_t kMost = 1 << 24;  // far beyond one instruction
  arguments.tensor_flops = TRY(parse_count("--set", flops.mapped(), kMost));
  return {};
}

// A profile, a chart and a page are of one GPU.
Result<void> check_several_gpus(const RooflineArguments& arguments) {
  if (arguments.prediction.gpus.size() == 1) return {};
  const auto one_gpu = [](const std::string& what) {
    return fail(ErrorCode::usage, fmt::format("takes one GPU with {}", what), "--gpu");
  };
  if (!arguments.profiles.empty()) return one_gpu("--profile");
  const Format format = arguments.drawing.output.format;
  if (is_picture(format) || format == Format::html) {
    return one_gpu(fmt::format("{} output; table, json and csv take several", name_of(format)));
  }
  return {};
}

Result<View> view_on(const Gpu& gpu, const RooflineArguments& arguments) {
  const auto chosen = TRY(choose_roof(arguments.drawing, gpu));
  const Roof& roof = chosen.roof;
  auto input = TRY(arguments.model.empty() ? Result<Input>(measured_only(gpu, roof)) : predicted(arguments, gpu, roof));
  View& view = input.view;
  draw_under(chosen, view);
  if (!arguments.profiles.empty()) {
    auto measured = TRY(read_profiles(arguments, gpu, roof));
    view.profiles = arguments.profiles;
    if (!input.workload) view.title = title_of(measured, gpu);
    const std::vector<roofline::Shapes> shapes = measured.shapes;
    const std::vector<roofline::LayerTraits> layers =
        input.workload ? roofline::traits_of(view, *input.workload) : std::vector<roofline::LayerTraits>();
    roofline::add_measured(view, std::move(measured));
    if (input.workload) roofline::match(view, layers, shapes);
  }
  return std::move(view);
}

Result<void> run(RooflineArguments& arguments) {
  TRY(check_several_gpus(arguments));
  TRY(take_tensor_flops(arguments));
  if (arguments.model.empty() && !arguments.prediction.set.named.empty()) return usage("--set needs MODEL");
  TRY(check_no_host(arguments.prediction.set, "roofline"));
  TRY(complete(arguments.prediction));
  const auto gpus = TRY(gpus_of_option(arguments.prediction.gpus));
  std::vector<View> views;
  for (const Gpu& gpu : gpus) views.push_back(TRY(view_on(gpu, arguments)));
  return write_roofline(arguments.drawing, views);
}

}  // namespace

void add_roofline(CommandList& commands) {
  auto [app, arguments] = commands.add<RooflineArguments>(
      "roofline", "Show what bounds each kernel, predicted or measured: table, charts, page",
      "rooftile roofline resnet50 --gpu t4 --precision fp16 -o resnet50.svg", run);
  CLI::Option* model = add_model(app, arguments.model);
  CLI::Option* profiles = add_texts(
      app, "--profile", arguments.profiles, "FILE",
      "kernels measured by a profiler: Nsight Compute, nvprof, PyTorch, rocprof, Chakra traces, or a layer table with "
      "counters; repeatable");
  commands.need_any(app, {model, profiles});
  add_gpus(app, arguments.prediction.gpus)->required()->group("Prediction");
  for (CLI::Option* option : add_kernel_options(app, arguments.prediction)) {
    if (!option->check_lname("set")) option->needs(model);  // one of its keys is of profiles
  }
  add_roofline_output(app, arguments.drawing);
}

}  // namespace rooftile::cli
