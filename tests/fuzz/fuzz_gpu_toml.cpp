// Feeds arbitrary text to the reader of GPU files. It must answer with a GPU whose numbers are finite and positive,
// or with an error of one line; it must not crash, hang or read out of bounds.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/gpu/catalogue.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool usable(double number) { return std::isfinite(number) && number > 0; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto gpu = rooftile::parse_gpu(text, "fuzz.toml");
  if (!gpu) {
    require(is_one_line_error(gpu.error()));
    return 0;
  }
  require(usable(gpu->sm_count) && usable(gpu->clock.value()) && usable(gpu->peak(rooftile::Peak::fp32).value()));
  for (const char* name : {"L1", "L2", "DRAM"}) {
    const rooftile::MemoryLevel& level = gpu->level(name);
    require(usable(level.bandwidth.value()) && usable(level.latency.value()) && usable(level.capacity.value()));
  }
  for (const rooftile::Fact& fact : gpu->facts) require(!fact.source.empty());
  return 0;
}
