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
#include "rooftile/gpu/catalogue.hpp"

namespace rooftile::cli {
namespace {

bool is_file(const std::string& selector) { return selector.ends_with(".toml"); }

bool has(const std::vector<Gpu>& gpus, const std::string& id) {
  return std::any_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.id == id; });
}

Result<std::vector<Gpu>> boards_where(const std::string& selector, const std::string& option, auto wanted) {
  auto gpus = TRY(boards_sold());
  std::erase_if(gpus, [&](const Gpu& gpu) { return !wanted(gpu); });
  if (gpus.empty()) return fail(ErrorCode::not_found, fmt::format("no GPU is {}", one_line(selector)), option);
  return gpus;
}

// The GPUs that a word for many means; none where it is no such word.
Result<std::vector<Gpu>> group_of(const std::string& selector, const std::string& option) {
  constexpr std::string_view kVendor = "vendor:", kMemory = "memory>=";
  if (selector == "all") return boards_sold();
  if (selector.starts_with(kVendor)) {
    const auto vendor = TRY(parse_choice(option, selector.substr(kVendor.size()), {"nvidia", "amd"}));
    return boards_where(selector, option, [&](const Gpu& gpu) { return lower_case(gpu.vendor) == vendor; });
  }
  if (selector.starts_with(kMemory)) {
    const auto least = parse<Bytes>(selector.substr(kMemory.size()));
    if (!least) {
      return fail(ErrorCode::usage, fmt::format("'{}' is no size of memory; write memory>=24GB", one_line(selector)),
                  option);
    }
    return boards_where(selector, option, [&](const Gpu& gpu) { return gpu.level("DRAM").capacity >= *least; });
  }
  return std::vector<Gpu>{};
}

}  // namespace

Result<Gpu> gpu_of_option(const std::string& selector, const std::string& option) {
  auto gpu = find_gpu(selector);
  if (!gpu && gpu.error().where.empty()) gpu.error().where = option;
  return gpu;
}

Result<std::vector<Gpu>> gpus_of_option(const std::vector<std::string>& selectors, const std::string& option) {
  std::vector<Gpu> gpus;
  std::vector<std::string> named;  // one by one: files, and ids of all others
  for (const std::string& selector : selectors) {
    auto group = TRY(group_of(selector, option));
    for (Gpu& gpu : group) {
      if (!has(gpus, gpu.id)) gpus.push_back(std::move(gpu));
    }
    if (!group.empty()) continue;
    Gpu gpu = TRY(gpu_of_option(selector, option));
    // A file may be a variant of a GPU in the catalogue, under its id.
    const std::string name = is_file(selector) ? selector : gpu.id;
    if (std::find(named.begin(), named.end(), name) != named.end()) {
      return fail(ErrorCode::usage, fmt::format("{} is named twice", gpu.id), option);
    }
    named.push_back(name);
    if (is_file(selector) || !has(gpus, gpu.id)) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace rooftile::cli
