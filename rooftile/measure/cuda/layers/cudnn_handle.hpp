// cuDNN's handle and descriptors, each destroyed by its owner, and its return codes as outcomes.
#pragma once

#include <cudnn.h>
#include <memory>
#include <string_view>

#include "rooftile/measure/cuda/layers/context.hpp"

namespace rooftile::measure {

struct CudnnHandle {
  cudnnHandle_t handle = nullptr;

  CudnnHandle() = default;
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  ~CudnnHandle();
};

Outcome<void> check(cudnnStatus_t status, std::string_view doing);

// The first that is not a success.
Outcome<void> check_all(std::initializer_list<cudnnStatus_t> statuses, std::string_view doing);

template <class Handle, cudnnStatus_t (*destroy)(Handle)>
struct DestroyCudnn {
  using pointer = Handle;
  void operator()(Handle handle) const { static_cast<void>(destroy(handle)); }
};
template <class Handle, cudnnStatus_t (*destroy)(Handle)>
using CudnnOwned = std::unique_ptr<void, DestroyCudnn<Handle, destroy>>;

using TensorDescriptor = CudnnOwned<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;
using FilterDescriptor = CudnnOwned<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>;
using ConvDescriptor = CudnnOwned<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>;
using RnnDescriptor = CudnnOwned<cudnnRNNDescriptor_t, cudnnDestroyRNNDescriptor>;
using RnnDataDescriptor = CudnnOwned<cudnnRNNDataDescriptor_t, cudnnDestroyRNNDataDescriptor>;
using DropoutDescriptor = CudnnOwned<cudnnDropoutDescriptor_t, cudnnDestroyDropoutDescriptor>;

// A descriptor by its create function.
template <class Owner>
Outcome<Owner> make_descriptor(cudnnStatus_t (*create)(typename Owner::pointer*)) {
  typename Owner::pointer raw = nullptr;
  return check(create(&raw), "making a descriptor").map([&] { return Owner(raw); });
}

// fp32 and tf32, fp16, bf16; others are refused.
Outcome<cudnnDataType_t> cudnn_type(DType precision);

// The math that cuDNN calls by these names: fp32 without tensor cores, fp32 data on tensor cores in tf32, 16-bit data
// on tensor cores with sums in fp32 ("cudnnMathType_t" in NVIDIA's documentation; DEFAULT permits TF32 from 8.0 on).
cudnnMathType_t cudnn_math(DType precision);

}  // namespace rooftile::measure
