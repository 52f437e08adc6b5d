#include "rooftile/measure/cuda/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rooftile/measure/campaign.hpp"
#include "rooftile/measure/cuda/layers/runner.hpp"
#include "rooftile/measure/cuda/micro/micro.hpp"
#include "rooftile/measure/cuda/session.hpp"
#include "rooftile/measure/folder.hpp"
#include "rooftile/measure/gpu_id.hpp"
#include "rooftile/measure/interrupt.hpp"
#include "rooftile/measure/layer_columns.hpp"
#include "rooftile/measure/micro_campaign.hpp"

namespace rooftile::measure {
namespace {

constexpr const char* kGoOn = "run the same command again to continue";

struct Ended {
  int status = kOk;
  bool lost = false;  // the GPU, to this process
};

// Those of `chosen`; all where it is empty.
std::vector<MicroStep> micro_steps(const Device& device, const MicroOptions& options,
                                   const std::vector<std::string>& chosen) {
  std::vector<MicroStep> steps;
  for (const MicroBenchmark& benchmark : microbenchmarks()) {
    const auto run = benchmark.run;
    steps.push_back({std::string(benchmark.name), "", [run, &device, &options] { return run(device, options); }});
  }
  steps.push_back({"rate", "library_", [&device] { return library_rates(device); }});
  if (!chosen.empty()) {
    std::erase_if(steps, [&](const MicroStep& step) {
      return std::find(chosen.begin(), chosen.end(), step.benchmark) == chosen.end();
    });
  }
  return steps;
}

Ended measure_micro(const Device& device, const Arguments& arguments) {
  MicroOptions options;
  if (arguments.repeats > 0) options.repeats = arguments.repeats;
  options.quick = arguments.selection.quick;
  options.stop = interrupted;
  options.refused = [](const Refused& refused) { tell(refused.message); };
  MicroCampaignOptions campaign;
  campaign.folder = arguments.folder;
  campaign.again = arguments.retry;
  campaign.stop = interrupted;
  campaign.progress = [](const MicroStep& step) { show_progress(fmt::format("{} {}", step.benchmark, step.prefix)); };
  campaign.refused = [](const MicroStep& step, const Refused& refused) {
    tell(fmt::format("{} {}: {}", step.benchmark, step.prefix, refused.message));
  };
  const auto report = run_micro(micro_steps(device, options, arguments.benchmarks), campaign);
  end_progress();
  if (!report) return {report_error(report.error())};
  fmt::print("{} microbenchmarks measured, {} from before, {} refused\n", report->measured, report->done_before,
             report->refused);
  if (report->stopped) {
    tell(fmt::format("stopped; {}", kGoOn));
    return {kInterrupted};
  }
  if (report->device_lost) {
    return {report_error(fmt::format("the GPU is lost to this process; {}", kGoOn)), true};
  }
  return {run_gpu_file_command(arguments)};
}

int measure_layers(const Device& device, const Arguments& arguments) {
  const auto selected = select_cases(arguments.selection);
  if (!selected) return report_error(selected.error());
  if (selected->left_out > 0) tell(fmt::format("{} rows of the tables cannot be measured", selected->left_out));
  RunnerOptions runner_options;
  if (arguments.repeats > 0) runner_options.repeats = arguments.repeats;
  runner_options.warm = arguments.warm;
  runner_options.note = [](std::string_view line) { tell(std::string(line)); };
  const auto runner = make_layer_runner(device, runner_options);
  if (!runner) return report_error(runner.error());

  CampaignOptions options;
  options.folder = arguments.folder;
  options.context = {.gpu = arguments.gpu_id.empty() ? gpu_id(device.name) : arguments.gpu_id,
                     .l2 = arguments.warm ? L2State::warm : L2State::cold,
                     .date = device.date,
                     .driver = device.driver,
                     .cudnn = device.cudnn,
                     .cublas = device.cublas,
                     .version = kVersion};
  options.retry = arguments.retry;
  options.stop = interrupted;
  options.out_of_time = deadline(arguments.budget_minutes);
  options.progress = [](const CampaignStep& step) {
    show_progress(fmt::format("{}/{} {}", step.index + 1, step.of, step.key));
  };
  const auto report = run_campaign(selected->cases, **runner, options);
  end_progress();
  if (!report) return report_error(fmt::format("{}; the rows before are kept", report.error().text()));
  fmt::print("{}\n", summary_of(*report));
  switch (report->end) {
    case CampaignEnd::finished:
      return kOk;
    case CampaignEnd::stopped:
      tell(fmt::format("stopped; {}", kGoOn));
      return kInterrupted;
    case CampaignEnd::out_of_time:
      tell(fmt::format("the time is up; {}", kGoOn));
      return kOk;
    case CampaignEnd::device_lost:
      return report_error(fmt::format("{}: the GPU is lost to this process; {}", report->message, kGoOn));
  }
  return kError;
}

}  // namespace

int run_micro_command(const Arguments& arguments) {
  const auto device = open_session(arguments);
  return device ? measure_micro(*device, arguments).status : report_error(device.error());
}

int run_layers_command(const Arguments& arguments) {
  const auto device = open_session(arguments);
  return device ? measure_layers(*device, arguments) : report_error(device.error());
}

int run_all_command(const Arguments& arguments) {
  const auto device = open_session(arguments);
  if (!device) return report_error(device.error());
  const Ended micro = measure_micro(*device, arguments);
  // A GPU file that lacks a number is no reason to measure no layers.
  if (micro.lost || micro.status == kInterrupted) return micro.status;
  const int layers = measure_layers(*device, arguments);
  if (layers != kOk) return layers;
  // Few machines let a user read counters: a line that says why not is enough.
  return run_counters_command(arguments) == kInterrupted ? kInterrupted : micro.status;
}

int run_gpu_file_command(const Arguments& arguments) {
  const auto path = write_gpu_file(arguments.folder, {.id = arguments.gpu_id, .version = kVersion});
  if (!path) return report_error(path.error());
  fmt::print("{}\n", *path);
  return kOk;
}

int run_list_command(const Arguments& arguments) {
  const auto selected = select_cases(arguments.selection);
  if (!selected) return report_error(selected.error());
  for (const LayerCase& layer : selected->cases) {
    fmt::print("{}\n", key_of(layer, arguments.warm ? L2State::warm : L2State::cold));
  }
  fmt::print("{} layers\n", selected->cases.size());
  if (selected->left_out > 0) tell(fmt::format("{} rows of the tables cannot be measured", selected->left_out));
  return kOk;
}

}  // namespace rooftile::measure
