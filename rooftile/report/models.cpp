// The networks, and the layers of one.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

std::string workload_table(const Workload& workload, std::size_t width) {
  TextTable table({{"layer", Align::left}, {"op"}, {"output", Align::right}, {"arithmetic", Align::right}});
  Flops total;
  for (const Op& op : workload.ops) {
    const Flops work = flops(workload, op);
    total += work;
    table.add({op.name, std::string(name_of(op.kind)), print(workload.tensors[op.outputs.front()].shape), print(work)});
  }
  return fmt::format("{}: batch size {}, {} layers, {}, {} of weights\n\n{}", workload.name, workload.batch_size,
                     workload.ops.size(), print(total), print(memory_use(workload).weights), table.text(width));
}

std::string models_csv(std::span<const ModelName> models) {
  std::string text = write_csv_row(std::vector<std::string>{"name", "description"});
  for (const ModelName& model : models) text += write_csv_row(std::vector<std::string>{model.name, model.description});
  return text;
}

std::string models_json(std::span<const ModelName> models) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ModelName& model : models) json.push_back({{"name", model.name}, {"description", model.description}});
  return json_text(json);
}

std::string workload_csv(const Workload& workload) {
  std::string text = write_csv_row(std::vector<std::string>{"name", "op", "output", "flops"});
  for (const Op& op : workload.ops) {
    text += write_csv_row(std::vector<std::string>{op.name, std::string(name_of(op.kind)),
                                                   print(workload.tensors[op.outputs.front()].shape),
                                                   fmt::format("{}", flops(workload, op).value())});
  }
  return text;
}

}  // namespace rooftile
