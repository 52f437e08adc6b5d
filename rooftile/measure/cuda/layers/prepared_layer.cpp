#include "rooftile/measure/cuda/layers/prepared_layer.hpp"

#include <cmath>

#include "rooftile/measure/cuda/layers/context.hpp"
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

Outcome<void> check_tensor(std::initializer_list<std::int64_t> sizes) {
  double count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 1) {
      return unsupported("a dimension of the layer is not positive");
    }
    count *= static_cast<double>(size);
  }
  if (count >= 0x1p40) {
    return tl::unexpected(Refused{Refusal::out_of_memory, "an operand has 2^40 elements or more"});
  }
  return {};
}

Outcome<void> check_all(std::initializer_list<Outcome<void>> outcomes) {
  for (const Outcome<void>& outcome : outcomes) {
    if (!outcome) {
      return outcome;
    }
  }
  return {};
}

std::vector<std::int64_t> compared_positions(std::int64_t count) { return sampled_positions(count, 512); }

}  // namespace rooftile::measure
