// --price and --price-kind: what an hour of a GPU costs, shared by the commands that count money.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/prices/gpu_price.hpp"

namespace rooftile::cli {

struct PriceArguments {
  std::string file;                                      // empty: none
  PriceRules rules;                                      // with the prices that --price names
  bool basis = false, lifetime = false, energy = false;  // whether they were given
  std::optional<PriceKind> kind;
};

std::vector<CLI::Option*> add_price_options(CLI::App* app, PriceArguments& prices);

// The prices of the file, under those that the command line names. Errors: what is wrong with the file; options that
// exclude each other.
Result<PriceRules> price_rules(const PriceArguments& prices, bool boards = false);
// The same for these GPUs: whether there is any whose price is not given, where a kind of price is asked for. Boards
// may be priced beside the hours, for which electricity counts.
Result<PriceRules> price_rules(const PriceArguments& prices, std::span<const Gpu> gpus, bool boards = false);

// "100" or "100 USD", above 0.
Result<Dollars> parse_dollars(const std::string& option, const std::string& text);

}  // namespace rooftile::cli
