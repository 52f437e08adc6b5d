// rooftile cost: what GPUs cost to make and to run.
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/try.hpp"
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
    auto gpu = TRY(find_gpu(id));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

Result<BoardRun> run_of(const CostArguments& arguments, const Workload& workload, const CostTable& table,
                        const Gpu& gpu, const HardwareCost& cost) {
  const PredictionArguments& given = arguments.prediction;
  const auto prediction = TRY(predict(workload, gpu, predict_options(given), given.phase));
  const auto model = TRY(cost_model_of(table, gpu));
  return BoardRun{.model = prediction.model,
                  .samples = static_cast<double>(prediction.batch_size),
                  .time = prediction.time,
                  .energy = energy_of(prediction, gpu, model, cost)};
}

}  // namespace

Result<void> cost(const CostArguments& arguments) {
  const auto format = TRY(parse_format(arguments.format, arguments.output, {Format::table, Format::json, Format::csv}));
  const auto table = TRY(load_costs(arguments.costs));
  const auto all = TRY(catalogue());
  auto shown = TRY(gpus_of_option(arguments.prediction.gpus));
  CostReport report;
  if (shown.empty()) {
    shown = all;
    report.chips = chip_areas(table);
  }
  const auto boards = TRY(board_costs(table, shown, all));
  for (const BoardCost& board : boards) report.boards.push_back({.board = board, .run = {}});
  if (!arguments.model.empty()) {
    if (auto result = check(predict_options(arguments.prediction)); !result) return result;
    const auto workload = TRY(load_model(arguments.model, model_options(arguments.prediction)));
    for (std::size_t i = 0; i < shown.size(); ++i) {
      auto run = TRY(run_of(arguments, workload, table, shown[i], report.boards[i].board.cost));
      report.boards[i].run = std::move(run);
    }
  }
  if (arguments.sources) report.facts = table.facts;
  switch (format) {
    case Format::json:
      return write_output(arguments.output, cost_json(report));
    case Format::csv:
      return write_output(arguments.output, cost_csv(report));
    default:
      return write_output(arguments.output, cost_table(report));
  }
}

}  // namespace rooftile::cli
