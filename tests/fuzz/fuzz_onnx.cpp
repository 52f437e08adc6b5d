// Any bytes as an ONNX file: strip_weights() and parse_onnx() answer with a workload or one line, and stripping twice
// changes nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/ingest/onnx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto stripped = strip_weights(bytes, "fuzz")) {
    const auto again = strip_weights(*stripped, "fuzz");
    if (!again || *again != *stripped) std::abort();
  } else if (!is_one_line_error(stripped.error())) {
    std::abort();
  }
  const auto unsupported = parse_unsupported_operators(bytes, "fuzz");
  if (!unsupported && !is_one_line_error(unsupported.error())) std::abort();
  for (const bool skip : {false, true}) {
    const auto workload = parse_onnx(bytes, "fuzz", "fuzz", {.batch_size = 4, .skip_unsupported = skip});
    if (workload ? !validate(*workload) : !is_one_line_error(workload.error())) std::abort();
  }
  return 0;
}
