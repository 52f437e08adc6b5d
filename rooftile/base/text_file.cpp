#include "rooftile/base/text_file.hpp"

#include <fmt/format.h>

#include "rooftile/base/input_file.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

tl::unexpected<Error> too_large(const std::string& where, std::size_t limit) {
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  return fail(
      ErrorCode::io,
      limit < kMebi ? fmt::format("larger than {} bytes", limit) : fmt::format("larger than {} MiB", limit / kMebi),
      where);
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t limit) {
  InputFile file = TRY(InputFile::open(path));
  if (file.size() > limit) return too_large(file.name(), limit);
  std::string text, block(std::size_t{1} << 16, '\0');
  text.reserve(file.size());
  while (const std::size_t got = TRY(file.read(block.data(), block.size()))) {
    if (text.size() + got > limit) return too_large(file.name(), limit);
    text.append(block, 0, got);
  }
  return text;
}

}  // namespace rooftile
