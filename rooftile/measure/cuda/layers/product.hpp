// Matrix products by cuBLASLt.
#pragma once

#include <cublasLt.h>
#include <memory>
#include <string_view>

#include "rooftile/measure/cuda/layers/context.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile::measure {

struct CublasLtHandle {
  cublasLtHandle_t handle = nullptr;

  CublasLtHandle() = default;
  CublasLtHandle(const CublasLtHandle&) = delete;
  CublasLtHandle& operator=(const CublasLtHandle&) = delete;
  ~CublasLtHandle();
};

Outcome<void> check(cublasStatus_t status, std::string_view doing);

template <class Handle, cublasStatus_t (*destroy)(Handle)>
struct DestroyLt {
  using pointer = Handle;
  void operator()(Handle handle) const { static_cast<void>(destroy(handle)); }
};
using LtMatmul = std::unique_ptr<void, DestroyLt<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>>;
using LtLayout = std::unique_ptr<void, DestroyLt<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>>;
using LtPreference = std::unique_ptr<void, DestroyLt<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>>;

// What the result of a product in `precision` is stored as: fp8 gives bf16, int8 gives int32, else the same.
DType result_type(DType precision);

// C = alpha op(A) op(B) + bias, all row-major, by the algorithm that cuBLASLt's heuristic puts first.
class Product {
 public:
  static Outcome<Product> make(const Gemm& gemm, DType precision, double alpha, const LayerContext& context);

  // Queues the product; pointers are aligned to 256 bytes. `bias` has n elements of the result's type.
  Outcome<void> run(const void* a, const void* b, const void* bias, void* c, void* workspace, cudaStream_t stream);

  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  Outcome<void> set_bias(const void* bias);

  std::shared_ptr<CublasLtHandle> library_;
  LtMatmul matmul_;
  LtLayout a_, b_, c_;
  cublasLtMatmulAlgo_t algorithm_{};
  std::size_t workspace_bytes_ = 0;
  bool integer_ = false;
  bool bias_ = false;
  float alpha_ = 1;
};

}  // namespace rooftile::measure
