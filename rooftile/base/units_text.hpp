// Quantities as text: "50 MiB", "3.35 TB/s", "1.58 GHz", "486 cycles".
//
// Decimal prefixes (k, M, G, T, P) are powers of 1000, binary ones (Ki, Mi, Gi, Ti) powers of 1024, m/u/n are
// milli, micro and nano. A number without a unit, an unknown unit, or a number that is not finite is an error.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile {

// Reads a quantity; Q is any of the names of units.hpp. The error names the text and the units that fit.
template <class Q>
Result<Q> parse(std::string_view text);

// Prints with four significant digits and the prefix that suits: "1.05 TB/s". Bytes take binary prefixes.
template <class Q>
std::string print(Q quantity);

}  // namespace rooftile
