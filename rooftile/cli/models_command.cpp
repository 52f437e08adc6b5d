// rooftile models: the networks that come with the program, or the layers of one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/predict/captured.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

using ModelNames = std::span<const ModelName>;

constexpr std::size_t kNamesWidth = 80;   // of the names that share a row
constexpr std::size_t kShortestStem = 3;  // letters that names of a family have in common

// "torchvision/efficientnet" of "torchvision/efficientnet_b0": the letters before the first digit or underscore.
std::string_view family_of(std::string_view name) {
  const std::size_t begin = name.find('/') + 1;
  return name.substr(0, std::min(name.size(), name.find_first_of("0123456789_", begin)));
}

std::string_view common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin());
  return a.substr(0, static_cast<std::size_t>(end - a.begin()));
}

// Exports of one family as rows under their common beginning: "torchvision/vgg…", "11, 11_bn, 13, …".
void add_family(TextTable& table, std::span<const ModelName> family) {
  if (family.size() == 1) return table.add({family.front().name, family.front().description});
  std::string_view stem = family.front().name;
  for (const ModelName& model : family) stem = common_prefix(stem, model.name);
  std::string first = std::string(stem) + "…", row;
  for (const ModelName& model : family) {
    const std::string ending = model.name.substr(stem.size());
    if (!row.empty() && row.size() + ending.size() > kNamesWidth) {
      table.add({std::exchange(first, ""), std::exchange(row, "") + ","});
    }
    row += row.empty() ? ending : ", " + ending;
  }
  table.add({first, row});
}

TextTable table_of(std::span<const ModelName> models) {
  TextTable table({{"name", Align::left, Cut::never}, {"description", Align::left, Cut::wraps}});
  for (std::size_t begin = 0, end = 0; begin < models.size(); begin = end) {
    const ModelName& model = models[begin];
    const std::size_t slash = model.name.find('/');
    const std::string_view family = slash == std::string::npos ? model.name : family_of(model.name);
    const bool alone = slash == std::string::npos || family.size() - slash - 1 < kShortestStem;
    for (end = begin + 1; !alone && end < models.size() && family_of(models[end].name) == family;) ++end;
    add_family(table, models.subspan(begin, end - begin));
  }
  return table;
}

std::string models_table(ModelNames models, std::size_t width) { return table_of(models).text(width, ""); }

constexpr Writers<ModelNames> kModelsWriters = {
    {Format::table, models_table}, {Format::json, models_json}, {Format::csv, models_csv}};
constexpr Writers<const Workload&> kWorkloadWriters = {
    {Format::table, workload_table}, {Format::json, write_workload_json}, {Format::csv, workload_csv}};

struct ListModelsArguments {
  bool names = false;
  OutputArguments output;
};

Result<void> list_models(ListModelsArguments& arguments) {
  TRY(check_names(arguments.names, arguments.output));
  const std::vector<ModelName> models = model_names();
  if (!arguments.names) return write_report(arguments.output, kModelsWriters, models);
  std::string names;
  for (const ModelName& model : models) names += model.name + "\n";
  return write_output(arguments.output.file, names);
}

struct ShowModelArguments {
  std::string model;
  std::optional<std::int64_t> batch_size;
  InputSizes sizes;
  OutputArguments output;
};

Result<void> show(ShowModelArguments& arguments) {
  const auto workload =
      TRY(load_model(arguments.model, with_sizes({.batch_size = arguments.batch_size}, arguments.sizes)));
  const bool json = arguments.output.format == Format::json;
  if (json && workload.captured) return usage("a captured step is JSON as it stands");
  if (!json) write_notes(workload);
  return write_report(arguments.output, kWorkloadWriters, workload.captured ? launches_as_ops(workload) : workload);
}

}  // namespace

void add_models(CommandList& commands) {
  CLI::App* parent = commands.add_parent("models", "List the built-in networks, or show the layers of one",
                                         "rooftile models show googlenet");
  {
    auto [app, arguments] = commands.add<ListModelsArguments>("list", "List the built-in networks",
                                                              "rooftile models list", list_models, parent);
    app->add_flag("--names", arguments.names, "names only, one per line")->group("Output");
    add_output_options(app, arguments.output, kModelsWriters);
  }
  auto [app, arguments] =
      commands.add<ShowModelArguments>("show", "Show the layers of a network; as json, the workload, to save or edit",
                                       "rooftile models show googlenet --format json -o googlenet.json", show, parent);
  add_model(app, arguments.model)->required();
  add_batch_size(app, arguments.batch_size);
  add_input_sizes(app, arguments.sizes);
  add_output_options(app, arguments.output, kWorkloadWriters);
}

}  // namespace rooftile::cli
