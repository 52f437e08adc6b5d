// Layers of each family made ready to run.
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/measure/cuda/layers/context.hpp"
#include "rooftile/measure/cuda/layers/prepared_layer.hpp"
#include "rooftile/measure/layer_case.hpp"

namespace rooftile::measure {

// Each refuses what its library or the GPU does not have.
Outcome<Prepared> prepare_conv(const Conv& conv, const LayerCase& layer, const LayerContext& context);
Outcome<Prepared> prepare_gemm(const Gemm& gemm, const LayerCase& layer, const LayerContext& context);
Outcome<Prepared> prepare_attention(const Attention& attention, const LayerCase& layer, const LayerContext& context);
// The two ways behind it: one kernel by cuDNN; two products by cuBLASLt with an own softmax between them.
Outcome<Prepared> prepare_fused_attention(const Attention& attention, const LayerCase& layer,
                                          const LayerContext& context);
Outcome<Prepared> prepare_unfused_attention(const Attention& attention, const LayerCase& layer,
                                            const LayerContext& context);
// The error of either's result.
Outcome<double> attention_error(const Attention& attention, DType precision, const OperandSet& set,
                                cudaStream_t stream);
// How many fused kernels cuDNN has for it on the GPU that `device` describes (BackendGraph::kernels_on); needs no GPU.
Outcome<std::size_t> fused_attention_kernels(const Attention& attention, DType precision, const std::string& device);
Outcome<Prepared> prepare_recurrent(const Recurrent& recurrent, const LayerCase& layer, const LayerContext& context);
Outcome<Prepared> prepare_stream(const StreamLayer& stream, const LayerCase& layer, const LayerContext& context);

}  // namespace rooftile::measure
