// rooftile evaluate: the tables and figures of the DeLTA paper, as files in a folder.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/evaluation/evaluation.hpp"
#include "rooftile/report/evaluation.hpp"

namespace rooftile::cli {
namespace {

namespace fs = std::filesystem;

struct EvaluateArguments {
  std::string folder;
  std::vector<std::string> gpus = {"titan-xp-delta", "p100-delta", "v100-delta"};
  std::int64_t batch_size = 256;
  std::vector<std::string> only;  // names of tables and figures; empty: all
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Runs what was asked for and has not run, on the machine's cores; each writes its own place.
Result<void> run_all(Simulations& simulations) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < simulations.count(); ++i) {
    if (!simulations.is_done(i)) open.push_back(i);
  }
  if (open.empty()) return {};
  Progress progress("kernels");
  std::atomic<std::size_t> next = 0, done = 0;
  std::vector<std::optional<Error>> errors(open.size());
  const auto work = [&](std::size_t) {
    for (std::size_t i = next++; i < open.size(); i = next++) {
      if (auto result = simulations.run(open[i]); !result) errors[i] = result.error();
      progress.show(++done, open.size());
    }
  };
  on_threads(machine_threads(), work);
  for (const std::optional<Error>& error : errors) {
    if (error) return tl::unexpected(*error);
  }
  return {};
}

// Writes a figure's files and says in `section` what they are.
Result<void> write_figure(const fs::path& folder, const Figure& figure, EvaluationSection& section) {
  const auto write = [&](const std::string& file, const std::string& what, const std::string& text) -> Result<void> {
    TRY(write_output((folder / file).string(), text));
    section.files.emplace_back(file, what);
    return {};
  };
  for (const FigureTable& table : figure.tables) {
    TRY(write(table.file + ".csv", table.what, figure_csv(table)));
  }
  for (const Plot& plot : figure.plots) {
    TRY(write(plot.file + ".svg", plot.what, figure_svg(plot)));
  }
  return {};
}

std::string setup_of(const EvaluationInput& input, const SimulateOptions& options) {
  std::string gpus;
  for (const Gpu& gpu : input.gpus) gpus += (gpus.empty() ? "" : ", ") + gpu.id;
  return fmt::format(
      "The tables and figures of the DeLTA paper (Lym et al., ISPASS 2019), made by `rooftile evaluate`. GPUs: {}; "
      "batch "
      "{}; {} unique convolutions. Simulations: {} replacement, {} start, DeLTA's tiles. In `number` of the tables and "
      "along x of the plots, layers are counted from 1.",
      gpus, input.batch, input.layers.size(), name_of(options.policy), name_of(options.start));
}

Result<void> run(EvaluateArguments& arguments) {
  if (arguments.folder == "-") return usage("evaluate needs -o FOLDER");
  const Clock::time_point start = Clock::now();
  const auto chosen = choose_figures(arguments.only);
  if (!chosen) return fail(chosen.error().code, chosen.error().message, "--only");
  auto gpus = TRY(gpus_of_option(arguments.gpus));
  const auto input = TRY(evaluation_input(std::move(gpus), arguments.batch_size));
  TRY(prepare_folder(arguments.folder));

  const InterruptAsked signals;
  const SimulateOptions options = {.stop = &InterruptAsked::flag()};
  Simulations simulations(options);
  std::vector<EvaluationSection> sections;
  std::size_t files = 1;
  for (const FigureMaker* maker : *chosen) {
    if (maker->want != nullptr) maker->want(input, simulations);
    const auto simulated = run_all(simulations);
    if (InterruptAsked::flag()) break;
    TRY(simulated);
    sections.push_back({std::string(maker->name), std::string(maker->title), {}});
    const Figure figure = maker->make(input, simulations);
    TRY(write_figure(arguments.folder, figure, sections.back()));
    files += sections.back().files.size();
  }
  const std::string index = (fs::path(arguments.folder) / "index.md").string();
  TRY(write_output(index, evaluation_index(setup_of(input, options), sections)));
  if (sections.size() < chosen->size()) {
    InterruptAsked::say_partial(fmt::format("{} of {} tables and figures are made", sections.size(), chosen->size()));
  }
  return write_output("", fmt::format("{} files in {}, {} kernels simulated, {:.1f} s\n", files, arguments.folder,
                                      simulations.count(), seconds_since(start)));
}

}  // namespace

void add_evaluate(CommandList& commands) {
  auto [app, arguments] =
      commands.add<EvaluateArguments>("evaluate", "Make the tables and figures of the DeLTA paper, as CSV and SVG",
                                      "rooftile evaluate -o evaluation", run);
  add_folder(app, "-o,--output", arguments.folder, "folder for the results; created if missing")->required();
  add_gpus(app, arguments.gpus)->description("ids or .toml files (default: titan-xp-delta,p100-delta,v100-delta)");
  add_count(app, "-b,--batch-size", arguments.batch_size, kMaxDimension,
            "samples per batch (default: 256, as in the paper)");
  std::vector<std::string> names;
  for (const FigureMaker& maker : figure_makers()) names.emplace_back(maker.name);
  add_names(app, "--only", arguments.only, fmt::format("{}", fmt::join(names, "|")),
            "only these; fig13 comes with 14 and 19, table16 with fig16");
}

}  // namespace rooftile::cli
