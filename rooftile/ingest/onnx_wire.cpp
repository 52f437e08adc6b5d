// strip_weights: walks the protobuf wire format of an ONNX file and copies everything but the weights. Reading the
// headers of the tensors is enough, so the cost follows the number of tensors, not their size.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/ingest/gzip.hpp"
#include "rooftile/ingest/onnx.hpp"

namespace rooftile {
namespace {

constexpr std::uint64_t kSmallTensor = 1024;                // bytes; up to here a tensor may carry a shape and is kept
constexpr std::size_t kMaxStripped = std::size_t{1} << 25;  // 32 MiB; the largest torchvision model keeps 0.4 MB
constexpr std::size_t kMaxInflated = std::size_t{2} << 30;  // bytes; no protobuf is larger
constexpr int kMaxDepth = 64;                               // nested messages; protobuf itself stops at 100
constexpr std::size_t kMaxMessages = std::size_t{1} << 20;  // each takes some 200 bytes once parsed

// The messages on the way to a tensor (onnx.proto3). `leaf`: copied as it is.
enum class Message { leaf, model, graph, node, attribute, tensor, sparse_tensor, function, training };

struct Child {
  Message parent;
  std::uint64_t field;
  Message message;
};
constexpr std::array kChildren = {
    Child{Message::model, 7, Message::graph},           // ModelProto.graph
    Child{Message::model, 20, Message::training},       // .training_info
    Child{Message::model, 25, Message::function},       // .functions
    Child{Message::training, 1, Message::graph},        // TrainingInfoProto.initialization
    Child{Message::training, 2, Message::graph},        // .algorithm
    Child{Message::function, 7, Message::node},         // FunctionProto.node
    Child{Message::function, 11, Message::attribute},   // .attribute_proto
    Child{Message::graph, 1, Message::node},            // GraphProto.node
    Child{Message::graph, 5, Message::tensor},          // .initializer
    Child{Message::graph, 15, Message::sparse_tensor},  // .sparse_initializer
    Child{Message::sparse_tensor, 1, Message::tensor},  // SparseTensorProto.values
    Child{Message::sparse_tensor, 2, Message::tensor},  // .indices
    Child{Message::node, 5, Message::attribute},        // NodeProto.attribute
    Child{Message::attribute, 5, Message::tensor},      // AttributeProto.t
    Child{Message::attribute, 6, Message::graph},       // .g
    Child{Message::attribute, 10, Message::tensor},     // .tensors
    Child{Message::attribute, 11, Message::graph},      // .graphs
    Child{Message::attribute, 22, Message::sparse_tensor},
    Child{Message::attribute, 23, Message::sparse_tensor},
};

Message child(Message parent, std::uint64_t field) {
  for (const Child& entry : kChildren) {
    if (entry.parent == parent && entry.field == field) return entry.message;
  }
  return Message::leaf;
}

// TensorProto's float_data, int32_data, string_data, int64_data, raw_data, double_data and uint64_data.
bool is_payload(std::uint64_t field) { return (field >= 4 && field <= 7) || field == 9 || field == 10 || field == 11; }
constexpr std::uint64_t kExternalData = 13;  // TensorProto.external_data: a path, never followed

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

class Stripper {
 public:
  explicit Stripper(std::string_view bytes) : bytes_(bytes) {}

  // Appends message `kind`, which lies in [begin, end), to `out`; false: see error().
  bool strip(Message kind, std::size_t begin, std::size_t end, int depth, std::string& out) {
    if (depth > kMaxDepth) return stop(begin, fmt::format("messages are nested more than {} deep", kMaxDepth));
    if (++messages_ > kMaxMessages) return stop(begin, fmt::format("more than {} messages", kMaxMessages));
    bool keep_payload = true;
    if (kind == Message::tensor) {
      std::uint64_t payload = 0;
      for (std::size_t at = begin; at < end;) {
        Field field;
        if (!read(at, end, field)) return false;
        if (is_payload(field.number)) payload += field.end - field.content;
        at = field.end;
      }
      keep_payload = payload <= kSmallTensor;
    }
    for (std::size_t at = begin; at < end;) {
      Field field;
      if (!read(at, end, field)) return false;
      const Message inner = field.has_length ? child(kind, field.number) : Message::leaf;
      if (inner != Message::leaf) {
        std::string content;
        if (!strip(inner, field.content, field.end, depth + 1, content)) return false;
        append_varint(out, field.tag);
        append_varint(out, content.size());
        out += content;
      } else if (kind != Message::tensor ||
                 (field.number != kExternalData && (keep_payload || !is_payload(field.number)))) {
        if (field.end - at > kMaxStripped) return too_large();
        out.append(bytes_.substr(at, field.end - at));
      }
      if (out.size() > kMaxStripped) return too_large();
      at = field.end;
    }
    return true;
  }

  const std::string& error() const { return error_; }

 private:
  struct Field {
    std::uint64_t tag = 0;
    std::uint64_t number = 0;
    bool has_length = false;
    std::size_t content = 0;  // offset of the value
    std::size_t end = 0;      // offset after it
  };

  bool stop(std::size_t at, std::string_view what) {
    error_ = fmt::format("byte {}: {}", at, what);
    return false;
  }

  bool too_large() {
    error_ = fmt::format("more than {} MiB remain without the weights", kMaxStripped >> 20);
    return false;
  }

  bool varint(std::size_t& at, std::size_t end, std::uint64_t& value) {
    const std::size_t start = at;
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end) return stop(start, "the file ends within a number");
      const auto byte = static_cast<unsigned char>(bytes_[at++]);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return stop(start, "a number of more than 64 bits");
  }

  bool read(std::size_t at, std::size_t end, Field& field) {
    const std::size_t start = at;
    if (!varint(at, end, field.tag)) return false;
    field.number = field.tag >> 3;
    if (field.number == 0 || field.tag > 0xffffffff) {
      return stop(start, fmt::format("{} is not a valid protobuf field", field.number));
    }
    std::uint64_t length = 0;
    field.content = at;
    switch (field.tag & 7) {
      case 0:
        if (!varint(at, end, length)) return false;
        field.end = at;
        return true;
      case 1:
        length = 8;
        break;
      case 2:
        if (!varint(at, end, length)) return false;
        field.has_length = true;
        field.content = at;
        break;
      case 5:
        length = 4;
        break;
      default:
        return stop(start, fmt::format("field {} has the unknown wire type {}", field.number, field.tag & 7));
    }
    if (length > end - at) {
      return stop(start, fmt::format("field {} claims {} bytes where {} are left", field.number, length, end - at));
    }
    field.end = at + static_cast<std::size_t>(length);
    return true;
  }

  std::string_view bytes_;
  std::size_t messages_ = 0;
  std::string error_;
};

}  // namespace

Result<std::string> strip_weights(std::string_view bytes, std::string_view where) {
  if (is_gzip(bytes)) {
    const auto inflated = gunzip(bytes, kMaxInflated);
    if (!inflated) return fail(inflated.error().code, inflated.error().message, std::string(where));
    if (is_gzip(*inflated)) return fail(ErrorCode::bad_input, "is compressed twice", std::string(where));
    return strip_weights(*inflated, where);
  }
  Stripper stripper(bytes);
  std::string out;
  if (!stripper.strip(Message::model, 0, bytes.size(), 0, out)) {
    return fail(ErrorCode::bad_input, stripper.error() + "; is this a complete ONNX file?", std::string(where));
  }
  return out;
}

}  // namespace rooftile
