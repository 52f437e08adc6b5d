// Numbers as profilers print them, which group digits and choose the decimal sign by the user's locale:
// "1,234.5", "1.234,5", "1 234,5", "1'234.5", "4.0e-05".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rooftile::profile {

enum class DecimalSign { point, comma };

// What one number says of the locale: the decimal sign, or that its one sign may be either ("117.344").
struct DecimalEvidence {
  std::optional<DecimalSign> sign;
  bool ambiguous = false;
};
DecimalEvidence decimal_evidence(std::string_view text);

// The number, or nothing where the text is none in that notation (digits are grouped by three or not at all). "nan"
// and "inf" are numbers here; the caller judges them.
std::optional<double> parse_number(std::string_view text, DecimalSign sign);

}  // namespace rooftile::profile
