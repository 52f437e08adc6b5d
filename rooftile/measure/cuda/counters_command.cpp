// Counters: Nsight Compute looks at this program while it runs the layers of the folder's tables again.
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "rooftile/base/process.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/measure/counter_rows.hpp"
#include "rooftile/measure/cuda/commands.hpp"
#include "rooftile/measure/cuda/device_query.hpp"
#include "rooftile/measure/cuda/layers/marker.hpp"
#include "rooftile/measure/cuda/layers/runner.hpp"
#include "rooftile/measure/cuda/session.hpp"
#include "rooftile/measure/folder.hpp"
#include "rooftile/measure/interrupt.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;

// Equal runs of a layer, by which the join tells them from what sets them up.
constexpr int kReplays = 2;

std::vector<std::string> ncu_command(const Arguments& arguments, const std::string& self, const Device& device) {
  return {"ncu",
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--clock-control",  // the clocks stay as they are when layers are timed
          "none",
          "--metrics",
          fmt::format("{}", fmt::join(profile::ncu_metrics(device.compute_capability), ",")),
          self,
          "replay",
          "-o",
          arguments.folder,
          "--device",
          fmt::format("{}", arguments.device),
          "--budget",
          fmt::format("{}", arguments.budget_minutes)};
}

// Why ncu failed, from what it wrote.
std::string reason_of(const std::string& text, int status) {
  if (text.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    return "no permission to read the GPU's counters (ERR_NVGPUCTRPERM); an administrator has to allow it";
  }
  const std::size_t error = text.find("==ERROR==");
  if (error == std::string::npos) return fmt::format("ncu: exit status {}", status);
  return text.substr(error, text.find('\n', error) - error);
}

}  // namespace

int run_counters_command(const Arguments& arguments) {
  const auto device = use_device(arguments.device);
  if (!device) return report_error(device.error());
  const auto cases = rows_without_counters(arguments.folder);
  if (!cases) return report_error(cases.error());
  if (cases->empty()) {
    fmt::print("no layers without counters\n");
    return kOk;
  }
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return report_error(fmt::format("/proc/self/exe: {}", error.message()));
  const std::string output = (fs::path(arguments.folder) / "ncu.csv").string();
  show_progress(fmt::format("ncu: {} layers", cases->size()));
  const auto status = run_process(ncu_command(arguments, self.string(), *device), output);
  end_progress();
  if (!status) {
    return report_error(
        fmt::format("{}; counters need NVIDIA Nsight Compute, the rest is kept", status.error().text()));
  }
  const auto text = read_text_file(output);
  if (!text) return report_error(text.error());
  profile::ProfileOptions options;
  options.compute_capability = device->compute_capability;
  const auto read = profile::read_profile(*text, output, options);
  if (!read)
    return report_error(fmt::format("{}; the rest is kept ({})", reason_of(*text, *status), read.error().text()));
  const auto joined = join(read->kernels, cases->size(), kReplays);
  if (!joined) return report_error(fmt::format("{}: {}", output, joined.error().text()));
  for (const std::string& note : joined->notes) tell(note);
  const auto written = write_counters(arguments.folder, *cases, *joined);
  if (!written) return report_error(written.error());
  fmt::print("counters of {} of {} layers\n", *written, cases->size());
  return interrupted() ? kInterrupted : kOk;
}

int run_replay_command(const Arguments& arguments) {
  const auto device = use_device(arguments.device);
  if (!device) return report_error(device.error());
  const auto cases = rows_without_counters(arguments.folder);
  if (!cases) return report_error(cases.error());
  RunnerOptions options;
  options.kernels = false;  // two profilers at once do not go
  const auto runner = make_layer_runner(*device, options);
  if (!runner) return report_error(runner.error());
  const auto out_of_time = deadline(arguments.budget_minutes);
  for (std::size_t i = 0; i < cases->size() && !interrupted() && !out_of_time(); ++i) {
    const auto marked = launch_marker(static_cast<int>(i));
    if (!marked) return report_error(marked.error().message);
    const auto done = (*runner)->replay((*cases)[i].layer, kReplays);
    if (!done && done.error().why == Refusal::device_lost) return report_error(done.error().message);
  }
  return kOk;
}

}  // namespace rooftile::measure
