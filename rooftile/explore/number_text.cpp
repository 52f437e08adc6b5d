// The digits are found as in Raffaello Giulietti, "The Schubfach way to render doubles" (2020), for numbers whose power
// of ten has at most 128 bits, so that all products are exact; std::to_chars writes the others.
#include "rooftile/explore/number_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace rooftile {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr int kMantissaBits = 52;
constexpr std::uint64_t kHidden = std::uint64_t{1} << kMantissaBits;  // the bit that is not stored
constexpr int kExponentBias = 1023 + kMantissaBits;

// 10^n with its highest bit first, exact: 5^55 has 128 bits.
constexpr int kPowers = 56;
struct Powers {
  std::array<std::uint64_t, kPowers> high{}, low{};
};
constexpr Powers powers_of_ten() {
  Powers powers;
  Uint128 five = 1;
  for (std::size_t n = 0; n < kPowers; ++n, five *= 5) {
    Uint128 first = five;
    while ((first >> 127) == 0) first <<= 1;
    powers.high[n] = static_cast<std::uint64_t>(first >> 64);
    powers.low[n] = static_cast<std::uint64_t>(first);
  }
  return powers;
}
constexpr Powers kPowersOfTen = powers_of_ten();

// floor(e log10 2) and floor(e log2 10), for the e that occur here.
constexpr int floor_log10_of_2(int e) { return (e * 1262611) >> 22; }
constexpr int floor_log2_of_10(int e) { return (e * 1741647) >> 19; }

// The highest 64 bits of power * factor; the last one also says that others follow.
std::uint64_t scaled(std::size_t power, std::uint64_t factor) {
  const Uint128 low = static_cast<Uint128>(kPowersOfTen.low[power]) * factor;
  const Uint128 sum = static_cast<Uint128>(kPowersOfTen.high[power]) * factor + static_cast<std::uint64_t>(low >> 64);
  const bool rest = static_cast<std::uint64_t>(sum) != 0 || static_cast<std::uint64_t>(low) != 0;
  return static_cast<std::uint64_t>(sum >> 64) | static_cast<std::uint64_t>(rest);
}

constexpr std::uint64_t kTenTo8 = 100000000, kTenTo16 = kTenTo8 * kTenTo8;
constexpr int kMostDigits = 17;  // that any double needs at most

// Without a branch, which would be guessed wrong half of the time.
std::uint64_t chosen(bool first, std::uint64_t yes, std::uint64_t no) {
  return no + (yes - no) * static_cast<std::uint64_t>(first);
}

// digits * 10^exponent, 10^16 <= digits < 10^17.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

// The shortest digits between the middles to the neighbours of mantissa * 2^exponent, of several the nearest, filled up
// with zeros. 2^52 < mantissa < 2^53: the neighbours are equally far.
Decimal shortest(std::uint64_t mantissa, int exponent) {
  const int k = floor_log10_of_2(exponent);
  const auto power = static_cast<std::size_t>(-k);
  const int shift = exponent + floor_log2_of_10(-k) + 1;
  // Four times the number and its two limits, in units of 10^k. Of even mantissas the limits count.
  const std::uint64_t odd = mantissa & 1;
  const std::uint64_t low = scaled(power, (4 * mantissa - 2) << shift) + odd;
  const std::uint64_t at = scaled(power, (4 * mantissa) << shift);
  const std::uint64_t high = scaled(power, (4 * mantissa + 2) << shift) - odd;
  const std::uint64_t unit = at / 4, ten = unit / 10;
  const bool ten_below = low <= 40 * ten, ten_above = 40 * ten + 40 <= high;
  const bool below = low <= 4 * unit, above = 4 * unit + 4 <= high;
  const bool nearer_above = at > 4 * unit + 2 - (unit & 1);
  const std::uint64_t by_unit = unit + chosen(below != above, above, nearer_above);
  const std::uint64_t by_ten = 10 * (ten + static_cast<std::uint64_t>(ten_above));
  const std::uint64_t digits = chosen(ten_below != ten_above, by_ten, by_unit);
  const bool sixteen = digits < kTenTo16;
  return {chosen(sixteen, 10 * digits, digits), k - static_cast<int>(sixteen)};
}

// The eight digits of a number below 10^8, the first one in the lowest byte.
std::uint64_t eight_digits(std::uint64_t number) {
  const std::uint64_t fours = number / 10000 | number % 10000 << 32;
  const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;  // fours / 100
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;  // twos / 10
  return tens | (twos - 10 * tens) << 8;
}

void write_eight(char* at, std::uint64_t digits) {
  static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
  digits |= 0x3030303030303030;  // '0'
  std::memcpy(at, &digits, sizeof digits);
}

char* write_decimal(char* at, Decimal number) {
  const std::uint64_t tail = number.digits % kTenTo16;
  const char first = static_cast<char>('0' + number.digits / kTenTo16);
  const std::uint64_t upper = eight_digits(tail / kTenTo8), lower = eight_digits(tail % kTenTo8);
  const int zeros = lower != 0 ? std::countl_zero(lower) / 8 : 8 + std::countl_zero(upper) / 8;
  const int count = kMostDigits - zeros;
  const int power = number.exponent + kMostDigits - 1;  // of the first digit
  // The shorter of the two notations, as to_chars has it.
  const int scientific = (count == 1 ? 1 : count + 1) + 4;
  if (power < 0 && 1 - power + count <= scientific) {
    std::copy_n("0.000000", 8, at);
    at += 1 - power;
    at[0] = first;
    write_eight(at + 1, upper);
    write_eight(at + 9, lower);
    return at + count;
  }
  const bool whole = power >= count - 1;
  const bool fixed = power >= 0 && (!whole || power + 1 <= scientific);
  at[0] = first;
  if (whole && fixed) {
    write_eight(at + 1, upper);
    write_eight(at + 9, lower);
    return at + power + 1;
  }
  at[1] = '.';
  write_eight(at + 2, upper);
  write_eight(at + 10, lower);
  if (fixed) {
    std::memmove(at + 1, at + 2, static_cast<std::size_t>(power));
    at[power + 1] = '.';
    return at + count + 1;
  }
  at += count == 1 ? 1 : count + 1;
  at[0] = 'e';
  at[1] = power < 0 ? '-' : '+';
  const int size = power < 0 ? -power : power;
  at[2] = static_cast<char>('0' + size / 10);
  at[3] = static_cast<char>('0' + size % 10);
  return at + 4;
}

}  // namespace

char* write_number(char* at, double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  if (bits == 0) {
    *at = '0';
    return at + 1;
  }
  const int exponent = static_cast<int>(bits >> kMantissaBits) - kExponentBias;  // a sign makes it large
  const std::uint64_t mantissa = bits & (kHidden - 1);
  // Not powers of two, whose lower neighbour is nearer.
  if (mantissa == 0 || exponent > 0 || floor_log10_of_2(exponent) <= -kPowers) {
    return std::to_chars(at, at + kLongestNumber, number).ptr;
  }
  return write_decimal(at, shortest(mantissa | kHidden, exponent));
}

}  // namespace rooftile
