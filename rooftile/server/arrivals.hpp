// Requests to a server of language models, and when they arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile {

struct Request {
  Seconds arrival;
  std::int64_t input_tokens = 1, output_tokens = 1;
};

// `count` requests alike, at random with exponential gaps: the same for a seed on every platform. The rate is in
// requests a second.
std::vector<Request> poisson_arrivals(double rate, std::size_t count, std::int64_t input_tokens,
                                      std::int64_t output_tokens, std::uint64_t seed = 1);

// A CSV with columns arrival_s, input_tokens, output_tokens, in the order of arrival; `where` names it in errors.
// Errors: no rows, a missing column, a cell that is none, arrivals out of order; with file and line.
Result<std::vector<Request>> read_arrivals(std::string_view csv, std::string_view where);

}  // namespace rooftile
