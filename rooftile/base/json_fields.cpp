#include "rooftile/base/json_fields.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"

namespace rooftile {

using nlohmann::json;

namespace {

// For messages: what stands where something else is needed.
std::string describe(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "a string";
  return value.dump();
}

}  // namespace

void reject(const std::string& path, std::string message, ErrorCode code) {
  throw Error{code, std::move(message), path};
}

void reject_choice(const std::string& path, const std::string& wanted, const std::vector<std::string>& choices) {
  reject(
      path,
      fmt::format("'{}' is not one of {}{}", one_line(wanted), fmt::join(choices, ", "), did_you_mean(wanted, choices)),
      ErrorCode::not_found);
}

std::int64_t as_integer(const json& value, const std::string& path, Range range) {
  if (!value.is_number_integer()) reject(path, fmt::format("a whole number is needed, not {}", describe(value)));
  // An unsigned number beyond int64 would wrap around.
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(range.most);
  const std::int64_t number = fits ? value.get<std::int64_t>() : 0;
  if (!fits || number < range.least || number > range.most) {
    reject(path, fmt::format("{} is not between {} and {}", value.dump(), range.least, range.most));
  }
  return number;
}

std::string as_text(const json& value, const std::string& path) {
  if (!value.is_string()) reject(path, fmt::format("must be a string, not {}", describe(value)));
  std::string text = value.get<std::string>();
  if (has_control_characters(text)) reject(path, fmt::format("'{}' contains a control character", one_line(text)));
  return text;
}

std::vector<std::int64_t> as_integers(const json& value, const std::string& path, Range range) {
  if (!value.is_array()) reject(path, fmt::format("a list of whole numbers is needed, not {}", describe(value)));
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < value.size(); ++i) {
    numbers.push_back(as_integer(value[i], fmt::format("{}[{}]", path, i), range));
  }
  return numbers;
}

Fields::Fields(const json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) reject(path_, fmt::format("an object is needed, not {}", describe(object)));
}

std::string Fields::path(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

const json* Fields::find(const std::string& key) {
  known_.push_back(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const json& Fields::require(const std::string& key) {
  const json* value = find(key);
  if (value == nullptr) reject(path_, fmt::format("'{}' is missing", key));
  return *value;
}

std::string Fields::text(const std::string& key) { return as_text(require(key), path(key)); }

std::optional<std::int64_t> Fields::integer(const std::string& key, Range range) {
  const json* value = find(key);
  if (value == nullptr) return {};
  return as_integer(*value, path(key), range);
}

bool Fields::flag(const std::string& key, bool fallback) {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) reject(path(key), fmt::format("true or false is needed, not {}", describe(*value)));
  return value->get<bool>();
}

const json& Fields::list(const std::string& key) {
  static const json empty = json::array();
  const json* value = find(key);
  if (value == nullptr) return empty;
  if (!value->is_array()) reject(path(key), fmt::format("a list is needed, not {}", describe(*value)));
  return *value;
}

void Fields::finish() const {
  for (const auto& item : object_.items()) {
    if (std::find(known_.begin(), known_.end(), item.key()) != known_.end()) continue;
    reject(path(item.key()), "unknown key" + did_you_mean(item.key(), known_), ErrorCode::not_found);
  }
}

}  // namespace rooftile
