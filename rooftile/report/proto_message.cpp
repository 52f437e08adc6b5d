#include "rooftile/report/proto_message.hpp"

namespace rooftile {
namespace {

enum class WireType : unsigned { varint = 0, length = 2 };

void put_varint(std::string& to, std::uint64_t value) {
  constexpr std::uint64_t kBits = 7, kMore = 0x80;
  for (; value >= kMore; value >>= kBits) to += static_cast<char>(value | kMore);
  to += static_cast<char>(value);
}

void put_tag(std::string& to, int field, WireType type) {
  constexpr int kTypeBits = 3;
  put_varint(to, static_cast<std::uint64_t>(field) << kTypeBits | static_cast<std::uint64_t>(type));
}

}  // namespace

void ProtoMessage::number(int field, std::uint64_t value) {
  put_tag(bytes_, field, WireType::varint);
  put_varint(bytes_, value);
}

void ProtoMessage::text(int field, std::string_view text) {
  put_tag(bytes_, field, WireType::length);
  put_varint(bytes_, text.size());
  bytes_ += text;
}

void ProtoMessage::numbers(int field, std::span<const std::uint64_t> values) {
  if (values.empty()) return;
  std::string packed;
  for (const std::uint64_t value : values) put_varint(packed, value);
  text(field, packed);
}

std::string ProtoMessage::delimited() const {
  std::string text;
  put_varint(text, bytes_.size());
  return text + bytes_;
}

}  // namespace rooftile
