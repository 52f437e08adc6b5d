// What an hour of a GPU costs.
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const GpuPrice price = price_of(find_gpu("a100-sxm4-80gb").value(), {}).value();
//     assert(price.offers > 1 && !price.date.empty());  // the median of so many, the newest of which is of then
//     PriceRules own;
//     assert(add_gpu_price(own.own, "a100-sxm4-80gb=1.80"));
//     assert(price_of(find_gpu("a100-sxm4-80gb").value(), own)->source == "given");
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/prices/offers.hpp"

namespace rooftile {

struct GpuPrice {
  DollarsPerSecond rate;
  std::string source =
      {};  // "given", "given in own.toml", "median of 7 on-demand offers, 2026-05-24 to 2026-10-10: AWS, …"
  std::string kind = {};                    // name_of(PriceKind), "given"
  std::size_t offers = 0;                   // that it is the median of; 0: given, or a launch price
  std::string date = {};                    // of the newest of them, or the launch; empty: not known
  std::vector<std::string> providers = {};  // each once, by name
  std::vector<std::string> tables = {};     // where they were read, each once
  bool old = false;                         // the newest offer is more than 18 months older than the newest of any GPU
  bool few = false;                         // rent of fewer than four offers, or of one provider: one market's price
  bool of_board = false;                    // a board's, spread over its lifetime: no rent
  std::optional<DollarsPerSecond> lowest = {}, highest = {};  // of the offers of rent

  double usd_per_hour() const { return rate.value() * 3600; }
};

// A user's own prices by catalogue id.
struct OwnPrice {
  DollarsPerSecond rate;
  std::string file = {};  // empty: none
};
using GpuPrices = std::map<std::string, OwnPrice, std::less<>>;

// Reads [prices] of a TOML text: id = "2.50 USD/h". Errors, with line and column: not TOML, an unknown key or GPU, no
// such price.
Result<GpuPrices> parse_gpu_prices(std::string_view toml, std::string_view where);

// "ID=USD/h" into the prices, over what they say.
Result<void> add_gpu_price(GpuPrices& prices, std::string_view text);

// Which prices count: an hour rented and an hour of a board bought do not compare.
struct PriceRules {
  GpuPrices own;  // over everything else
  PriceKind kind = PriceKind::on_demand;
  bool else_bought = false;                       // where that price is not known, the launch price
  Seconds lifetime = Seconds(3 * 365 * 86400.0);  // of use, over which the price of a board is spread
  double usd_per_joule = 0;                       // of electricity, for bought GPUs, as if they drew their TDP
};

// The median of the offers of that kind from the last twelve months before the newest of them. Of on-demand rent, where
// the program has no offers, the one that the GPU's own file names. A bought GPU is without the machine around it,
// cooling or interest. Nothing where no such price is known, or the TDP is not and electricity costs something.
std::optional<GpuPrice> price_of(const Gpu& gpu, const PriceRules& rules);

// What a board costs that is bought: of the medians of resale and purchase the newer one, else the launch price.
struct BoardPrice {
  Dollars usd;
  std::string kind, source, date;  // GpuPrice
};
std::optional<BoardPrice> board_price_of(const Gpu& gpu);

// The median of such offers.
std::optional<GpuPrice> median_price(const GpuOffers& offers, PriceKind kind);

}  // namespace rooftile
