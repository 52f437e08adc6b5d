#include "rooftile/measure/cuda/layers/families.hpp"

namespace rooftile::measure {

Outcome<Prepared> prepare_fused_attention(const Attention& /*attention*/, const LayerCase& /*layer*/,
                                          const LayerContext& /*context*/) {
  return unsupported("fused attention is not measured");
}

}  // namespace rooftile::measure
