#include "rooftile/cli/app.hpp"

namespace {

void add_commands(rooftile::cli::CommandList& commands) {
  using namespace rooftile::cli;
  add_predict(commands);
  add_page(commands);
  add_compare(commands);
  add_predict_table(commands);
  add_explain(commands);
  add_roofline(commands);
  add_roofline_study(commands);
  add_simulate(commands);
  add_sensitivity(commands);
  add_cost(commands);
  add_validate(commands);
  add_fit(commands);
  add_import(commands);
  add_store(commands);
  add_explore(commands);
  add_optimise(commands);
  add_scaling(commands);
  add_evaluate(commands);
  add_plan(commands);
  add_schedule(commands);
  add_parallelise(commands);
  add_serve(commands);
  add_gpus(commands);
  add_models(commands);
  add_support(commands);
  add_diff(commands);
  add_strip(commands);
  add_completion(commands);
}

}  // namespace

int main(int argc, char** argv) { return rooftile::cli::run(argc, argv, rooftile::cli::rooftile_with(add_commands)); }
