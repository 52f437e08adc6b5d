// Feeds arbitrary text to the reader of calibrations. It must answer with constants within their bounds, which it reads
// back from what it writes, or with an error of one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/calibration/calibration.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto calibration = rooftile::parse_calibration(text, "fuzz.toml");
  if (!calibration) {
    require(is_one_line_error(calibration.error()));
    return 0;
  }
  for (const rooftile::CalibrationEntry& entry : calibration->entries) {
    const auto table = rooftile::constant_table(entry.family);
    for (std::size_t i = 0; i < table.size(); ++i) {
      require(entry.constants.values[i] >= table[i].low && entry.constants.values[i] <= table[i].high);
    }
  }
  require(rooftile::parse_calibration(rooftile::write_calibration(*calibration), "written.toml").has_value());
  return 0;
}
