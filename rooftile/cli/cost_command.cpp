// rooftile cost: what GPUs cost to make and to run.
#include <string>
#include <utility>
#include <vector>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/cost.hpp"

namespace rooftile::cli {
namespace {

// The boards that are sold: without the paper's own versions of three of them.
Result<std::vector<Gpu>> catalogue() {
  std::vector<Gpu> gpus;
  for (const std::string& id : gpu_ids()) {
    if (id.ends_with("-delta")) continue;
    auto gpu = find_gpu(id);
    if (!gpu) return tl::unexpected(gpu.error());
    gpus.push_back(std::move(*gpu));
  }
  return gpus;
}

Result<BoardRun> run_of(const CostArguments& arguments, const Workload& workload, const CostTable& table,
                        const Gpu& gpu, const HardwareCost& cost) {
  const PredictionArguments& given = arguments.prediction;
  const auto prediction = predict(workload, gpu, predict_options(given), given.phase);
  if (!prediction) return tl::unexpected(prediction.error());
  const auto model = cost_model_of(table, gpu);
  if (!model) return tl::unexpected(model.error());
  return BoardRun{.model = prediction->model,
                  .samples = static_cast<double>(prediction->batch_size),
                  .time = prediction->time,
                  .energy = energy_of(*prediction, gpu, *model, cost)};
}

}  // namespace

Result<void> cost(const CostArguments& arguments) {
  const auto format = parse_format("--format", arguments.format, arguments.output);
  if (!format) return tl::unexpected(format.error());
  const auto table = load_costs(arguments.costs);
  if (!table) return tl::unexpected(table.error());
  const auto all = catalogue();
  if (!all) return tl::unexpected(all.error());
  auto shown = gpus_of_option(arguments.prediction.gpus);
  if (!shown) return tl::unexpected(shown.error());
  CostReport report;
  if (shown->empty()) {
    *shown = *all;
    report.chips = chip_areas(*table);
  }
  const auto boards = board_costs(*table, *shown, *all);
  if (!boards) return tl::unexpected(boards.error());
  for (const BoardCost& board : *boards) report.boards.push_back({.board = board, .run = {}});
  if (!arguments.model.empty()) {
    if (auto result = check(predict_options(arguments.prediction)); !result) return result;
    const auto workload = load_model(arguments.model, model_options(arguments.prediction));
    if (!workload) return tl::unexpected(workload.error());
    for (std::size_t i = 0; i < shown->size(); ++i) {
      auto run = run_of(arguments, *workload, *table, (*shown)[i], report.boards[i].board.cost);
      if (!run) return tl::unexpected(run.error());
      report.boards[i].run = std::move(*run);
    }
  }
  if (arguments.sources) report.facts = table->facts;
  switch (*format) {
    case Format::json:
      return write_output(arguments.output, cost_json(report));
    case Format::csv:
      return write_output(arguments.output, cost_csv(report));
    default:
      return write_output(arguments.output, cost_table(report));
  }
}

}  // namespace rooftile::cli
