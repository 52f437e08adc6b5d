#include "rooftile/cli/price_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"

namespace rooftile::cli {
namespace {

Result<void> set_basis(const std::string& option, const std::string& value, PriceRules& rules) {
  const auto basis = TRY(parse_choice(option, value, {"rented", "bought", "any"}));
  rules.kind = basis == "bought" ? PriceKind::launch : PriceKind::on_demand;
  rules.else_bought = basis == "any";
  return {};
}

Result<void> set_lifetime(const std::string& option, const std::string& value, PriceRules& rules) {
  const auto time = parse_duration(value);
  if (!time) return fail(ErrorCode::usage, time.error().message, option);
  rules.lifetime = *time;
  return {};
}

// A file, or "t4=0.35,basis=bought,lifetime=730d,energy=0.2".
Result<void> read_price(const std::string& option, const std::string& text, PriceArguments& prices) {
  if (text.find('=') == std::string::npos) {
    prices.file = text;
    return {};
  }
  constexpr double kJoulesOfKilowattHour = 3.6e6;
  for (const auto& [key, value] : TRY(parse_pairs(option, text))) {
    if (key == "basis") {
      TRY(set_basis(option, value, prices.rules));
      prices.basis = true;
    } else if (key == "lifetime") {
      TRY(set_lifetime(option, value, prices.rules));
      prices.lifetime = true;
    } else if (key == "energy") {
      prices.rules.usd_per_joule = TRY(parse_dollars(option, value)).value() / kJoulesOfKilowattHour;
      prices.energy = true;
    } else if (auto added = add_gpu_price(prices.rules.own, fmt::format("{}={}", key, value)); !added) {
      return fail(added.error().code, added.error().message, option);
    }
  }
  return {};
}

}  // namespace

std::vector<CLI::Option*> add_price_options(CLI::App* app, PriceArguments& prices) {
  CLI::Option* price = add_each(
      app, "--price", "ID=USD|FILE|basis=rented/bought/any|lifetime=TIME|energy=USD,…",
      [&prices](const std::string& option, const std::string& text) { return read_price(option, text, prices); },
      "price per GPU-hour, here or in a file; what counts, how long a board lasts, and a kWh of electricity");
  std::vector<Choice<PriceKind>> kinds;
  for (const std::string& name : price_kind_names()) kinds.push_back({name, *parse_price_kind(name)});
  return {price, add_choice(app, "--price-kind", prices.kind, kinds,
                            "which prices count, of those that ship with the program (default: on-demand)")};
}

Result<PriceRules> price_rules(const PriceArguments& prices, bool boards) {
  PriceRules rules = prices.rules;
  if (prices.kind && prices.basis) return usage("--price-kind cannot be used with --price basis=…");
  if (prices.kind) rules.kind = *prices.kind;
  if ((prices.lifetime || (prices.energy && !boards)) && rules.kind <= kLastRent && !rules.else_bought) {
    return usage("--price: lifetime and energy are for basis=bought or any, or a --price-kind of boards");
  }
  if (prices.file.empty()) return rules;
  const auto text = TRY(read_text_file(prices.file));
  GpuPrices own = TRY(parse_gpu_prices(text, prices.file));
  for (const auto& [gpu, price] : rules.own) own[gpu] = price;
  rules.own = std::move(own);
  return rules;
}

Result<PriceRules> price_rules(const PriceArguments& prices, std::span<const Gpu> gpus, bool boards) {
  auto rules = price_rules(prices, boards);
  if (!rules || !(prices.kind || prices.basis)) return rules;
  const bool all = std::all_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return rules->own.contains(gpu.id); });
  if (!all || gpus.empty()) return rules;
  return usage(fmt::format("{} plays no part: --price has the price of {}",
                           prices.kind ? "--price-kind" : "--price basis=…",
                           gpus.size() == 1 ? gpus.front().id : "every GPU"));
}

Result<Dollars> parse_dollars(const std::string& option, const std::string& text) {
  std::string number_text = text.substr(text.starts_with('$') ? 1 : 0);
  if (lower_case(number_text).ends_with("usd")) number_text.resize(number_text.size() - 3);
  while (number_text.ends_with(' ')) number_text.pop_back();
  const auto number = parse_number<double>(number_text);
  constexpr double kMost = 1e15;
  if (number && *number > 0 && *number <= kMost) return Dollars(*number);
  return fail(ErrorCode::usage, fmt::format("'{}' is not an amount above 0 in USD", one_line(text)), option);
}

}  // namespace rooftile::cli
