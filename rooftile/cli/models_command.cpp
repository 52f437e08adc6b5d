// rooftile models: the networks that come with the program, or the layers of one.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

struct ListModelsArguments {
  bool names = false;
  OutputArguments output;
};

Result<void> list_models(ListModelsArguments& arguments) {
  TextTable table({{"name"}, {"description"}});
  std::string names, csv = write_csv_row(std::vector<std::string>{"name", "description"});
  for (const ModelName& model : model_names()) {
    table.add({model.name, model.description});
    csv += write_csv_row(std::vector<std::string>{model.name, model.description});
    names += model.name + "\n";
  }
  const OutputArguments& output = arguments.output;
  if (arguments.names) return write_output(output.file, names);
  return write_output(output.file, output.format == Format::csv ? csv : table.text(page_width(output.file), ""));
}

struct ShowModelArguments {
  std::string model;
  std::optional<std::int64_t> batch_size;
  OutputArguments output;
};

Result<void> show(ShowModelArguments& arguments) {
  const auto workload = TRY(load_model(arguments.model, {.batch_size = arguments.batch_size}));
  const OutputArguments& output = arguments.output;
  switch (output.format) {
    case Format::json:
      return write_output(output.file, write_workload_json(workload));
    case Format::csv:
      return write_output(output.file, workload_csv(workload));
    default:
      return write_output(output.file, workload_table(workload, page_width(output.file)));
  }
}

}  // namespace

void add_models(CommandList& commands) {
  CLI::App* parent = commands.add_parent("models", "List the built-in networks, or show the layers of one",
                                         "rooftile models show googlenet");
  {
    auto [app, arguments] = commands.add<ListModelsArguments>("list", "List the built-in networks",
                                                              "rooftile models list", list_models, parent);
    app->add_flag("--names", arguments.names, "names only, one per line")->group("Output");
    add_output_options(app, arguments.output, {Format::table, Format::csv});
  }
  auto [app, arguments] =
      commands.add<ShowModelArguments>("show", "Show the layers of a network; as json, the workload, to save or edit",
                                       "rooftile models show googlenet --format json -o googlenet.json", show, parent);
  add_model(app, arguments.model)->required();
  add_batch_size(app, arguments.batch_size);
  add_output_options(app, arguments.output, {Format::table, Format::json, Format::csv});
}

}  // namespace rooftile::cli
