// rooftile models: the networks that come with the program, or the layers of one.
#include <string>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {

Result<void> models(const ModelsArguments& arguments) {
  if (arguments.name.empty()) {
    TextTable table({{"name"}, {"description", Align::left, 100}});
    std::string names;
    for (const ModelName& model : model_names()) {
      table.add({model.name, model.description});
      names += model.name + "\n";
    }
    return write_output("", arguments.names_only ? names : table.text(""));
  }
  const auto workload = TRY(load_model(arguments.name, {.batch_size = arguments.batch_size}));
  return write_output("", arguments.format == Format::json ? write_workload_json(workload) : workload_table(workload));
}

}  // namespace rooftile::cli
