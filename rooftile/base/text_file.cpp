#include "rooftile/base/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace rooftile {
namespace {

Result<std::string> read_all(std::FILE* file, const std::string& where, std::size_t limit) {
  std::string text;
  std::array<char, 65536> block{};
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file)) {
    if (text.size() + size > limit) return fail(ErrorCode::io, fmt::format("longer than {} bytes", limit), where);
    text.append(block.data(), size);
  }
  if (std::ferror(file) != 0) return fail(ErrorCode::io, "cannot be read", where);
  return text;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t limit) {
  if (path == "-") return read_all(stdin, "standard input", limit);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return fail(ErrorCode::io, "is a directory", path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return fail(ErrorCode::io, std::strerror(errno), path);
  return read_all(file.get(), path, limit);
}

}  // namespace rooftile
