#include "rooftile/measure/cuda/layers/prepared_layer.hpp"

#include <cmath>

#include "rooftile/measure/layer_check.hpp"

namespace rooftile::measure {

double relative_error(const std::vector<double>& out, const std::vector<double>& reference) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    difference += (out[i] - reference[i]) * (out[i] - reference[i]);
    size += reference[i] * reference[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

std::vector<std::int64_t> compared_positions(std::int64_t count) { return sampled_positions(count, 512); }

}  // namespace rooftile::measure
