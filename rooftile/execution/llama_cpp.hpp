// What llama.cpp launches for a prompt on a GPU.
#pragma once

#include <optional>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Prompts go through in parts of so many positions (llama.cpp, common.h: n_ubatch).
inline constexpr int kLlamaCppPart = 512;

// Whether a product has more rows than llama.cpp's kernels for vectors take, that is, a prompt and not a step of
// decoding.
bool is_llama_cpp_prompt(const Workload& workload);

// Of a prompt in FP16 (ggml-cuda.cu, spring of 2024): activations are FP32; for each product they are converted to
// FP16, cuBLAS multiplies and adds in FP16, and the result is converted back. Weights of fewer bits are unpacked to
// FP16 before every product. Attention is two products with a softmax between them, on scores in FP32, and a copy that
// joins the heads. Only the last position of a text goes through the head.
Workload as_llama_cpp(Workload workload, std::optional<DType> weights);

// Of a step of decoding (llama.cpp, build_llama; before its CUDA graphs and FlashAttention): nothing is fused. A norm
// is two kernels, what multiplies quantised weights is quantised first, and attention is two products, a softmax and a
// copy, of which all but one are counted as small kernels. `workload` is stored as it is run.
Workload as_llama_cpp_step(Workload workload);

}  // namespace rooftile
