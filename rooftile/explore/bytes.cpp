#include "rooftile/explore/bytes.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace rooftile {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr unsigned kByte = std::numeric_limits<unsigned char>::digits;

}  // namespace

void ByteWriter::u64(std::uint64_t value) {
  for (std::size_t i = 0; i < kWord; ++i) bytes_ += static_cast<char>(value >> (kByte * i) & 0xFFU);
}

void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::text(std::string_view text) {
  u64(text.size());
  bytes_ += text;
}

std::uint64_t ByteReader::u64() {
  if (!ok_ || left_.size() < kWord) {
    ok_ = false;
    return 0;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kWord; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(left_[i])} << (kByte * i);
  }
  left_.remove_prefix(kWord);
  return value;
}

double ByteReader::f64() { return std::bit_cast<double>(u64()); }

std::size_t ByteReader::count(std::size_t least) {
  const std::uint64_t value = u64();
  if (value > left_.size() / least) ok_ = false;
  return ok_ ? static_cast<std::size_t>(value) : 0;
}

std::string ByteReader::text() {
  const std::size_t size = count(1);
  std::string result(left_.substr(0, size));
  left_.remove_prefix(size);
  return result;
}

std::uint64_t checksum(std::string_view bytes) {
  constexpr std::uint64_t kStart = 0xCBF29CE484222325U, kPrime = 0x100000001B3U;
  std::uint64_t hash = kStart;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

std::string sealed(std::string bytes) {
  ByteWriter seal;
  seal.u64(checksum(bytes));
  return std::move(bytes) + seal.bytes();
}

std::optional<std::string_view> unsealed(std::string_view bytes) {
  if (bytes.size() < kWord) return std::nullopt;
  const std::string_view content = bytes.substr(0, bytes.size() - kWord);
  if (ByteReader(bytes.substr(content.size())).u64() != checksum(content)) return std::nullopt;
  return content;
}

}  // namespace rooftile
