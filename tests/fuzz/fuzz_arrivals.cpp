// Any text as requests to a server: an error, or requests in the order of arrival.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/server/arrivals.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto requests = read_arrivals(text, "arrivals.csv");
  if (!requests) {
    require(is_one_line_error(requests.error()));
    return 0;
  }
  Seconds last;
  for (const Request& request : *requests) {
    require(request.arrival >= last && std::isfinite(request.arrival.value()));
    require(request.input_tokens >= 1 && request.output_tokens >= 1);
    last = request.arrival;
  }
  return 0;
}
