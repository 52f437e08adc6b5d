// Reading a JSON object key by key: each getter checks the type, and finish() rejects what nobody asked for. Errors
// are thrown as Error with the JSON path as `where`, for the one function that reads a file to catch. For .cpp files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "rooftile/base/error.hpp"

namespace rooftile {

struct Range {
  std::int64_t least;
  std::int64_t most;
};

[[noreturn]] void reject(const std::string& path, std::string message, ErrorCode code = ErrorCode::bad_input);

// "a, b or c" for messages, with the one that `wanted` may mean.
[[noreturn]] void reject_choice(const std::string& path, const std::string& wanted,
                                const std::vector<std::string>& choices);

// The value of `result`; its error is thrown, with the place where it was met.
template <class T>
T or_reject(Result<T> result, const std::string& path) {
  if (!result) reject(path, result.error().message, result.error().code);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::int64_t as_integer(const nlohmann::json& value, const std::string& path, Range range);
std::string as_text(const nlohmann::json& value, const std::string& path);
std::vector<std::int64_t> as_integers(const nlohmann::json& value, const std::string& path, Range range);

class Fields {
 public:
  // `path` is empty for the whole file. Throws if `object` is none.
  Fields(const nlohmann::json& object, std::string path);

  // Where the value of `key` stands: "ops[3].stride".
  std::string path(const std::string& key) const;
  const std::string& path() const { return path_; }

  // Null if absent. Each of these makes the key a known one.
  const nlohmann::json* find(const std::string& key);
  const nlohmann::json& require(const std::string& key);

  std::string text(const std::string& key);
  std::optional<std::int64_t> integer(const std::string& key, Range range);
  bool flag(const std::string& key, bool fallback);
  const nlohmann::json& list(const std::string& key);  // an empty list if absent

  // Throws for the first key that nobody asked for.
  void finish() const;

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::vector<std::string> known_;
};

}  // namespace rooftile
