// cuDNN's convolutions as its documentation describes them, summed in double precision, position after position.
#include "tests/measure/on_cpu/cudnn.hpp"
#include "tests/measure/on_cpu/runtime.hpp"

namespace {

// The place of (n, c, position) in a packed tensor.
std::int64_t place(const cudnnTensorStruct& tensor, int n, int c, const std::vector<int>& at) {
  std::int64_t index = n;
  if (!tensor.channels_last) {
    index = index * tensor.dims[1] + c;
  }
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    index = index * tensor.dims[axis + 2] + at[axis];
  }
  return tensor.channels_last ? index * tensor.dims[1] + c : index;
}

// Calls with every position of `sizes`, which begin at dims[2].
template <class Visit>
void each_position(const cudnnTensorStruct& tensor, const Visit& visit) {
  std::vector<int> at(tensor.dims.size() - 2);
  for (;;) {
    visit(at);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == tensor.dims[axis + 1]) {
      at[--axis] = 0;
    }
    if (axis == 0) {
      return;
    }
  }
}

struct Shapes {
  cudnnTensorStruct x;
  cudnnFilterStruct w;
  cudnnTensorStruct y;
  cudnnConvolutionStruct conv;
};

// Whether y is what the convolution of x by w is as large as.
bool fits(const Shapes& s) {
  bool right = s.w.dims[1] * s.conv.groups == s.x.dims[1] && s.y.dims[0] == s.x.dims[0] && s.y.dims[1] == s.w.dims[0];
  for (std::size_t axis = 0; axis < s.conv.pad.size(); ++axis) {
    const int reach = s.conv.dilation[axis] * (s.w.dims[axis + 2] - 1) + 1;
    right =
        right && s.y.dims[axis + 2] == (s.x.dims[axis + 2] + 2 * s.conv.pad[axis] - reach) / s.conv.stride[axis] + 1;
  }
  return right;
}

// Calls with the places in x, w and y of every product that a convolution sums.
template <class Visit>
void each_product(const Shapes& s, const Visit& visit) {
  const int filters_in_group = s.w.dims[0] / s.conv.groups;
  std::vector<int> from(s.conv.pad.size());
  each_position(s.y, [&](const std::vector<int>& out) {
    each_position(s.w, [&](const std::vector<int>& tap) {
      for (std::size_t axis = 0; axis < from.size(); ++axis) {
        from[axis] = out[axis] * s.conv.stride[axis] - s.conv.pad[axis] + tap[axis] * s.conv.dilation[axis];
        if (from[axis] < 0 || from[axis] >= s.x.dims[axis + 2]) {
          return;
        }
      }
      for (int n = 0; n < s.x.dims[0]; ++n) {
        for (int k = 0; k < s.w.dims[0]; ++k) {
          for (int c = 0; c < s.w.dims[1]; ++c) {
            visit(place(s.x, n, k / filters_in_group * s.w.dims[1] + c, from), place(s.w, k, c, tap),
                  place(s.y, n, k, out));
          }
        }
      }
    });
  });
}

std::int64_t count(const cudnnTensorStruct& tensor) {
  std::int64_t product = 1;
  for (const int size : tensor.dims) {
    product *= size;
  }
  return product;
}

enum class What { y, x, w };

// Where a call's result goes, and how.
struct Call {
  const void* alpha;
  const void* beta;
  void* workspace;
  std::size_t workspace_bytes;
};

cudnnStatus_t convolve(What what, const Shapes& s, const Call& call, const void* first, const void* second, void* out) {
  if (!fits(s) || *static_cast<const float*>(call.alpha) != 1 || *static_cast<const float*>(call.beta) != 0) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const bool queued = on_cpu::queue_library(call.workspace, call.workspace_bytes, [=] {
    const cudnnTensorStruct& result = what == What::y ? s.y : what == What::x ? s.x : s.w;
    std::vector<double> sums(static_cast<std::size_t>(count(result)));
    const auto type = result.type;
    each_product(s, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
      const std::int64_t places[] = {what == What::y   ? y
                                     : what == What::x ? x
                                                       : w,
                                     what == What::x ? y : x, what == What::w ? y : w};
      sums[static_cast<std::size_t>(places[0])] +=
          on_cpu::number(first, type, places[1]) * on_cpu::number(second, type, places[2]);
    });
    for (std::size_t i = 0; i < sums.size(); ++i) {
      on_cpu::set_number(out, type, static_cast<std::int64_t>(i), sums[i]);
    }
  });
  return queued ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

// One offer, for algorithm 0.
template <class Perf>
cudnnStatus_t offer(const Shapes& s, int* returned, Perf* offers) {
  *returned = 1;
  offers[0] = {};
  offers[0].status = fits(s) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  offers[0].mathType = CUDNN_DEFAULT_MATH;
  offers[0].memory = on_cpu::kLibraryWorkspace;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

using on_cpu::destroy;
using on_cpu::make;

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) { return make(handle); }
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroy(handle); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) { return CUDNN_STATUS_SUCCESS; }
const char* cudnnGetErrorString(cudnnStatus_t) { return "an error"; }
std::size_t cudnnGetVersion() { return CUDNN_VERSION; }

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) { return make(tensor); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) { return destroy(tensor); }
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter) { return make(filter); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) { return destroy(filter); }
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* conv) { return make(conv); }
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t conv) { return destroy(conv); }

cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int count, const int sizes[]) {
  *tensor = {on_cpu::number_type(type), {sizes, sizes + count}, format == CUDNN_TENSOR_NHWC};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int count,
                                         const int sizes[], const int[]) {
  *tensor = {on_cpu::number_type(type), {sizes, sizes + count}, false};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int count, const int sizes[]) {
  static_cast<cudnnTensorStruct&>(*filter) = {
      on_cpu::number_type(type), {sizes, sizes + count}, format == CUDNN_TENSOR_NHWC};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t conv, int axes, const int pad[],
                                              const int stride[], const int dilation[], cudnnConvolutionMode_t mode,
                                              cudnnDataType_t) {
  *conv = {{pad, pad + axes}, {stride, stride + axes}, {dilation, dilation + axes}, 1};
  return mode == CUDNN_CROSS_CORRELATION ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t conv, int groups) {
  conv->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t) {
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t conv,
                                                     const cudnnTensorDescriptor_t y, const int, int* returned,
                                                     cudnnConvolutionFwdAlgoPerf_t* offers) {
  return offer({*x, *w, *y, *conv}, returned, offers);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, const cudnnFilterDescriptor_t w,
                                                          const cudnnTensorDescriptor_t y,
                                                          const cudnnConvolutionDescriptor_t conv,
                                                          const cudnnTensorDescriptor_t x, const int, int* returned,
                                                          cudnnConvolutionBwdDataAlgoPerf_t* offers) {
  return offer({*x, *w, *y, *conv}, returned, offers);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                            const cudnnTensorDescriptor_t y,
                                                            const cudnnConvolutionDescriptor_t conv,
                                                            const cudnnFilterDescriptor_t w, const int, int* returned,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t* offers) {
  return offer({*x, *w, *y, *conv}, returned, offers);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, const cudnnTensorDescriptor_t,
                                                      const cudnnFilterDescriptor_t, const cudnnConvolutionDescriptor_t,
                                                      const cudnnTensorDescriptor_t, cudnnConvolutionFwdAlgo_t,
                                                      std::size_t* bytes) {
  *bytes = on_cpu::kLibraryWorkspace;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t, const cudnnFilterDescriptor_t,
                                                           const cudnnTensorDescriptor_t,
                                                           const cudnnConvolutionDescriptor_t,
                                                           const cudnnTensorDescriptor_t, cudnnConvolutionBwdDataAlgo_t,
                                                           std::size_t* bytes) {
  *bytes = on_cpu::kLibraryWorkspace;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t, const cudnnTensorDescriptor_t,
                                                             const cudnnTensorDescriptor_t,
                                                             const cudnnConvolutionDescriptor_t,
                                                             const cudnnFilterDescriptor_t,
                                                             cudnnConvolutionBwdFilterAlgo_t, std::size_t* bytes) {
  *bytes = on_cpu::kLibraryWorkspace;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void* alpha, const cudnnTensorDescriptor_t of_x,
                                      const void* x, const cudnnFilterDescriptor_t of_w, const void* w,
                                      const cudnnConvolutionDescriptor_t conv, cudnnConvolutionFwdAlgo_t,
                                      void* workspace, std::size_t bytes, const void* beta,
                                      const cudnnTensorDescriptor_t of_y, void* y) {
  return convolve(What::y, {*of_x, *of_w, *of_y, *conv}, {alpha, beta, workspace, bytes}, x, w, y);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void* alpha, const cudnnFilterDescriptor_t of_w,
                                           const void* w, const cudnnTensorDescriptor_t of_y, const void* y,
                                           const cudnnConvolutionDescriptor_t conv, cudnnConvolutionBwdDataAlgo_t,
                                           void* workspace, std::size_t bytes, const void* beta,
                                           const cudnnTensorDescriptor_t of_x, void* x) {
  return convolve(What::x, {*of_x, *of_w, *of_y, *conv}, {alpha, beta, workspace, bytes}, y, w, x);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void* alpha, const cudnnTensorDescriptor_t of_x,
                                             const void* x, const cudnnTensorDescriptor_t of_y, const void* y,
                                             const cudnnConvolutionDescriptor_t conv, cudnnConvolutionBwdFilterAlgo_t,
                                             void* workspace, std::size_t bytes, const void* beta,
                                             const cudnnFilterDescriptor_t of_w, void* w) {
  return convolve(What::w, {*of_x, *of_w, *of_y, *conv}, {alpha, beta, workspace, bytes}, x, y, w);
}

// No graphs: attention runs as two products.
cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t, cudnnBackendDescriptor_t*) {
  return CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t,
                                       cudnnBackendAttributeType_t, std::int64_t, const void*) {
  return CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const, cudnnBackendAttributeName_t,
                                       cudnnBackendAttributeType_t, std::int64_t, std::int64_t*, void*) {
  return CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t) { return CUDNN_STATUS_NOT_SUPPORTED; }
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t, cudnnBackendDescriptor_t) {
  return CUDNN_STATUS_NOT_SUPPORTED;
}
