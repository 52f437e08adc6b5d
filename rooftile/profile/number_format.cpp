#include "rooftile/profile/number_format.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

#include "rooftile/base/parse_number.hpp"

namespace rooftile::profile {
namespace {

// Blanks that group digits in some locales: space, no-break space, narrow no-break space; and the Swiss apostrophe.
constexpr std::array<std::string_view, 5> kOtherGroupSigns = {" ", "\xC2\xA0", "\xE2\x80\xAF", "'", "\xE2\x80\x99"};
constexpr std::size_t kLongest = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Length of a grouping sign other than point and comma at the start of `text`; 0 if there is none.
std::size_t other_group_sign(std::string_view text) {
  for (const std::string_view sign : kOtherGroupSigns) {
    if (text.substr(0, sign.size()) == sign) return sign.size();
  }
  return 0;
}

std::size_t digits_at_start(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

}  // namespace

DecimalEvidence decimal_evidence(std::string_view text) {
  const std::size_t first = text.find_first_of(".,");
  if (first == std::string_view::npos || text.size() > kLongest) return {};
  if (text.find_first_not_of("0123456789.,+-eE") != std::string_view::npos) return {};
  const std::size_t last = text.find_last_of(".,");
  const auto decimal_if = [](char sign) { return sign == '.' ? DecimalSign::point : DecimalSign::comma; };
  const auto grouping_if = [](char sign) { return sign == '.' ? DecimalSign::comma : DecimalSign::point; };
  if (first != last) {  // the same sign twice groups digits; of two signs the last is the decimal one
    return {text[first] == text[last] ? grouping_if(text[first]) : decimal_if(text[last]), false};
  }
  std::string_view before = text.substr(0, first);
  if (!before.empty() && (before[0] == '-' || before[0] == '+')) before.remove_prefix(1);
  const std::string_view after = text.substr(first + 1);
  const std::size_t decimals = digits_at_start(after);
  const bool may_group = !before.empty() && before.size() <= 3 && before[0] != '0' && decimals == 3;
  if (may_group && after.size() == decimals) return {std::nullopt, true};
  return {decimal_if(text[first]), false};
}

std::optional<double> parse_number(std::string_view text, DecimalSign sign) {
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  const char decimal = sign == DecimalSign::point ? '.' : ',';
  const char group = sign == DecimalSign::point ? ',' : '.';
  std::array<char, kLongest> plain{};
  std::size_t size = 0;
  std::size_t digits = 0;  // since the start or the last grouping sign
  bool grouped = false;
  bool whole = true;  // before the decimal sign and the exponent
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t other = other_group_sign(text);
    if (whole && (c == group || other > 0)) {
      if (digits == 0 || digits > 3 || (grouped && digits != 3)) return std::nullopt;
      grouped = true;
      digits = 0;
      text.remove_prefix(c == group ? 1 : other);
      continue;
    }
    if (is_digit(c)) {
      ++digits;
    } else if (c != '-' && c != '+') {
      if (whole && grouped && digits != 3) return std::nullopt;
      whole = false;
    }
    if (c == '.' && decimal != '.') return std::nullopt;
    plain[size++] = c == decimal ? '.' : c;
    text.remove_prefix(1);
  }
  if (whole && grouped && digits != 3) return std::nullopt;
  const std::size_t begin = plain[0] == '+' ? 1 : 0;
  return rooftile::parse_number(std::string_view(plain.data() + begin, size - begin));
}

}  // namespace rooftile::profile
