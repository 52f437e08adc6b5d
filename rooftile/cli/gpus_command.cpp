// rooftile gpus: the catalogue, or one GPU.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {

Result<void> gpus(const GpusArguments& arguments) {
  if (arguments.names_only) return write_output("", fmt::format("{}\n", fmt::join(gpu_ids(), "\n")));
  std::vector<Gpu> found;
  for (const std::string& id : arguments.id.empty() ? gpu_ids() : std::vector<std::string>{arguments.id}) {
    auto gpu = TRY(find_gpu(id));
    found.push_back(std::move(gpu));
  }
  if (arguments.format == Format::json) return write_output("", gpus_json(found));
  return write_output("", arguments.id.empty() ? gpus_table(found) : gpu_table(found.front()));
}

}  // namespace rooftile::cli
