// Any text as the output of one of PyTorch's benchmarks: an error, or rows of a layer table.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/store/foreign_rows.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(store::is_benchmark(text));
  const auto read = store::benchmark_rows(text, "benchmark");
  if (!read) {
    require(is_one_line_error(read.error()));
    return 0;
  }
  require(!read->rows.empty() && !read->format.empty());
  for (const CsvRow& row : read->rows) require(row.cells.size() == read->header.cells.size());
  for (const std::string& note : read->notes) require(!note.empty() && !has_control_characters(note));
  return 0;
}
