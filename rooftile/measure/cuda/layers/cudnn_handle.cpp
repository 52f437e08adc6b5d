#include "rooftile/measure/cuda/layers/cudnn_handle.hpp"

#include <string>

#include "rooftile/measure/cuda/check.hpp"

namespace rooftile::measure {

CudnnHandle::~CudnnHandle() {
  if (handle != nullptr) {
    static_cast<void>(cudnnDestroy(handle));
  }
}

Outcome<void> check(cudnnStatus_t status, std::string_view doing) {
  if (status == CUDNN_STATUS_SUCCESS) {
    return {};
  }
  const std::string message = std::string(doing) + ": " + cudnnGetErrorString(status);
  switch (status) {
    case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
      static_cast<void>(cudaGetLastError());
      return tl::unexpected(Refused{Refusal::out_of_memory, message});
    default:
      break;
  }
  // A failed launch: the runtime knows whether the context survived it.
  if (auto done = check(cudaGetLastError(), message); !done) {
    return done;
  }
  return unsupported(message);
}

Outcome<void> check_all(std::initializer_list<cudnnStatus_t> statuses, std::string_view doing) {
  for (const cudnnStatus_t status : statuses) {
    if (auto done = check(status, doing); !done) {
      return done;
    }
  }
  return {};
}

Outcome<std::shared_ptr<CudnnHandle>> open_cudnn(cudaStream_t stream) {
  auto library = std::make_shared<CudnnHandle>();
  if (auto done = check(cudnnCreate(&library->handle), "opening cuDNN"); !done) {
    return tl::unexpected(done.error());
  }
  return check(cudnnSetStream(library->handle, stream), "giving cuDNN its stream").map([&] { return library; });
}

Outcome<cudnnDataType_t> cudnn_type(DType precision) {
  switch (precision) {
    case DType::fp32:
    case DType::tf32:
      return CUDNN_DATA_FLOAT;
    case DType::fp16:
      return CUDNN_DATA_HALF;
    case DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return unsupported("cuDNN runs these layers in fp32, tf32, fp16 or bf16, not " + std::string(name_of(precision)));
  }
}

cudnnMathType_t cudnn_math(DType precision) {
  switch (precision) {
    case DType::fp32:
      return CUDNN_FMA_MATH;
    case DType::tf32:
      return CUDNN_DEFAULT_MATH;
    default:
      return CUDNN_TENSOR_OP_MATH;
  }
}

}  // namespace rooftile::measure
