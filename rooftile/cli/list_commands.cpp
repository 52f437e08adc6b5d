// rooftile gpus, models and support: what the program knows.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/units/text.hpp"

namespace rooftile::cli {
namespace {

std::string models_table() {
  TextTable table({{"name"}, {"description", Align::left, 100}});
  for (const ModelName& model : model_names()) table.add({model.name, model.description});
  return table.text("");
}

std::string model_table(const Workload& workload) {
  TextTable table({{"layer", Align::left, 44}, {"op"}, {"output", Align::right}, {"arithmetic", Align::right}});
  Flops total;
  for (const Op& op : workload.ops) {
    const Flops work = flops(workload, op);
    total += work;
    table.add({op.name, std::string(name_of(op.kind)), print(workload.tensors[op.outputs.front()].shape), print(work)});
  }
  return fmt::format("{}: batch size {}, {} layers, {}, {} of weights\n\n{}", workload.name, workload.batch_size,
                     workload.ops.size(), print(total), print(memory_use(workload).weights), table.text());
}

}  // namespace

Result<void> gpus(const GpusArguments& arguments) {
  const std::vector<std::string> ids = arguments.id.empty() ? gpu_ids() : std::vector<std::string>{arguments.id};
  if (arguments.names_only) return write_output("", fmt::format("{}\n", fmt::join(ids, "\n")));
  std::vector<Gpu> found;
  for (const std::string& id : ids) {
    auto gpu = find_gpu(id);
    if (!gpu) return tl::unexpected(gpu.error());
    found.push_back(std::move(*gpu));
  }
  if (arguments.format == Format::json) return write_output("", gpus_json(found));
  return write_output("", arguments.id.empty() ? gpus_table(found) : gpu_table(found.front()));
}

Result<void> models(const ModelsArguments& arguments) {
  if (arguments.names_only) {
    std::string text;
    for (const ModelName& model : model_names()) text += model.name + "\n";
    return write_output("", text);
  }
  if (arguments.name.empty()) return write_output("", models_table());
  const auto workload = load_model(arguments.name, {.batch_size = arguments.batch_size});
  if (!workload) return tl::unexpected(workload.error());
  return write_output("", arguments.format == Format::json ? write_workload_json(*workload) : model_table(*workload));
}

Result<void> support(const SupportArguments& arguments) {
  const auto workload = load_model(arguments.model, {.batch_size = std::nullopt, .skip_unsupported = true});
  if (!workload) return tl::unexpected(workload.error());
  // Which method serves an operator does not depend on the GPU, so any one will do.
  const auto gpu = find_gpu("titan-xp-delta");
  if (!gpu) return tl::unexpected(gpu.error());
  const auto prediction = predict(*workload, *gpu);
  if (!prediction) return tl::unexpected(prediction.error());
  return write_output("", support_report(*prediction));
}

}  // namespace rooftile::cli
