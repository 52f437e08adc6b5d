// A message of protocol buffers, field by field (protobuf.dev/programming-guides/encoding).
//
//     ProtoMessage name;
//     name.text(1, "ab");
//     name.number(2, 300);
//     assert(name.bytes() == "\x0a\x02" "ab" "\x10\xac\x02");
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rooftile {

class ProtoMessage {
 public:
  // int32, int64, uint64, bool and enumerations; none of them below zero.
  void number(int field, std::uint64_t value);
  void text(int field, std::string_view text);  // string and bytes
  void message(int field, const ProtoMessage& message) { text(field, message.bytes_); }
  void numbers(int field, std::span<const std::uint64_t> values);  // repeated, packed; nothing where there are none

  const std::string& bytes() const { return bytes_; }
  // Its length, then itself: how streams hold one message after another.
  std::string delimited() const;

 private:
  std::string bytes_;
};

}  // namespace rooftile
