// What all layers share: the stream, the limits, the libraries' handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <initializer_list>
#include <memory>
#include <string>

#include "rooftile/measure/refused.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::measure {

struct CudnnHandle;     // cudnn_handle.hpp
struct CublasLtHandle;  // product.hpp

struct LayerContext {
  cudaStream_t stream = nullptr;
  std::size_t workspace_limit = 0;
  int compute_capability = 0;  // 90 is 9.0
  std::size_t l2_bytes = 0;
  // Why not, where a library is not to be had: what needs it is refused, the rest runs.
  Outcome<std::shared_ptr<CudnnHandle>> cudnn;
  Outcome<std::shared_ptr<CublasLtHandle>> cublaslt;
};

Outcome<std::shared_ptr<CudnnHandle>> open_cudnn(cudaStream_t stream);
Outcome<std::shared_ptr<CublasLtHandle>> open_cublaslt();

inline tl::unexpected<Refused> unsupported(std::string message) {
  return tl::unexpected(Refused{Refusal::unsupported, std::move(message)});
}

// Refuses a tensor of these sizes where one is not positive or it has 2^40 elements or more, which no GPU holds.
Outcome<void> check_tensor(std::initializer_list<std::int64_t> sizes);

// The first that is refused.
Outcome<void> check_all(std::initializer_list<Outcome<void>> outcomes);

// Refuses a precision that the GPU's tensor cores do not have: tf32 and bf16 before 8.0, fp8 before 8.9.
Outcome<void> check_precision(DType precision, const LayerContext& context);

}  // namespace rooftile::measure
