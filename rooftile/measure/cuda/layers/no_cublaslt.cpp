// In place of what cuBLASLt runs, where it was not there to build with.
#include "rooftile/measure/cuda/layers/families.hpp"

namespace rooftile::measure {

struct CublasLtHandle {};

Outcome<std::shared_ptr<CublasLtHandle>> open_cublaslt() { return unsupported("built without"); }

Outcome<Prepared> prepare_gemm(const Gemm& /*gemm*/, const LayerCase& /*layer*/, const LayerContext& /*context*/) {
  return unsupported("GEMMs need cuBLASLt, which this program was built without");
}

Outcome<Prepared> prepare_unfused_attention(const Attention& /*attention*/, const LayerCase& /*layer*/,
                                            const LayerContext& /*context*/) {
  return unsupported("attention of several kernels needs cuBLASLt, which this program was built without");
}

}  // namespace rooftile::measure
