// What others write, as rows of a layer table: profiles, and the output of PyTorch's benchmarks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/error.hpp"

namespace rooftile::store {

struct ForeignRows {
  std::string format;
  std::string date;  // as the file says it; else empty
  CsvRow header{};
  std::vector<CsvRow> rows{};
  std::vector<std::string> notes{};  // one line each
};

// Every kernel of a profile, as a row of the op `kernel`. Errors: those of read_profile().
Result<ForeignRows> profile_rows(std::string_view text, std::string_view where);

// Whether the text is what one of PyTorch's benchmarks writes.
bool is_benchmark(std::string_view text);

// Its measurements on a GPU: networks of TorchBench as rows of the op `network`; GEMMs and convolutions of the operator
// benchmark as those; anything else as rows of the op `benchmark`, which have a name and a time. Errors: the JSON is
// none, or nothing was measured on a GPU.
Result<ForeignRows> benchmark_rows(std::string_view text, std::string_view where);

}  // namespace rooftile::store
