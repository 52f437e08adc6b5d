// What cuDNN's descriptors hold in the stand-in for cuDNN.
#pragma once

#include <cudnn.h>
#include <vector>

#include "tests/measure/on_cpu/number.hpp"

struct cudnnContext {};
struct cudnnTensorStruct {
  cudaDataType_t type = CUDA_R_32F;
  std::vector<int> dims;
  bool channels_last = false;
};
struct cudnnFilterStruct : cudnnTensorStruct {};
struct cudnnConvolutionStruct {
  std::vector<int> pad, stride, dilation;
  int groups = 1;
};

namespace on_cpu {

inline cudaDataType_t number_type(cudnnDataType_t type) {
  return type == CUDNN_DATA_HALF ? CUDA_R_16F : type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF : CUDA_R_32F;
}

template <class Descriptor>
cudnnStatus_t make(Descriptor** descriptor) {
  *descriptor = new Descriptor;
  return CUDNN_STATUS_SUCCESS;
}
template <class Descriptor>
cudnnStatus_t destroy(Descriptor* descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace on_cpu
