#include "rooftile/prices/gpu_price.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Offer offer(double usd, const char* date, const char* provider = "A", PriceKind kind = PriceKind::on_demand) {
  return {.kind = kind, .usd = usd, .provider = provider, .place = "", .date = date, .source = "x"};
}

TEST(GpuPrice, TheMedianOfTheTwelveMonthsBeforeTheNewest) {
  const GpuOffers offers = {.as_of = "2026-06-30",
                            .offers = {offer(2, "2026-06-01"), offer(3, "2025-06-01", "B"), offer(10, "2025-10-31"),
                                       offer(0.01, "2025-05-31", "C"),                     // a day too old
                                       offer(0.01, "2026-06-30", "D", PriceKind::spot)}};  // of another kind
  const auto price = median_price(offers, PriceKind::on_demand);
  ASSERT_TRUE(price);
  EXPECT_DOUBLE_EQ(price->usd_per_hour(), 3);
  EXPECT_EQ(price->offers, 3U);
  EXPECT_EQ(price->date, "2026-06-01");
  EXPECT_THAT(price->providers, ElementsAre("A", "B"));
  EXPECT_EQ(price->source, "median of 3 on-demand offers of A, B, 2025-06-01 to 2026-06-01; few: 2 to 10 USD/h");
  EXPECT_FALSE(price->old);
  EXPECT_DOUBLE_EQ(median_price(offers, PriceKind::spot)->usd_per_hour(), 0.01);
  EXPECT_FALSE(median_price(offers, PriceKind::reserved_1_year));
}

TEST(GpuPrice, IsOldAfterEighteenMonths) {
  const auto old = [](const char* date) {
    return median_price({.as_of = "2026-10-10", .offers = {offer(1, date)}}, PriceKind::on_demand)->old;
  };
  EXPECT_FALSE(old("2025-04-10"));
  EXPECT_TRUE(old("2025-04-09"));
}

TEST(GpuPrice, SpotAndReservedCountOnlyWhenAskedFor) {
  const Gpu h100 = find_gpu("h100-sxm5-80gb").value();
  PriceRules rules;
  const auto on_demand = price_of(h100, rules);
  EXPECT_EQ(on_demand->kind, "on-demand");
  EXPECT_GT(on_demand->offers, 10U);
  rules.kind = PriceKind::spot;
  EXPECT_LT(price_of(h100, rules)->rate, on_demand->rate);
  EXPECT_EQ(price_of(h100, rules)->kind, "spot");
}

TEST(GpuPrice, AMedianOfFewOffersSaysSoAndHowFarTheyLieApart) {
  const GpuPrice few = price_of(find_gpu("v100-sxm2-16gb").value(), {}).value();
  EXPECT_LT(few.offers, 4U);
  EXPECT_TRUE(few.few);
  EXPECT_LE(*few.lowest, few.rate);
  EXPECT_GE(*few.highest, few.rate);
  const GpuPrice many = price_of(find_gpu("h100-sxm5-80gb").value(), {}).value();
  EXPECT_FALSE(many.few);
  EXPECT_THAT(many.source, Not(HasSubstr("few")));
  GpuOffers offers{.as_of = "2026-10-10", .offers = {}};
  for (const double usd : {1.0, 2.0, 4.0})
    offers.offers.push_back({PriceKind::on_demand, usd, "A", "", "2026-10-01", ""});
  EXPECT_THAT(median_price(offers, PriceKind::on_demand)->source, HasSubstr("; few: 1 to 4 USD/h"));
  offers.offers.push_back({PriceKind::on_demand, 3.0, "A", "", "2026-10-01", ""});
  EXPECT_TRUE(median_price(offers, PriceKind::on_demand)->few) << "all of one provider";
  offers.offers.push_back({PriceKind::on_demand, 3.0, "B", "", "2026-10-01", ""});
  EXPECT_FALSE(median_price(offers, PriceKind::on_demand)->few);
}

