// The content of a small file: workload JSON, a layer table. ("-" is standard input.)
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/base/error.hpp"

namespace rooftile {

constexpr std::size_t kMaxTextFile = std::size_t{256} << 20;  // bytes; far above any table, far below any memory
constexpr std::size_t kMaxTomlFile = std::size_t{1} << 20;    // bytes; people write these

// Errors: those of InputFile::open(), larger than `limit` bytes.
Result<std::string> read_text_file(const std::string& path, std::size_t limit = kMaxTextFile);

}  // namespace rooftile
