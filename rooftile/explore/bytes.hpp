// Numbers and text as bytes that any machine reads alike: little-endian, 64 bits each, with a checksum over the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rooftile {

class ByteWriter {
 public:
  void u64(std::uint64_t value);
  void f64(double value);            // every bit
  void text(std::string_view text);  // its length, then itself
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, in the same order. Beyond the end, everything is zero and ok() false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  std::uint64_t u64();
  double f64();
  std::string text();
  // A number of things that take at least `least` bytes each; more than can follow: zero, and not ok().
  std::size_t count(std::size_t least);
  bool ok() const { return ok_; }
  bool ended() const { return ok_ && left_.empty(); }

 private:
  std::string_view left_;
  bool ok_ = true;
};

// The FNV-1a hash of 64 bits (Fowler, Noll, Vo): any change of one byte changes it.
std::uint64_t checksum(std::string_view bytes);

// The bytes with their checksum behind them, and without it again: none where it is not theirs.
std::string sealed(std::string bytes);
std::optional<std::string_view> unsealed(std::string_view bytes);

}  // namespace rooftile
