#include "rooftile/cli/gpu_list.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/gpu/catalogue.hpp"

namespace rooftile::cli {
namespace {

Result<std::vector<Gpu>> boards_where(const std::string& selector, auto wanted) {
  auto gpus = TRY(boards_sold());
  std::erase_if(gpus, [&](const Gpu& gpu) { return !wanted(gpu); });
  if (gpus.empty()) return fail(ErrorCode::not_found, fmt::format("no GPU is {}", one_line(selector)), "--gpus");
  return gpus;
}

Result<std::vector<Gpu>> gpus_of(const std::string& selector) {
  constexpr std::string_view kVendor = "vendor:", kMemory = "memory>=";
  if (selector == "all") return boards_sold();
  if (selector.starts_with(kVendor)) {
    const auto vendor = TRY(parse_choice("--gpus", selector.substr(kVendor.size()), {"nvidia", "amd"}));
    return boards_where(selector, [&](const Gpu& gpu) { return lower_case(gpu.vendor) == vendor; });
  }
  if (selector.starts_with(kMemory)) {
    const auto least = parse<Bytes>(selector.substr(kMemory.size()));
    if (!least) {
      return fail(ErrorCode::usage, fmt::format("'{}' is no size of memory; write memory>=24GB", one_line(selector)),
                  "--gpus");
    }
    return boards_where(selector, [&](const Gpu& gpu) { return gpu.level("DRAM").capacity >= *least; });
  }
  return std::vector{TRY(gpu_of_option(selector, "--gpus"))};
}

}  // namespace

Result<std::vector<Gpu>> listed_gpus(const std::vector<std::string>& selectors) {
  std::vector<Gpu> gpus;
  for (const std::string& selector : selectors) {
    for (Gpu& gpu : TRY(gpus_of(selector))) {
      const auto same = [&](const Gpu& other) { return other.id == gpu.id; };
      if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(std::move(gpu));
    }
  }
  return gpus;
}

}  // namespace rooftile::cli
