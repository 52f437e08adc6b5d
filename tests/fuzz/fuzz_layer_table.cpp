// Any bytes as a layer table: an error, or rows whose cells are all there. The first byte picks the options.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/base/csv.hpp"
#include "rooftile/ingest/layer_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  if (size == 0) return 0;
  LayerTableOptions options;
  if ((data[0] & 1) != 0) options.gpu = "t4";
  if ((data[0] & 2) != 0) options.precision = "fp16";
  options.override_cells = (data[0] & 4) != 0;
  options.skip_bad_rows = (data[0] & 8) != 0;
  options.keep_unsupported = (data[0] & 16) != 0;
  options.measurements = (data[0] & 32) != 0;
  if ((data[0] & 64) != 0) options.ignore = {"algorithm", "K"};
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto table = parse_layer_table(text, "fuzz", options);
  if (!table) {
    if (!is_one_line_error(table.error())) std::abort();
    return 0;
  }
  for (const Error& bad : table->bad_rows) {
    if (!is_one_line_error(bad)) std::abort();
  }
  for (const LayerRow& row : table->rows) {
    if (row.cells.size() != table->columns.size()) std::abort();
    // What is written reads back.
    const auto again = parse_csv(write_csv_row(row.cells), "again");
    if (!again || again->size() != 1 || again->front().cells != row.cells) std::abort();
  }
  return 0;
}
