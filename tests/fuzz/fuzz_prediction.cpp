// Any text as a prediction in JSON, beside a whole one and itself: an error, or a comparison that a terminal can show.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/report/report.hpp"

namespace {

constexpr std::string_view kWhole =
    R"({"schema": "rooftile/prediction/1", "model": "m", "gpu": "t4", "batch_size": 8, "precision": "fp32",
 "method": "rooftile", "time_s": 0.5, "layers": [{"name": "conv1", "time_s": 0.5, "bottleneck": "dram"}]})";

void compare(std::string_view a, std::string_view b) {
  const auto report = rooftile::diff_report(a, "a.json", b, "b.json");
  if (!report) {
    if (!is_one_line_error(report.error())) std::abort();
    return;
  }
  std::string line = *report;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  if (rooftile::has_control_characters(line)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  compare(text, kWhole);
  compare(text, text);
  return 0;
}
