#include "rooftile/cli/page_width.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rooftile/cli/values.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {

std::size_t page_width(const std::string& path) {
  constexpr std::size_t kLeast = 80;
  if (!path.empty() && path != "-") return kAnyWidth;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const auto number = parse_count("COLUMNS", columns, std::numeric_limits<std::int32_t>::max());
    if (number) return std::max(kLeast, static_cast<std::size_t>(*number));
  }
  if (::isatty(STDOUT_FILENO) != 1) return kAnyWidth;
  struct winsize size = {};
  // mpirun gives its ranks terminals without a size, whatever it does with what they print.
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kAnyWidth;
  return std::max<std::size_t>(kLeast, size.ws_col);
}

}  // namespace rooftile::cli
