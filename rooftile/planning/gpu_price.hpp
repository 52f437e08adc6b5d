// What an hour of a GPU costs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rooftile/error/error.hpp"
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

// The user's own; else the rental price of the catalogue; else the launch price spread over `lifetime` of use, without
// the machine around it, power or interest. Nothing where none is known.
std::optional<GpuPrice> price_of(const Gpu& gpu, const GpuPrices& own, Seconds lifetime);

}  // namespace rooftile
