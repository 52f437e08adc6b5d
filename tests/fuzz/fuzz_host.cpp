// Any text as the machine around a GPU: an error, or a host within its ranges.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/hosts/host_machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto host = parse_host_machine(text, "host.toml");
  if (!host) {
    require(is_one_line_error(host.error()));
    return 0;
  }
  require(!host->id.empty() && is_positive(host->cores) && is_positive(host->disk.value()));
  for (const Seconds time : {host->decode, host->augment, host->tokenise, host->environment_step}) {
    require(is_positive(time.value()));
  }
  require(!host->price || is_positive(host->price->value()));
  return 0;
}
