// Feeds arbitrary text to the reader of --where. It must answer with a filter that can be asked about any row, or with
// an error of one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/validate/filter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto filter = rooftile::Filter::parse(text);
  if (!filter) {
    if (!is_one_line_error(filter.error())) std::abort();
    return 0;
  }
  for (const std::string_view cell : {"", "t4", "64", "-1e308"}) {
    static_cast<void>(filter->matches([&](const std::string&) { return cell; }));
  }
  return 0;
}
