// rooftile gpus: the catalogue, or every number of one GPU.
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {
namespace {

constexpr Writers<std::span<const Gpu>> kGpusWriters = {
    {Format::table, gpus_table}, {Format::json, gpus_json}, {Format::csv, gpus_csv}};
constexpr Writers<const Gpu&> kGpuWriters = {{Format::table, gpu_table},
                                             {Format::json,
                                              [](const Gpu& gpu) {
                                                return gpus_json({&gpu, 1});
                                              }},
                                             {Format::csv, gpu_csv}};

struct ListGpusArguments {
  bool names = false;
  OutputArguments output;
};

Result<void> list_gpus(ListGpusArguments& arguments) {
  TRY(check_names(arguments.names, arguments.output));
  const std::vector<std::string> ids = gpu_ids();
  if (arguments.names) return write_output(arguments.output.file, fmt::format("{}\n", fmt::join(ids, "\n")));
  std::vector<Gpu> gpus;
  for (const std::string& id : ids) gpus.push_back(TRY(find_gpu(id)));
  return write_report(arguments.output, kGpusWriters, gpus);
}

struct ShowGpuArguments {
  std::string id;
  OutputArguments output;
};

Result<void> show(ShowGpuArguments& arguments) {
  return write_report(arguments.output, kGpuWriters, TRY(find_gpu(arguments.id)));
}

}  // namespace

void add_gpus(CommandList& commands) {
  CLI::App* parent = commands.add_parent("gpus", "List the GPUs, or show every number of one with its source",
                                         "rooftile gpus show v100-sxm2-16gb");
  {
    auto [app, arguments] =
        commands.add<ListGpusArguments>("list", "List the catalogue", "rooftile gpus list", list_gpus, parent);
    app->add_flag("--names", arguments.names, "ids only, one per line")->group("Output");
    add_output_options(app, arguments.output, kGpusWriters);
  }
  auto [app, arguments] = commands.add<ShowGpuArguments>("show", "Show every number of one GPU, with its source",
                                                         "rooftile gpus show v100-sxm2-16gb", show, parent);
  add_text(app, "ID", arguments.id, "ID", "catalogue id, an unambiguous part of one, or a .toml file")->required();
  add_output_options(app, arguments.output, kGpuWriters);
}

}  // namespace rooftile::cli
