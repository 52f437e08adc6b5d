// rooftile cost: what GPUs cost to make and to run.
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/cost.hpp"

namespace rooftile::cli {
namespace {

constexpr Writers<const CostReport&> kCostWriters = {
    {Format::table, cost_table}, {Format::json, cost_json}, {Format::csv, cost_csv}};

struct CostArguments {
  std::string model;               // whose energy to add; empty: none
  PredictionArguments prediction;  // no GPU: the catalogue
  std::string costs;               // a user's own cost file; empty: none
  bool sources = false;
  OutputArguments output;
};

Result<BoardRun> run_of(const Workload& workload, const PredictOptions& options, Phase phase, const CostTable& table,
                        const Gpu& gpu, const HardwareCost& cost) {
  const auto prediction = TRY(predict(workload, gpu, options, phase));
  const auto model = TRY(cost_model_of(table, gpu));
  return BoardRun{.model = prediction.model,
                  .samples = static_cast<double>(prediction.batch_size),
                  .time = prediction.time,
                  .energy = energy_of(prediction, gpu, model, cost)};
}

Result<void> run(CostArguments& arguments) {
  if (arguments.sources && arguments.output.format == Format::csv) return usage("--sources is for the table and json");
  TRY(complete(arguments.prediction));
  const auto table = TRY(load_costs(arguments.costs));
  const auto all = TRY(boards_sold());
  auto shown = TRY(gpus_of_option(arguments.prediction.gpus));
  CostReport report;
  if (shown.empty()) {
    shown = all;
    report.chips = chip_areas(table);
  }
  const auto boards = TRY(board_costs(table, shown, all));
  for (const BoardCost& board : boards) report.boards.push_back({.board = board, .run = {}});
  if (!arguments.model.empty()) {
    PredictOptions options = predict_options(arguments.prediction);
    TRY(check(options));
    const auto workload = TRY(load_network(arguments.model, arguments.prediction, options));
    write_notes(workload);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      auto run = TRY(run_of(workload, options, phase_of(arguments.prediction, workload), table, shown[i],
                            report.boards[i].board.cost));
      report.boards[i].run = std::move(run);
    }
  }
  if (arguments.sources) report.facts = table.facts;
  return write_report(arguments.output, kCostWriters, report);
}

}  // namespace

void add_cost(CommandList& commands) {
  auto [app, arguments] =
      commands.add<CostArguments>("cost", "Estimate what GPUs cost to make, their power, and the energy of a network",
                                  "rooftile cost resnet50 --gpu v100-sxm2-16gb,titan-xp", run);
  CLI::Option* model = add_model(app, arguments.model);
  model->description(model->get_description() + "; adds its energy per sample");
  add_gpus(app, arguments.prediction.gpus)
      ->description("ids, or .toml files (default: the catalogue, and public die areas)");
  for (CLI::Option* option : add_prediction_options(app, arguments.prediction)) option->needs(model);
  add_text(app, "--costs", arguments.costs, "FILE", "costs (TOML) that override the built-in ones");
  app->add_flag("--sources", arguments.sources, "list every number with its source")->group("Output");
  add_output_options(app, arguments.output, kCostWriters);
}

}  // namespace rooftile::cli
