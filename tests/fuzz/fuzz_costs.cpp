// Any text as what GPUs cost to make, over the costs built in: an error, or costs by which a GPU has an area, a power
// and a price.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/cost/cost.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/cost/validation.hpp"
#include "rooftile/gpu/catalogue.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  static const CostTable built_in = load_costs("").value();
  static const Gpu gpu = find_gpu("titan-xp").value();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto costs = with_costs(built_in, text, "costs.toml");
  if (!costs) {
    require(is_one_line_error(costs.error()));
    return 0;
  }
  const auto model = cost_model_of(*costs, gpu);
  if (!model) {
    require(is_one_line_error(model.error()));
    return 0;
  }
  const HardwareCost cost = cost_of(gpu, *model);
  require(is_positive(cost.area.total()) && is_positive(cost.power().value()) && is_positive(cost.price().value()));
  for (const ChipArea& chip : chip_areas(*costs)) require(is_positive(chip.die_mm2));
  return 0;
}
