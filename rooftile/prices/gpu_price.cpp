#include "rooftile/prices/gpu_price.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/quantile.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/facts.hpp"

namespace rooftile {
namespace {

constexpr double kMostPerHour = 1e6;  // USD
constexpr double kHour = 3600;        // seconds
constexpr std::chrono::months kCounts{12}, kOld{18};

class PriceReader : TomlReader {
 public:
  explicit PriceReader(std::string_view where) : TomlReader(where), where_(where) {}

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
        if (!price || price->value() <= 0 || price->value() * kHour > kMostPerHour) {
          return error(value.source(), fmt::format("'{}' is not a price in USD; write \"2.50 USD/h\"", one_line(text)));
        }
        prices[gpu->id] = {*price, std::string(where_)};
      }
    }
    return prices;
  }

 private:
  std::string_view where_;
};

bool is_old(const std::string& newest, const std::string& as_of) {
  const auto date = parse_date(newest), now = parse_date(as_of);
  return date && now && *date < *now - kOld;
}

// "; few: 0.17 to 0.8 USD/h".
std::string spread_of(const GpuPrice& price) {
  if (!price.few || *price.lowest == *price.highest) return "";
  return fmt::format("; few: {:.3g} to {:.3g} USD/h", price.lowest->value() * kHour, price.highest->value() * kHour);
}

const char* age_of(const GpuPrice& price) { return price.old ? " (older than 18 months)" : ""; }

// "AWS, Azure, Lambda and 9 more".
std::string names_of(std::span<const std::string> providers) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(providers.size(), kMost);
  std::string text = fmt::format("{}", fmt::join(providers.first(shown), ", "));
  return providers.size() > shown ? fmt::format("{} and {} more", text, providers.size() - shown) : text;
}

// "2023-10-30" at the end of a note.
std::string date_in(std::string_view note) {
  constexpr std::size_t kDate = 10;
  for (std::size_t at = note.size() < kDate ? 0 : note.size() - kDate + 1; at-- > 0;) {
    if (parse_date(note.substr(at, kDate))) return std::string(note.substr(at, kDate));
  }
  return "";
}

// The single offer that the GPU's own file names.
std::optional<GpuPrice> price_of_file(const Gpu& gpu) {
  if (!gpu.cloud_price) return std::nullopt;
  GpuPrice price{.rate = *gpu.cloud_price, .kind = std::string(name_of(PriceKind::on_demand)), .offers = 1};
  price.few = true;
  price.lowest = price.highest = price.rate;
  const Fact* fact = find_fact(gpu, "board.cloud_price");
  const std::string note = fact == nullptr ? "" : fact->note;
  price.date = date_in(note);
  price.old = is_old(price.date, builtin_offers_as_of());
  price.source = fmt::format("one on-demand offer{}{}{}", note.empty() ? "" : ": ", note, age_of(price));
  if (fact != nullptr) price.tables = {fact->source};
  return price;
}

std::string launch_date_of(const Gpu& gpu) {
  const Fact* date = find_fact(gpu, "board.launch_date");
  return date == nullptr ? "" : date->text;
}

std::optional<GpuPrice> board_price(const Gpu& gpu, PriceKind kind, const PriceRules& rules) {
  std::optional<GpuPrice> price;
  if (kind != PriceKind::launch) {
    price = median_price(builtin_offers(gpu.id), kind);
    if (price) price->rate = Dollars(price->rate.value()) / rules.lifetime;
  } else if (gpu.launch_price) {
    price = GpuPrice{.rate = *gpu.launch_price / rules.lifetime, .source = "launch price", .kind = "launch"};
    price->date = launch_date_of(gpu);
    if (const Fact* fact = find_fact(gpu, "board.launch_price")) price->tables = {fact->source};
  }
  if (!price) return price;
  price->of_board = true;
  price->source += fmt::format(" over {}", print_duration(rules.lifetime));
  if (rules.usd_per_joule > 0) {
    if (!gpu.tdp) return std::nullopt;
    price->rate += DollarsPerSecond(gpu.tdp->value() * rules.usd_per_joule);
    price->source += " and electricity at its TDP";
  }
  return price;
}

}  // namespace

