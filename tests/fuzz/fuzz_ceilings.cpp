// Any text as ceilings that somebody measured: an error, or a roof to draw.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/roofline/ceilings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto roof = roofline::parse_ceilings(text, "ceilings.toml", Seconds(1e-6));
  if (!roof) {
    require(is_one_line_error(roof.error()));
    return 0;
  }
  require(!roof->levels.empty());
  for (const roofline::RoofLevel& level : roof->levels) require(is_positive(level.bandwidth.value()));
  return 0;
}
