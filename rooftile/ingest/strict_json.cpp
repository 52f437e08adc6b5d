#include "rooftile/ingest/strict_json.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace rooftile {
namespace {

using nlohmann::json;

// Deeper than any of Rooftile's formats, shallow enough for any stack.
constexpr int kMaxDepth = 32;

// What the parser says may quote the text at length.
constexpr std::size_t kMaxMessage = 200;

std::string location(std::string_view where, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  return fmt::format("{}:{}:{}", where, line, before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: what" -> "what"
std::string reason(const json::parse_error& error) {
  std::string message = error.what();
  if (const std::size_t colon = message.find(": "); colon != std::string::npos) message.erase(0, colon + 2);
  if (message.size() > kMaxMessage) message = message.substr(0, kMaxMessage) + "...";
  return message;
}

}  // namespace

Result<json> parse_strict_json(std::string_view text, std::string_view where) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  }
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) throw Error{ErrorCode::bad_input, "nested too deeply", std::string(where)};
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw Error{ErrorCode::bad_input, fmt::format("key '{}' is there twice", parsed.get<std::string>()),
                  std::string(where)};
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const Error& error) {
    return tl::unexpected(error);
  } catch (const json::parse_error& error) {
    return fail(ErrorCode::bad_input, "not JSON: " + reason(error), location(where, text, error.byte));
  } catch (const json::exception& error) {  // a number beyond double
    return fail(ErrorCode::bad_input, std::string("not JSON: ") + error.what(), std::string(where));
  }
}

}  // namespace rooftile
