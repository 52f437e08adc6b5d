// What an hour of a GPU costs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

struct GpuPrice {
  DollarsPerSecond rate;
  std::string source;  // "given", "rented: AWS p3.2xlarge, 2023-10-30", "launch price over 3 years"
};

// A user's own prices by catalogue id.
using GpuPrices = std::map<std::string, DollarsPerSecond, std::less<>>;

// Reads [prices] of a TOML text: id = "2.50 USD/h". Errors, with line and column: not TOML, an unknown key or GPU, no
// such price.
Result<GpuPrices> parse_gpu_prices(std::string_view toml, std::string_view where);

// "ID=USD/h" into the prices, over what they say.
Result<void> add_gpu_price(GpuPrices& prices, std::string_view text);

// Which prices of the catalogue count: an hour rented and an hour of a card bought do not compare.
enum class PriceBasis { rented, bought, any };  // any: rented before bought
std::vector<std::string> price_basis_names();
std::optional<PriceBasis> parse_price_basis(std::string_view text);

struct PriceRules {
  GpuPrices own;  // over everything else
  PriceBasis basis = PriceBasis::rented;
  Seconds lifetime = Seconds(3 * 365 * 86400.0);  // of use, over which the launch price is spread
  double usd_per_joule = 0;                       // of electricity, for bought GPUs, as if they drew their TDP
};

// A bought GPU is without the machine around it, cooling or interest. Nothing where no such price is known, or the TDP
// is not and electricity costs something.
std::optional<GpuPrice> price_of(const Gpu& gpu, const PriceRules& rules);

}  // namespace rooftile
