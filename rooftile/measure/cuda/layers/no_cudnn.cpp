// In place of what cuDNN runs, where it was not there to build with.
#include "rooftile/measure/cuda/layers/families.hpp"

namespace rooftile::measure {

struct CudnnHandle {};

Outcome<std::shared_ptr<CudnnHandle>> open_cudnn(cudaStream_t /*stream*/) { return unsupported("built without"); }

Outcome<Prepared> prepare_conv(const Conv& /*conv*/, const LayerCase& /*layer*/, const LayerContext& /*context*/) {
  return unsupported("convolutions need cuDNN, which this program was built without");
}

Outcome<Prepared> prepare_recurrent(const Recurrent& /*recurrent*/, const LayerCase& /*layer*/,
                                    const LayerContext& /*context*/) {
  return unsupported("recurrent layers need cuDNN, which this program was built without");
}

Outcome<Prepared> prepare_fused_attention(const Attention& /*attention*/, const LayerCase& /*layer*/,
                                          const LayerContext& /*context*/) {
  return unsupported("fused attention needs cuDNN, which this program was built without");
}

Outcome<std::size_t> fused_attention_kernels(const Attention& /*attention*/, DType /*precision*/,
                                             const std::string& /*device*/) {
  return unsupported("fused attention needs cuDNN, which this program was built without");
}

}  // namespace rooftile::measure
