// Any bytes as a table whose rows are predicted: an error, or times and traffic that are numbers from zero up. The
// first byte picks the options.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/validate/estimate_row.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  if (size == 0) return 0;
  static GpuCache gpus;
  constexpr std::array<Method, 4> kMethods = {Method::rooftile, Method::delta, Method::roofline, Method::prior};
  LayerTableOptions reading;
  reading.gpu = (data[0] & 4) != 0 ? "h100-sxm5-80gb" : "titan-xp";
  reading.skip_bad_rows = true;
  reading.keep_unsupported = (data[0] & 8) != 0;
  PredictOptions options;
  options.method = kMethods[data[0] & 3];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto table = parse_layer_table(text, "fuzz.csv", reading);
  if (!table) return 0;  // fuzz_layer_table.cpp
  for (const LayerRow& row : table->rows) {
    const auto layer = estimate_row(row, options, gpus);
    if (!layer) {
      if (!is_one_line_error(layer.error())) std::abort();
      continue;
    }
    const Traffic& traffic = layer->traffic;
    for (const double number : {layer->time.value(), layer->flops.value(), traffic.l1.value(), traffic.l2.value(),
                                traffic.dram.value(), traffic.store_dram.value(), traffic.compulsory.value()}) {
      if (!(number >= 0) || !std::isfinite(number)) std::abort();
    }
  }
  return 0;
}
