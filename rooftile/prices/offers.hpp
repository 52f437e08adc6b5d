// What a GPU was offered for: dated prices, each of one provider, read from data/prices.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile {

// How a GPU is paid for. Rent comes first.
enum class PriceKind {
  on_demand,
  spot,
  reserved_1_year,
  reserved_3_years,
  resale,    // a board, where it is sold
  purchase,  // a new board, as vendors list it
  launch,    // a board, as its vendor asked when it came out
};
constexpr PriceKind kLastRent = PriceKind::reserved_3_years;
std::string_view name_of(PriceKind kind);  // "on-demand"
std::vector<std::string> price_kind_names();
std::optional<PriceKind> parse_price_kind(std::string_view name);

struct Offer {
  PriceKind kind = PriceKind::on_demand;
  double usd = 0;  // an hour of one GPU; a board where it is bought
  std::string provider;
  std::string place;  // empty: any, or not said
  std::string date;   // "2026-10-10", or "2025-08" of a month's median
  std::string source;
};

// "2025-08" is the first of the month. Nothing where it is no date.
std::optional<std::chrono::year_month_day> parse_date(std::string_view text);

struct GpuOffers {
  std::string as_of;  // the newest date of all GPUs' offers: what is old is so as of then
  std::vector<Offer> offers;
};

// Reads the text of a price file; `where` names it in errors. Errors: bad TOML, an unknown key, no date, no price in
// USD above 0; each with line and column.
Result<GpuOffers> parse_offers(std::string_view toml, std::string_view where);

// Those that ship with the program; none of a GPU that they have no file for.
GpuOffers builtin_offers(std::string_view gpu_id);

// GpuOffers::as_of of all of them.
std::string builtin_offers_as_of();

}  // namespace rooftile