TEST(GpuPrice, OwnBeforeRentedBeforeBought) {
  const Gpu t4 = find_gpu("t4").value(), vega = find_gpu("vega-frontier-edition").value();
  const Gpu gtx = find_gpu("gtx-980-ti").value();
  PriceRules rules;
  const GpuPrice rent = price_of(t4, rules).value();
  EXPECT_THAT(rent.source, HasSubstr("on-demand offers of"));
  EXPECT_FALSE(price_of(gtx, rules));
  rules.else_bought = true;
  rules.lifetime = Seconds(649);  // launched at 649 USD
  EXPECT_EQ(price_of(t4, rules)->rate, rent.rate);
  EXPECT_FALSE(price_of(t4, rules)->of_board);
  EXPECT_DOUBLE_EQ(price_of(gtx, rules).value().rate.value(), 1);
  rules.usd_per_joule = 0.01;
  EXPECT_DOUBLE_EQ(price_of(gtx, rules).value().rate.value(), 1 + 250 * 0.01);  // of 250 W
  rules.kind = PriceKind::launch;
  EXPECT_THAT(price_of(gtx, rules)->source, HasSubstr("launch price over 10.8 min and electricity"));
  EXPECT_EQ(price_of(gtx, rules)->date, "2015-06-02");
  EXPECT_FALSE(price_of(gtx, rules)->tables.empty());
  EXPECT_TRUE(price_of(gtx, rules)->of_board);
  EXPECT_FALSE(price_of(find_gpu("a100-pcie-80gb").value(), rules));
  rules.kind = PriceKind::resale;
  EXPECT_FALSE(price_of(vega, rules));
  EXPECT_THAT(price_of(find_gpu("rtx-3090").value(), rules)->source, HasSubstr("resale offers of Amazon"));
  ASSERT_TRUE(add_gpu_price(rules.own, "t4=3600"));
  EXPECT_DOUBLE_EQ(price_of(t4, rules).value().rate.value(), 1);
  for (const char* bad : {"t4", "t4=", "t4=-1", "t4=x", "t4=nan", "=1", "t44x=1"}) {
    EXPECT_FALSE(add_gpu_price(rules.own, bad)) << bad;
  }
}

TEST(GpuPrice, TheOneOfferOfAGpusFileIsDatedByItsNote) {
  const auto price = price_of(find_gpu("p100-pcie-16gb").value(), {});
  ASSERT_TRUE(price);
  EXPECT_EQ(price->offers, 1U);
  EXPECT_EQ(price->date, "2023-10-30");
  EXPECT_TRUE(price->old);
  Gpu own = find_gpu("p100-pcie-16gb").value();
  own.facts.clear();
  EXPECT_EQ(price_of(own, {})->source, "one on-demand offer");
  EXPECT_FALSE(price_of(own, {})->old);  // nobody knows
}

TEST(GpuPrice, FilesSayWhereTheyAreWrong) {
  const auto prices = parse_gpu_prices("[prices]\nt4 = \"0.36 USD/h\"\n", "p.toml");
  ASSERT_TRUE(prices) << prices.error().text();
  EXPECT_DOUBLE_EQ(prices->at("t4").rate.value(), 1e-4);
  PriceRules rules;
  rules.own = *prices;
  EXPECT_EQ(price_of(find_gpu("t4").value(), rules)->source, "given in p.toml");
  const auto message = [](const char* text) { return parse_gpu_prices(text, "p.toml").error().text(); };
  EXPECT_THAT(message("[prices]\nt4 = 0.36\n"), HasSubstr("p.toml:2:6"));
  EXPECT_THAT(message("[prices]\nt4 = \"0.36\"\n"), HasSubstr("2.50 USD/h"));
  EXPECT_THAT(message("[prices]\nt4 = \"0.36 EUR/h\"\n"), HasSubstr("'0.36 EUR/h' is not a price in USD"));
  EXPECT_THAT(message("[price]\nt4 = \"1 USD/h\"\n"), HasSubstr("did you mean 'prices'"));
  EXPECT_THAT(message("[prices]\nt44 = \"1 USD/h\"\n"), HasSubstr("p.toml:2:1"));
  EXPECT_THAT(message("prices"), HasSubstr("p.toml:1"));
}

TEST(BoardPrice, IsTheNewestThatIsKnown) {
  const auto v100 = board_price_of(find_gpu("v100-pcie-32gb").value());
  ASSERT_TRUE(v100);
  EXPECT_EQ(v100->kind, "purchase");
  EXPECT_THAT(v100->date, testing::StartsWith("2022"));
  EXPECT_EQ(board_price_of(find_gpu("rtx-3090").value())->kind, "resale");
  const auto titan = board_price_of(find_gpu("titan-v").value());
  EXPECT_EQ(titan->kind, "launch");
  EXPECT_EQ(titan->date, "2017-12-07");
  EXPECT_THAT(titan->source, testing::StartsWith("launch price: "));
  EXPECT_FALSE(board_price_of(find_gpu("jetson-agx-thor").value()));
}

}  // namespace
}  // namespace rooftile
