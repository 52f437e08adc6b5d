#include "rooftile/prices/offers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/prices/embedded.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

constexpr const char* kOffer =
    "{ kind = \"spot\", price = \"0.5 USD/h\", provider = \"A\", place = \"here\", date = \"2025-02-28\", source = "
    "\"x\" }";

std::string offers_with(const std::string& from, const std::string& to) {
  std::string text = kOffer;
  text.replace(text.find(from), from.size(), to);
  return "offers = [\n  " + text + "\n]\n";
}

TEST(Offers, AreReadWithAllTheyHave) {
  const auto read = parse_offers(std::string("as_of = \"2026-01-31\"\noffers = [") + kOffer + "]", "p.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->as_of, "2026-01-31");
  ASSERT_EQ(read->offers.size(), 1U);
  const Offer& offer = read->offers.front();
  EXPECT_EQ(offer.kind, PriceKind::spot);
  EXPECT_DOUBLE_EQ(offer.usd, 0.5);
  EXPECT_EQ(offer.provider + offer.place + offer.date + offer.source, "Ahere2025-02-28x");
}

TEST(Offers, SayWhatIsWrongAndWhere) {
  const auto message = [](const std::string& from, const std::string& to) {
    return parse_offers(offers_with(from, to), "p.toml").error().text();
  };
  EXPECT_THAT(message("0.5 USD/h", "-0.5 USD/h"), HasSubstr("'-0.5 USD/h' is not a price; write \"2.50 USD/h\""));
  EXPECT_THAT(message("0.5 USD/h", "0.5 EUR/h"), HasSubstr("p.toml:2:"));
  EXPECT_THAT(message("0.5 USD/h", "0.5 USD"), HasSubstr("is not a price"));
  EXPECT_THAT(message("2025-02-28", "2025-02-29"), HasSubstr("is not a date"));
  EXPECT_THAT(message("source", "sauce"), HasSubstr("source is missing"));
  EXPECT_THAT(message("place", "plaice"), HasSubstr("did you mean 'place'"));
  EXPECT_THAT(message("spot", "sport"), HasSubstr("spot"));
  EXPECT_THAT(parse_offers("offers = 1", "p.toml").error().text(), HasSubstr("must be an array"));
}

TEST(Offers, MonthsAreTheirFirstDay) {
  EXPECT_EQ(parse_date("2025-08"), parse_date("2025-08-01"));
  for (const char* bad : {"", "2025", "2025-13", "2025-00", "2025-02-30", "2025-8-1", "2025/08/01", "-025-08"}) {
    EXPECT_FALSE(parse_date(bad)) << bad;
  }
}

TEST(Offers, ThoseThatShipAreOfGpusOfTheCatalogue) {
  for (const EmbeddedText& file : embedded_prices()) {
    const auto read = parse_offers(file.text, file.path);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_FALSE(read->offers.empty()) << file.path;
    EXPECT_EQ(read->as_of, builtin_offers_as_of());
    for (const Offer& offer : read->offers) EXPECT_LE(offer.date, read->as_of) << file.path;
    const std::string id(file.path.substr(0, file.path.find('.')));
    EXPECT_EQ(find_gpu(id).value().id, id);
    EXPECT_EQ(builtin_offers(id).offers.size(), read->offers.size());
  }
  EXPECT_TRUE(builtin_offers("titan-xp-delta").offers.empty());
}

}  // namespace
}  // namespace rooftile
