#include "rooftile/measure/cuda/layers/families.hpp"

namespace rooftile::measure {

Outcome<Prepared> prepare_recurrent(const Recurrent& /*recurrent*/, const LayerCase& /*layer*/,
                                    const LayerContext& /*context*/) {
  return unsupported("recurrent layers are not measured");
}

}  // namespace rooftile::measure
