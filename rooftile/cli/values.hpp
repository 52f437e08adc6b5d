// The values of options, from text. Errors are of wrong usage and name the option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::cli {

// Wrong usage of an option.
inline tl::unexpected<Error> bad(std::string_view option, std::string message) {
  return fail(ErrorCode::usage, std::move(message), std::string(option));
}

// A whole number from 1 to `most`.
Result<std::int64_t> parse_count(std::string_view option, const std::string& text, std::int64_t most);

// "128x64x4".
Result<Tile> parse_tile(std::string_view option, const std::string& text);

std::vector<std::string> precision_names();
// In upper or lower case.
Result<DType> parse_precision(std::string_view option, const std::string& text);

// "2026-01-31", "2026-01" or "2026".
Result<std::string> parse_date(std::string_view option, const std::string& date);

// "a,b" as two; an empty element is an error.
Result<std::vector<std::string>> parse_list(std::string_view option, const std::string& text);

// The same, each once.
Result<std::vector<std::string>> parse_names(std::string_view option, const std::string& text);

// "KEY=VALUE,…", each key once.
Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(std::string_view option, const std::string& text);

// "delta", "rooftile", "rooftile=FILE", "roofline", "prior" (miss rates of 1) or "prior=RATE" with a rate from 0 to 1;
// in upper or lower case; with `fitted` any other text is the name or the file of a fitted model.
Result<MethodArgument> parse_method(std::string_view option, const std::string& text, bool fitted);
std::vector<std::string> method_names();

// A number from 0 to 1.
Result<double> parse_rate(std::string_view option, std::string_view text);

// One of `known`, which are in lower case, from upper or lower case.
Result<std::string> parse_choice(std::string_view option, const std::string& text,
                                 const std::vector<std::string>& known);

}  // namespace rooftile::cli
