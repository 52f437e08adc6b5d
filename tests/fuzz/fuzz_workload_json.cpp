// Any bytes as workload JSON or a captured step: an error, or a valid workload that survives writing and reading. The
// first byte picks the batch size.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/ingest/workload_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  if (size == 0) return 0;
  std::optional<std::int64_t> batch_size;
  if (data[0] % 4 == 1) batch_size = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto workload = parse_workload_json(text, "fuzz", batch_size);
  if (!workload) {
    if (!is_one_line_error(workload.error())) std::abort();
    return 0;
  }
  if (!validate(*workload)) std::abort();
  if (workload->captured) return 0;  // a step, which is written in its own form
  const auto again = parse_workload_json(write_workload_json(*workload), "again");
  if (!again || *again != *workload) std::abort();
  return 0;
}
