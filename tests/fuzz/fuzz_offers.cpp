// Any text as what a GPU was offered for: an error, or dated prices above 0.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/prices/offers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto offers = parse_offers(text, "prices.toml");
  if (!offers) {
    require(is_one_line_error(offers.error()));
    return 0;
  }
  for (const Offer& offer : offers->offers) {
    require(is_positive(offer.usd));
    require(parse_date(offer.date).has_value());
  }
  return 0;
}
