#include "rooftile/base/strict_json.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

// Deeper than any of Rooftile's formats, shallow enough for any stack.
constexpr std::size_t kMaxDepth = 32;

// Counts what the parser has read, since not each of its errors says where it is.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* next;
  std::size_t* read;

  reference operator*() const { return *next; }
  Cursor& operator++() {
    ++next;
    ++*read;
    return *this;
  }
  bool operator==(const Cursor& other) const { return next == other.next; }
};

std::string location(std::string_view where, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  return fmt::format("{}:{}:{}", where, line, before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: what" -> "what"
std::string reason(const json::exception& error) {
  std::string_view message = error.what();
  const auto drop = [&](std::string_view start, std::string_view end) {
    const std::size_t at = message.find(end);
    if (message.substr(0, start.size()) == start && at != std::string_view::npos) message.remove_prefix(at + 2);
  };
  drop("[json.exception.", "] ");
  drop("parse error at ", ": ");
  return one_line(message);  // it may quote the text at length
}

// Builds the value as the parser reads it. (json::parse() with a callback searches each array again for every element.)
class Builder {
 public:
  // `read`: how far the parser is.
  Builder(std::string_view text, std::string_view where, const std::size_t& read)
      : text_(text), where_(where), read_(read) {}

  Result<json> take() { return error_ ? Result<json>(tl::unexpected(*error_)) : std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t value) { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) { return add(value); }
  bool number_float(json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(json::binary_t&) { return false; }  // not in text
  bool start_object(std::size_t) { return open(json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (!check_depth()) return false;
    const auto [member, is_new] = open_.back()->get_ref<json::object_t&>().emplace(name, nullptr);
    member_ = &member->second;
    return is_new || refuse(fmt::format("duplicate key '{}'", one_line(name)), read_);
  }

  bool parse_error(std::size_t byte, const std::string&, const json::exception& error) {
    const bool syntax = dynamic_cast<const json::parse_error*>(&error) != nullptr;  // else a number beyond double
    return refuse("not JSON: " + reason(error), syntax ? byte : read_);
  }

 private:
  bool refuse(std::string message, std::size_t byte) {
    error_ = Error{ErrorCode::bad_input, std::move(message), location(where_, text_, byte)};
    return false;
  }

  bool check_depth() { return open_.size() <= kMaxDepth || refuse("nested too deeply", read_); }

  // Where the next value stands: last in an array, at the key in an object, or alone.
  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->get_ref<json::array_t&>().emplace_back(std::move(value));
    return &(*member_ = std::move(value));
  }

  bool add(json value) {
    if (!check_depth()) return false;
    place(std::move(value));
    return true;
  }

  bool open(json value) {
    if (!check_depth()) return false;
    open_.push_back(place(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_, where_;
  const std::size_t& read_;  // bytes
  json root_;
  std::vector<json*> open_;  // objects and arrays, from the outermost
  json* member_ = nullptr;   // of the innermost object, whose key came last
  std::optional<Error> error_;
};

}  // namespace

Result<json> parse_strict_json(std::string_view text, std::string_view where) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  }
  std::size_t read = 0;
  Builder builder(text, where, read);
  json::sax_parse(Cursor{text.data(), &read}, Cursor{text.data() + text.size(), &read}, &builder);
  return builder.take();
}

}  // namespace rooftile
