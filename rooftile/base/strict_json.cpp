#include "rooftile/base/strict_json.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

// Deeper than any of Rooftile's formats, shallow enough for any stack.
constexpr int kMaxDepth = 32;

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

}  // namespace

Result<json> parse_strict_json(std::string_view text, std::string_view where) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  }
  std::size_t read = 0;
  const auto here = [&] { return location(where, text, read); };
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) throw Error{ErrorCode::bad_input, "nested too deeply", here()};
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw Error{ErrorCode::bad_input, fmt::format("duplicate key '{}'", one_line(parsed.get<std::string>())), here()};
    }
    return true;
  };
  try {
    return json::parse(Cursor{text.data(), &read}, Cursor{text.data() + text.size(), &read}, watch);
  } catch (const Error& error) {
    return tl::unexpected(error);
  } catch (const json::parse_error& error) {
    return fail(ErrorCode::bad_input, "not JSON: " + reason(error), location(where, text, error.byte));
  } catch (const json::exception& error) {  // a number beyond double
    return fail(ErrorCode::bad_input, "not JSON: " + reason(error), here());
  }
}

}  // namespace rooftile
