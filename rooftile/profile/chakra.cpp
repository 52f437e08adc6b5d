// Execution traces of MLCommons' Chakra (schema/protobuf/et_def.proto), as `rooftile parallelise --chakra` writes them:
// what is computed, with its operations and bytes. Nodes that communicate are left out.
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/readers.hpp"

namespace rooftile::profile {
namespace {

constexpr double kTick = 1e-6;  // of times, in seconds

// Fields of a message of protocol buffers, one after another (protobuf.dev/programming-guides/encoding).
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  struct Field {
    std::uint64_t number = 0, value = 0;  // the value of a varint
    std::string_view bytes;               // of what has a length
  };

  // None at the end, or where the bytes are no message: bad() tells.
  std::optional<Field> next() {
    if (bytes_.empty() || bad_) return std::nullopt;
    constexpr std::uint64_t kWire = 7;
    constexpr int kNumberBits = 3;
    const std::uint64_t key = varint();
    Field field;
    field.number = key >> kNumberBits;
    switch (key & kWire) {
      case 0:
        field.value = varint();
        break;
      case 1:
        field.bytes = take(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        field.bytes = take(4);
        break;
      default:
        bad_ = true;
    }
    if (field.number == 0) bad_ = true;
    return bad_ ? std::nullopt : std::optional(field);
  }

  // What a length stands before.
  std::optional<std::string_view> next_delimited() {
    if (bytes_.empty() || bad_) return std::nullopt;
    const std::string_view message = take(varint());
    return bad_ ? std::nullopt : std::optional(message);
  }

  bool bad() const { return bad_; }

 private:
  std::uint64_t varint() {
    constexpr int kBits = 7, kMost = 64;
    constexpr unsigned kMore = 0x80;
    std::uint64_t value = 0;
    for (int shift = 0; shift < kMost && !bytes_.empty(); shift += kBits) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & (kMore - 1)) << shift;
      if ((byte & kMore) == 0) return value;
    }
    bad_ = true;
    return 0;
  }

  std::string_view take(std::uint64_t count) {
    if (bad_ || count > bytes_.size()) {
      bad_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
  bool bad_ = false;
};

struct Attribute {
  std::string_view name, text;
  double value = 0;  // of whole numbers
};

Attribute attribute_of(std::string_view bytes) {
  Attribute attribute;
  Fields fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number == 1) {
      attribute.name = field->bytes;
    } else if (field->bytes.empty()) {
      attribute.value = static_cast<double>(field->value);
    } else {
      attribute.text = field->bytes;
    }
  }
  return attribute;
}

class ChakraReader {
 public:
  explicit ChakraReader(const ProfileOptions& options) : options_(options) {
    profile_.format = "Chakra execution trace";
  }

  Result<Profile> read(std::string_view text, std::string_view where) {
    Fields messages(text);
    const auto head = messages.next_delimited();
    if (head) read_head(*head);
    for (std::size_t number = 1; const auto node = messages.next_delimited(); ++number) {
      if (std::string wrong = read_node(*node, number); !wrong.empty()) profile_.drop(number, std::move(wrong));
    }
    if (messages.bad()) {
      return fail(ErrorCode::bad_input, fmt::format("{}: ends within a message", profile_.format), std::string(where));
    }
    if (profile_.predicted) profile_.notes.emplace_back("predicted by Rooftile: nothing was measured");
    if (communicating_ > 0) profile_.notes.push_back(fmt::format("left out: {} that communicate", communicating_));
    return std::move(profile_);
  }

 private:
  void read_head(std::string_view bytes) {
    Fields fields(bytes);
    while (const auto field = fields.next()) {
      constexpr std::uint64_t kAttributes = 2;
      if (field->number != kAttributes) continue;
      const Attribute attribute = attribute_of(field->bytes);
      if (attribute.name == "writer") profile_.predicted = attribute.text == "rooftile";
      if (attribute.name == "gpu") profile_.gpu = attribute.text;
    }
  }

  // What keeps a node from being a kernel or one that is left out; empty: nothing.
  std::string read_node(std::string_view bytes, std::size_t number) {
    constexpr std::uint64_t kName = 2, kType = 3, kStart = 6, kDuration = 7, kAttributes = 10;
    constexpr std::uint64_t kComputes = 4, kLastCommunicating = 7;
    KernelProfile kernel;
    kernel.line = number;
    kernel.compute_capability = options_.compute_capability;
    kernel.metrics = MetricSet(names_);
    std::uint64_t type = 0;
    double duration = 0, start = 0;
    Fields fields(bytes);
    while (const auto field = fields.next()) {
      switch (field->number) {
        case kName:
          kernel.name = one_line(field->bytes, 200);
          break;
        case kType:
          type = field->value;
          break;
        case kStart:
          start = static_cast<double>(field->value);
          break;
        case kDuration:
          duration = static_cast<double>(field->value);
          break;
        case kAttributes:
          take(attribute_of(field->bytes), kernel);
          break;
        default:
          break;
      }
    }
    if (fields.bad()) return "is no message";
    if (type > kComputes && type <= kLastCommunicating) ++communicating_;
    if (std::exchange(cpu_, false) || type != kComputes) return "";
    if (kernel.name.empty()) return "has no name";
    if (duration <= 0) return fmt::format("'{}' takes no time", one_line(kernel.name, 80));
    kernel.time = Seconds(duration * kTick);
    kernel.start = Seconds(start * kTick);
    profile_.kernels.push_back(std::move(kernel));
    return "";
  }

  // Operations are those of the whole node, most of them on tensor cores; the schema does not tell.
  void take(const Attribute& attribute, KernelProfile& kernel) {
    if (attribute.name == "is_cpu_op") cpu_ = attribute.value != 0;
    if (!is_metric(attribute.value)) return;
    if (attribute.name == "num_ops") {
      kernel.metrics.set(kTensorFlops, attribute.value);
      kernel.metrics.set(kCudaFlops, 0);
    }
    if (attribute.name == "tensor_size") kernel.metrics.set(kDramBytes, attribute.value);
  }

  const ProfileOptions& options_;
  Profile profile_;
  std::shared_ptr<MetricNames> names_ = std::make_shared<MetricNames>();
  std::size_t communicating_ = 0;
  bool cpu_ = false;  // the node that is read is the host's
};

}  // namespace

// A short message first, which begins with the schema's version: "\x0a" and the length of "0.0.4".
bool is_chakra(std::string_view text) {
  Fields messages(text);
  const auto head = messages.next_delimited();
  if (!head || head->empty()) return false;
  Fields fields(*head);
  const auto version = fields.next();
  if (!version || version->number != 1 || version->bytes.empty()) return false;
  return version->bytes.find_first_not_of("0123456789.") == std::string_view::npos;
}

Result<Profile> read_chakra(std::string_view text, std::string_view where, const ProfileOptions& options) {
  return ChakraReader(options).read(text, where);
}

}  // namespace rooftile::profile