Result<GpuPrices> parse_gpu_prices(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a price file"));
  if (root.empty()) return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
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
  prices[gpu.id] = {DollarsPerSecond(price / kHour)};
  return {};
}

std::optional<GpuPrice> median_price(const GpuOffers& offers, PriceKind kind) {
  std::string newest;
  for (const Offer& offer : offers.offers) {
    if (offer.kind == kind) newest = std::max(newest, offer.date);
  }
  const auto last = parse_date(newest);
  if (!last) return std::nullopt;
  std::vector<double> usd;
  std::set<std::string> providers, tables;
  std::string oldest = newest;
  for (const Offer& offer : offers.offers) {
    if (offer.kind != kind || *parse_date(offer.date) < *last - kCounts) continue;
    usd.push_back(offer.usd);
    providers.insert(offer.provider);
    tables.insert(offer.source);
    oldest = std::min(oldest, offer.date);
  }
  GpuPrice price;
  price.rate = DollarsPerSecond(quantile(usd, 0.5) / (kind <= kLastRent ? kHour : 1));
  price.kind = name_of(kind);
  price.offers = usd.size();
  price.date = newest;
  price.providers.assign(providers.begin(), providers.end());
  price.tables.assign(tables.begin(), tables.end());
  price.old = is_old(newest, offers.as_of);
  constexpr std::size_t kFew = 4;
  if (kind <= kLastRent) {
    price.few = usd.size() < kFew || providers.size() == 1;
    price.lowest = DollarsPerSecond(*std::min_element(usd.begin(), usd.end()) / kHour);
    price.highest = DollarsPerSecond(*std::max_element(usd.begin(), usd.end()) / kHour);
  }
  const bool one = usd.size() == 1;
  price.source =
      fmt::format("{} {} offer{} of {}, {}{}{}", one ? "one" : fmt::format("median of {}", usd.size()), price.kind,
                  one ? "" : "s", names_of(price.providers),
                  oldest == newest ? newest : fmt::format("{} to {}", oldest, newest), spread_of(price), age_of(price));
  return price;
}

std::optional<BoardPrice> board_price_of(const Gpu& gpu) {
  const GpuOffers offers = builtin_offers(gpu.id);
  std::optional<GpuPrice> newest;
  for (const PriceKind kind : {PriceKind::resale, PriceKind::purchase}) {
    auto price = median_price(offers, kind);
    if (price && (!newest || price->date > newest->date)) newest = std::move(price);
  }
  if (newest) return BoardPrice{Dollars(newest->rate.value()), newest->kind, newest->source, newest->date};
  if (!gpu.launch_price) return std::nullopt;
  const Fact* price = find_fact(gpu, "board.launch_price");
  return BoardPrice{*gpu.launch_price, "launch", price == nullptr ? "launch price" : "launch price: " + price->source,
                    launch_date_of(gpu)};
}

std::optional<GpuPrice> price_of(const Gpu& gpu, const PriceRules& rules) {
  if (const auto found = rules.own.find(gpu.id); found != rules.own.end()) {
    const OwnPrice& own = found->second;
    return GpuPrice{.rate = own.rate, .source = own.file.empty() ? "given" : "given in " + own.file, .kind = "given"};
  }
  if (rules.kind > kLastRent) return board_price(gpu, rules.kind, rules);
  auto price = median_price(builtin_offers(gpu.id), rules.kind);
  if (!price && rules.kind == PriceKind::on_demand) price = price_of_file(gpu);
  if (!price && rules.else_bought) price = board_price(gpu, PriceKind::launch, rules);
  return price;
}

}  // namespace rooftile
