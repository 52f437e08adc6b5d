#include "rooftile/prices/offers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/prices/embedded.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 7> kKinds = {"on-demand", "spot",     "reserved-1-year", "reserved-3-years",
                                                    "resale",    "purchase", "launch"};

class OfferReader : TomlReader {
 public:
  explicit OfferReader(std::string_view where) : TomlReader(where) {}

  Result<GpuOffers> read(const toml::table& root) {
    GpuOffers offers;
    for (auto&& [key, node] : root) {
      if (key.str() == "as_of") {
        offers.as_of = TRY(date(node));
      } else if (key.str() == "offers") {
        const auto* array = node.as_array();
        if (array == nullptr) return error(node.source(), "'offers' must be an array");
        for (auto&& one : *array) offers.offers.push_back(TRY(offer(one)));
      } else {
        return unknown(key, "", {"as_of", "offers"});
      }
    }
    return offers;
  }

 private:
  Result<std::string> date(const toml::node& node) {
    auto text = TRY(words(node, "a date"));
    if (parse_date(text)) return text;
    return error(node.source(), fmt::format("'{}' is not a date; write \"2026-10-31\"", one_line(text)));
  }

  Result<double> usd(const toml::node& node, PriceKind kind) {
    const auto text = TRY(words(node, "a price"));
    const bool rent = kind <= kLastRent;
    std::string_view rest = text;
    const auto number = take_number<double>(rest);
    if (number && *number > 0 && rest == (rent ? " USD/h" : " USD")) return *number;
    return error(node.source(),
                 fmt::format("'{}' is not a price; write \"{}\"", one_line(text), rent ? "2.50 USD/h" : "2500 USD"));
  }

  Result<Offer> offer(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node.source(), "an offer must be a table: { kind = \"on-demand\", … }");
    Offer offer;
    for (const char* key : {"kind", "price", "provider", "date", "source"}) {
      if (!table->contains(key)) return error(node.source(), fmt::format("{} is missing", key));
    }
    offer.kind = static_cast<PriceKind>(TRY(choice(*table->get("kind"), "kind", price_kind_names())));
    for (auto&& [key, value] : *table) {
      if (key.str() == "price") {
        offer.usd = TRY(usd(value, offer.kind));
      } else if (key.str() == "date") {
        offer.date = TRY(date(value));
      } else if (key.str() == "provider") {
        offer.provider = TRY(words(value, "provider"));
      } else if (key.str() == "place") {
        offer.place = TRY(words(value, "place"));
      } else if (key.str() == "source") {
        offer.source = TRY(words(value, "source"));
      } else if (key.str() != "kind") {
        return unknown(key, " of an offer", {"kind", "price", "provider", "place", "date", "source"});
      }
    }
    return offer;
  }
};

}  // namespace

std::string_view name_of(PriceKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::vector<std::string> price_kind_names() { return {kKinds.begin(), kKinds.end()}; }

std::optional<PriceKind> parse_price_kind(std::string_view name) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<PriceKind>(found - kKinds.begin());
}

std::optional<std::chrono::year_month_day> parse_date(std::string_view text) {
  constexpr std::size_t kYear = 4, kMonth = 7, kDay = 10;
  if ((text.size() != kMonth && text.size() != kDay) || text[kYear] != '-') return std::nullopt;
  if (text.size() == kDay && text[kMonth] != '-') return std::nullopt;
  const auto part = [&](std::size_t from, std::size_t to) { return parse_number<int>(text.substr(from, to - from)); };
  const auto year = part(0, kYear), month = part(kYear + 1, kMonth);
  const auto day = text.size() == kDay ? part(kMonth + 1, kDay) : 1;
  if (!year || !month || !day || *year < 0 || *month < 1 || *day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional(date) : std::nullopt;
}

Result<GpuOffers> parse_offers(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a price file"));
  return OfferReader(where).read(root);
}

GpuOffers builtin_offers(std::string_view gpu_id) {
  for (const EmbeddedText& file : embedded_prices()) {
    if (file.path == fmt::format("{}.toml", gpu_id)) return parse_offers(file.text, file.path).value_or(GpuOffers{});
  }
  return {};
}

std::string builtin_offers_as_of() {
  const EmbeddedText& any = embedded_prices().front();
  return parse_offers(any.text, any.path).value_or(GpuOffers{}).as_of;
}

}  // namespace rooftile
