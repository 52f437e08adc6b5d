#include "rooftile/planning/gpu_price.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/facts.hpp"
#include "rooftile/planning/duration.hpp"

namespace rooftile {
namespace {

constexpr double kMostPerHour = 1e6;  // USD
constexpr std::array<std::string_view, 3> kBases = {"rented", "bought", "any"};

class PriceReader : TomlReader {
 public:
  explicit PriceReader(std::string_view where) : TomlReader(where) {}

  Result<GpuPrices> read(const toml::table& root) {
    GpuPrices prices;
    for (auto&& [key, node] : root) {
      if (key.str() != "prices") return unknown(key, "", {"prices"});
      const auto* table = node.as_table();
      if (table == nullptr) return error(node.source(), "'prices' must be a table: [prices]");
      for (auto&& [id, value] : *table) {
        const auto gpu = find_gpu(id.str());
        if (!gpu) return error(id.source(), one_line(gpu.error().text()));
        const auto text = TRY(words(value, "a price"));
        const auto price = parse<DollarsPerSecond>(text);
        if (!price || price->value() <= 0 || price->value() * 3600 > kMostPerHour) {
          return error(value.source(), fmt::format("'{}' is not a price; write \"2.50 USD/h\"", one_line(text)));
        }
        prices[gpu->id] = *price;
      }
    }
    return prices;
  }
};

}  // namespace

Result<GpuPrices> parse_gpu_prices(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a price file"));
  if (root.empty()) return fail(ErrorCode::bad_input, "the price file is empty", std::string(where));
  return PriceReader(where).read(root);
}

Result<void> add_gpu_price(GpuPrices& prices, std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const double price = equals == std::string_view::npos ? 0 : parse_number(text.substr(equals + 1)).value_or(0);
  if (!(price > 0 && price <= kMostPerHour)) {
    return fail(ErrorCode::usage,
                fmt::format("'{}' is not ID=PRICE in USD per hour, as in h100-sxm5-80gb=2.50", one_line(text)));
  }
  const auto gpu = TRY(find_gpu(text.substr(0, equals)));
  prices[gpu.id] = DollarsPerSecond(price / 3600);
  return {};
}

std::vector<std::string> price_basis_names() { return {kBases.begin(), kBases.end()}; }

std::optional<PriceBasis> parse_price_basis(std::string_view text) {
  const auto found = std::find(kBases.begin(), kBases.end(), text);
  if (found == kBases.end()) return std::nullopt;
  return static_cast<PriceBasis>(found - kBases.begin());
}

std::optional<GpuPrice> price_of(const Gpu& gpu, const PriceRules& rules) {
  if (const auto found = rules.own.find(gpu.id); found != rules.own.end()) return GpuPrice{found->second, "given"};
  if (gpu.cloud_price && rules.basis != PriceBasis::bought) {
    const Fact* fact = find_fact(gpu, "board.cloud_price");
    const std::string note = fact == nullptr ? "" : fact->note;
    return GpuPrice{*gpu.cloud_price, note.empty() ? "rented" : "rented: " + note};
  }
  if (!gpu.launch_price || rules.basis == PriceBasis::rented) return std::nullopt;
  DollarsPerSecond rate = *gpu.launch_price / rules.lifetime;
  std::string source = fmt::format("launch price over {}", print_duration(rules.lifetime));
  if (rules.usd_per_joule > 0) {
    if (!gpu.tdp) return std::nullopt;
    rate += DollarsPerSecond(gpu.tdp->value() * rules.usd_per_joule);
    source += " and electricity at its TDP";
  }
  return GpuPrice{rate, std::move(source)};
}

}  // namespace rooftile
