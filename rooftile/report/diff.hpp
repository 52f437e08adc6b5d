// Two predictions side by side, as read from their JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// One of the two. Texts are of one line.
struct DiffSide {
  std::string file, model, gpu, precision, method;
  std::int64_t batch_size = 0;
  Seconds time;
};

struct DiffLayer {
  struct Estimate {
    Seconds time;
    std::string limit;  // "-": nothing limits it
    bool operator==(const Estimate&) const = default;
  };
  std::string name;              // with its pass, where that is not forward
  std::optional<Estimate> a, b;  // one of them is missing where only the other prediction has the layer
};

struct PredictionDiff {
  DiffSide a, b;
  std::vector<DiffLayer> layers;  // of both: the largest change first; then those of a alone, those of b
};

// `where` names each prediction in errors and in the report.
Result<PredictionDiff> diff_of(std::string_view json_a, std::string_view where_a, std::string_view json_b,
                               std::string_view where_b);

// Totals, then the layers that changed.
std::string diff_table(const PredictionDiff& diff, std::size_t width = kAnyWidth);
// "rooftile/diff/1"; one row a layer. Both have all layers.
std::string diff_json(const PredictionDiff& diff);
std::string diff_csv(const PredictionDiff& diff);

}  // namespace rooftile
