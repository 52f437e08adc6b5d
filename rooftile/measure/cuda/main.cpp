// rooftile-measure: the command line.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/measure/cuda/commands.hpp"
#include "rooftile/measure/cuda/micro/micro.hpp"
#include "rooftile/measure/cuda/session.hpp"
#include "rooftile/measure/interrupt.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::measure {
namespace {

struct Command {
  const char* name = nullptr;
  const char* description = nullptr;
  int (*run)(const Arguments&) = nullptr;
  bool hidden = false;
  bool needs_folder = true;
};
constexpr std::array kCommands = {
    Command{"all", "Microbenchmarks, layers, and counters where Nsight Compute is there (the default)",
            run_all_command},
    Command{"micro", "Latencies, bandwidths, rates: microbench.csv and gpu.toml", run_micro_command},
    Command{"layers", "Times of layers: layers/*.csv", run_layers_command},
    Command{"counters", "Memory traffic of the layers measured, by Nsight Compute", run_counters_command},
    Command{"gpu-file", "Write gpu.toml once more from DIR; needs no GPU", run_gpu_file_command},
    Command{"replay", "Run the layers of DIR for a profiler", run_replay_command, true},
    Command{"attention-kernels", "How many fused kernels cuDNN has for attention on the GPU of a file; needs no GPU",
            run_attention_kernels_command, true, false},
};

class CommandLine {
 public:
  CommandLine() : app_("Measures a GPU: microbenchmarks, layers, counters.", "rooftile-measure") {
    app_.set_version_flag("--version", fmt::format("rooftile-measure {}", kVersion));
    app_.require_subcommand(0, 1);
    app_.fallthrough();
    app_.footer("Example: rooftile-measure all -o h200\nRun the same command again to continue where it stopped.");
    add_options();
    for (const Command& command : kCommands) {
      CLI::App* added = app_.add_subcommand(command.name, command.description);
      added->fallthrough();
      if (command.hidden) added->group("");
      if (command.run == run_attention_kernels_command) {
        added->add_option("FILE", arguments_.device_file, "JSON as cuDNN writes a GPU's properties")->required();
      }
      if (command.run == run_gpu_file_command) added->add_option("DIR", arguments_.folder, "folder of measurements");
    }
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& help) {
      return app_.exit(help);  // --help, --version
    } catch (const CLI::ParseError& error) {
      return wrong_usage(error.what());
    }
    arguments_.command_line = "rooftile-measure";  // wherever it lies: the line goes to whoever gets the folder
    for (int i = 1; i < argc; ++i) arguments_.command_line += fmt::format(" {}", argv[i]);
    if (batch_size_ > 0) arguments_.selection.batch_size = batch_size_;
    if (list_) return run_list_command(arguments_);
    const auto chosen = app_.get_subcommands();
    const auto named = [&](const Command& command) { return chosen.front()->get_name() == command.name; };
    const Command& command =
        chosen.empty() ? kCommands.front() : *std::find_if(kCommands.begin(), kCommands.end(), named);
    if (command.needs_folder && arguments_.folder.empty()) {
      return wrong_usage("-o DIR is needed: the folder that the measurements go to");
    }
    watch_interrupts();
    return command.run(arguments_);
  }

 private:
  void add_options() {
    Selection& selection = arguments_.selection;
    app_.add_option("-o,--output", arguments_.folder, "folder that the measurements go to");
    app_.add_option("--device", arguments_.device, "index of the GPU, from 0")->check(CLI::NonNegativeNumber);
    app_.add_option("--gpu-id", arguments_.gpu_id, "the catalogue's id of the GPU (default: by its name)");
    app_.add_option("--networks", selection.networks, "layers of these networks (rooftile models list)")
        ->delimiter(',');
    app_.add_option("--layers", selection.tables, "layers of these tables (CSV, docs/formats.md)");
    app_.add_option("-b,--batch-size", batch_size_, "batch size of networks (default: 256)")
        ->check(CLI::Range(std::int64_t{1}, kMaxDimension));
    app_.add_option("--precision", selection.precisions, "fp32, tf32, fp16, bf16, fp8, int8")->delimiter(',');
    app_.add_option("--pass", selection.passes, "fwd, bwd_data, bwd_weight")->delimiter(',');
    app_.add_option("--layout", selection.layouts, "of convolutions: nchw, nhwc")->delimiter(',');
    app_.add_option("--algorithms", selection.algorithms, "of convolutions: library, all, or names (docs/formats.md)")
        ->delimiter(',');
    std::vector<std::string> benchmarks;
    for (const MicroBenchmark& benchmark : microbenchmarks()) benchmarks.emplace_back(benchmark.name);
    app_.add_option("--benchmarks", arguments_.benchmarks, "only these microbenchmarks")
        ->delimiter(',')
        ->check(CLI::IsMember(benchmarks));
    app_.add_option("--repeats", arguments_.repeats,
                    "repeats of each measurement (default: 11 for a microbenchmark, 15 for a layer)")
        ->check(CLI::Range(1, 1000));
    app_.add_option("--budget", arguments_.budget_minutes, "minutes to spend on layers, and again on counters")
        ->check(CLI::NonNegativeNumber);
    app_.add_flag("--quick", selection.quick, "a few of each, as a quick check");
    app_.add_flag("--list", list_, "print the layers and stop; needs no GPU");
    app_.add_flag("--warm", arguments_.warm, "do not reset the L2 between runs");
    app_.add_flag("--retry", arguments_.retry, "try refused layers again, and run all microbenchmarks again");
  }

  int wrong_usage(const std::string& text) const {
    tell(fmt::format("{}; see --help", one_line(text)));
    return kWrongUsage;
  }

  CLI::App app_;
  Arguments arguments_;
  std::int64_t batch_size_ = 0;
  bool list_ = false;
};

}  // namespace
}  // namespace rooftile::measure

int main(int argc, char** argv) { return rooftile::measure::CommandLine().run(argc, argv); }
