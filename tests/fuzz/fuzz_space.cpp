// Any text as a design space: an error, or a space whose designs can be counted and fit its axes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/explore/explore_state.hpp"
#include "rooftile/explore/space.hpp"
#include "rooftile/explore/space_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto space = parse_space(text, "fuzz.toml");
  if (!space) {
    if (!is_one_line_error(space.error())) std::abort();
    return 0;
  }
  if (blocks_of(*space) < 1) std::abort();
  return 0;
}
