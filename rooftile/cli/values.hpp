// The values of options, from text. Errors are of wrong usage and name the option.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/cli/commands.hpp"

namespace rooftile::cli {

// A whole number from 1 to `most`.
Result<std::int64_t> parse_count(std::string_view option, const std::string& text, std::int64_t most);

// "128x64x4".
Result<Tile> parse_tile(std::string_view option, const std::string& text);

Result<DType> parse_precision(std::string_view option, const std::string& text);

// "a,b" as two; an empty element is an error.
Result<std::vector<std::string>> parse_list(std::string_view option, const std::string& text);

// "NAME=VALUE,…": cells of the tables that a model was fitted to, by column.
Result<std::map<std::string, std::string>> parse_columns(std::string_view option, const std::string& text);

// "delta", "rooftile", "roofline", "prior" (miss rates of 1) or "prior=RATE" with a rate from 0 to 1.
struct MethodArgument {
  Method method = Method::delta;
  double prior_miss_rate = 1;
};
Result<MethodArgument> parse_method(std::string_view option, const std::string& text);

// A number from 0 to 1.
Result<double> parse_rate(std::string_view option, std::string_view text);

// Whether one of `built`; the error says whether the value is planned or unknown.
Result<void> check_choice(std::string_view option, const std::string& text, const std::vector<std::string>& built,
                          const std::vector<std::string>& planned);

}  // namespace rooftile::cli
