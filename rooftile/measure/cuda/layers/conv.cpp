// Convolutions by cuDNN: forward and both gradients, in every algorithm that it has.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/layers/cudnn_handle.hpp"
#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/layers/reference.hpp"
#include "rooftile/measure/layer_algorithm.hpp"
#include "rooftile/measure/layer_check.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile::measure {
namespace {

// layer_algorithm.cpp lists names in the order of these.
static_assert(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM == 1 && CUDNN_CONVOLUTION_FWD_ALGO_GEMM == 2 &&
              CUDNN_CONVOLUTION_FWD_ALGO_DIRECT == 3 && CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING == 5 &&
              CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD == 6 && CUDNN_CONVOLUTION_FWD_ALGO_COUNT == 8);
static_assert(CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING == 3 && CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD == 4 &&
              CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT == 6);
static_assert(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3 == 3 && CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD == 4 &&
              CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING == 6 && CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT == 7);

struct Descriptors {
  TensorDescriptor x, y;
  FilterDescriptor w;
  ConvDescriptor conv;
};

// An algorithm as the heuristic offers it.
struct Offer {
  int number = 0;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  std::size_t workspace = 0;
};

// The axes that cuDNN gets: height and width, and depth where there is any.
std::vector<ConvAxis> axes_of(const Conv& conv) {
  const bool volume = conv.axes[0] != ConvAxis{};
  return {conv.axes.begin() + (volume ? 0 : 1), conv.axes.end()};
}

struct Shapes {
  std::vector<int> x, w, y;
  std::vector<int> pad, stride, dilation;
};

Shapes shapes_of(const Conv& conv) {
  const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
  Shapes shapes;
  shapes.x = {whole(conv.batch), whole(conv.in_channels)};
  shapes.w = {whole(conv.out_channels), whole(conv.in_channels / conv.groups)};
  shapes.y = {whole(conv.batch), whole(conv.out_channels)};
  for (const ConvAxis& axis : axes_of(conv)) {
    shapes.x.push_back(whole(axis.in));
    shapes.w.push_back(whole(axis.filter));
    shapes.y.push_back(whole(out_positions(axis, false)));
    shapes.pad.push_back(whole(axis.pad_begin));
    shapes.stride.push_back(whole(axis.stride));
    shapes.dilation.push_back(whole(axis.dilation));
  }
  return shapes;
}

std::int64_t product(const std::vector<int>& sizes) {
  std::int64_t count = 1;
  for (const int size : sizes) {
    count *= size;
  }
  return count;
}

Outcome<void> check_shape(const Conv& conv) {
  if (conv.transposed) {
    return unsupported("a transposed convolution is measured as the data gradient of its convolution");
  }
  for (const ConvAxis& axis : conv.axes) {
    if (axis.pad_begin != axis.pad_end) {
      return unsupported("cuDNN pads both ends alike, this layer " + std::to_string(axis.pad_begin) + " and " +
                         std::to_string(axis.pad_end));
    }
  }
  const Shapes shapes = shapes_of(conv);
  for (const auto* sizes : {&shapes.x, &shapes.w, &shapes.y}) {
    double count = 1;
    for (const int size : *sizes) {
      count *= std::max(size, 0);  // sizes beyond int have become negative
    }
    if (count < 1 || count > std::numeric_limits<int>::max()) {
      return unsupported("cuDNN takes tensors of fewer than 2^31 elements");
    }
  }
  return {};
}

Outcome<Descriptors> describe(const Conv& conv, const LayerCase& layer, cudnnDataType_t type) {
  auto x = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor);
  auto y = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor);
  auto w = make_descriptor<FilterDescriptor>(cudnnCreateFilterDescriptor);
  auto c = make_descriptor<ConvDescriptor>(cudnnCreateConvolutionDescriptor);
  if (!x || !y || !w || !c) {
    return tl::unexpected(Refused{Refusal::out_of_memory, "no memory for cuDNN's descriptors"});
  }
  const Shapes s = shapes_of(conv);
  const auto format = layer.layout == Layout::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  const int dims = static_cast<int>(s.x.size());
  const auto done =
      check_all({cudnnSetTensorNdDescriptorEx(x->get(), format, type, dims, s.x.data()),
                 cudnnSetTensorNdDescriptorEx(y->get(), format, type, dims, s.y.data()),
                 cudnnSetFilterNdDescriptor(w->get(), type, format, dims, s.w.data()),
                 cudnnSetConvolutionNdDescriptor(c->get(), dims - 2, s.pad.data(), s.stride.data(), s.dilation.data(),
                                                 CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
                 cudnnSetConvolutionGroupCount(c->get(), static_cast<int>(conv.groups)),
                 cudnnSetConvolutionMathType(c->get(), cudnn_math(layer.precision))},
                "describing a convolution");
  return done.map([&] { return Descriptors{std::move(*x), std::move(*y), std::move(*w), std::move(*c)}; });
}

// Offers that cuDNN itself says it can run, best first.
template <class Perf, std::size_t kCount>
std::vector<Offer> possible(const std::array<Perf, kCount>& offers, int count) {
  std::vector<Offer> list;
  for (int i = 0; i < count; ++i) {
    const Perf& offer = offers[static_cast<std::size_t>(i)];
    if (offer.status == CUDNN_STATUS_SUCCESS) {
      list.push_back({static_cast<int>(offer.algo), offer.mathType, offer.memory});
    }
  }
  return list;
}

Outcome<std::vector<Offer>> offers_of(cudnnHandle_t handle, const Descriptors& d, Pass pass) {
  constexpr std::string_view kAsking = "asking cuDNN for algorithms";
  int count = 0;
  if (pass == Pass::fwd) {
    std::array<cudnnConvolutionFwdAlgoPerf_t, 2 * CUDNN_CONVOLUTION_FWD_ALGO_COUNT> offers{};
    return check(cudnnGetConvolutionForwardAlgorithm_v7(handle, d.x.get(), d.w.get(), d.conv.get(), d.y.get(),
                                                        static_cast<int>(offers.size()), &count, offers.data()),
                 kAsking)
        .map([&] { return possible(offers, count); });
  }
  if (pass == Pass::bwd_data) {
    std::array<cudnnConvolutionBwdDataAlgoPerf_t, 2 * CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT> offers{};
    return check(cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, d.w.get(), d.y.get(), d.conv.get(), d.x.get(),
                                                             static_cast<int>(offers.size()), &count, offers.data()),
                 kAsking)
        .map([&] { return possible(offers, count); });
  }
  std::array<cudnnConvolutionBwdFilterAlgoPerf_t, 2 * CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT> offers{};
  return check(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, d.x.get(), d.y.get(), d.conv.get(), d.w.get(),
                                                             static_cast<int>(offers.size()), &count, offers.data()),
               kAsking)
      .map([&] { return possible(offers, count); });
}

// The workspace with the convolution's math as it is set by then.
Outcome<std::size_t> workspace_of(cudnnHandle_t handle, const Descriptors& d, Pass pass, int number) {
  std::size_t bytes = 0;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  switch (pass) {
    case Pass::fwd:
      status = cudnnGetConvolutionForwardWorkspaceSize(handle, d.x.get(), d.w.get(), d.conv.get(), d.y.get(),
                                                       static_cast<cudnnConvolutionFwdAlgo_t>(number), &bytes);
      break;
    case Pass::bwd_data:
      status = cudnnGetConvolutionBackwardDataWorkspaceSize(handle, d.w.get(), d.y.get(), d.conv.get(), d.x.get(),
                                                            static_cast<cudnnConvolutionBwdDataAlgo_t>(number), &bytes);
      break;
    case Pass::bwd_weight:
      status =
          cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, d.x.get(), d.y.get(), d.conv.get(), d.w.get(),
                                                         static_cast<cudnnConvolutionBwdFilterAlgo_t>(number), &bytes);
      break;
  }
  return check(status, "asking cuDNN for its workspace").map([&] { return bytes; });
}

// fp32 does without tensor cores, tf32 permits them; nothing is rounded to halves that is not stored so.
bool math_fits(DType precision, cudnnMathType_t math) {
  switch (precision) {
    case DType::fp32:
      return math == CUDNN_FMA_MATH || math == CUDNN_DEFAULT_MATH;
    case DType::tf32:
      return math == CUDNN_TENSOR_OP_MATH || math == CUDNN_DEFAULT_MATH;
    default:
      return math != CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  }
}

// The first offer that has the wanted name, any name where none is wanted, and fits the workspace; sets its math.
Outcome<Offer> choose(cudnnHandle_t handle, const Descriptors& d, const LayerCase& layer, std::size_t limit) {
  const auto offers = offers_of(handle, d, layer.pass);
  if (!offers) {
    return tl::unexpected(offers.error());
  }
  bool too_large = false;
  for (Offer offer : *offers) {
    const auto name = algorithm_name(layer.pass, offer.number);
    if (name.empty() || (!layer.algorithm.empty() && layer.algorithm != name)) {
      continue;
    }
    if (!math_fits(layer.precision, offer.math)) {
      continue;
    }
    if (layer.precision == DType::fp32) {
      offer.math = CUDNN_FMA_MATH;
    }
    if (!check(cudnnSetConvolutionMathType(d.conv.get(), offer.math), "choosing the math")) {
      continue;
    }
    const auto workspace = workspace_of(handle, d, layer.pass, offer.number);
    if (!workspace) {
      continue;
    }
    if (*workspace > limit) {
      too_large = true;
      continue;
    }
    offer.workspace = *workspace;
    return offer;
  }
  const std::string which = layer.algorithm.empty() ? "algorithm" : layer.algorithm;
  return unsupported(too_large ? "cuDNN's " + which + " for this convolution needs more workspace than the limit"
                               : "cuDNN has no " + which + " for this convolution");
}

class ConvJob : public PreparedLayer {
 public:
  ConvJob(const Conv& conv, const LayerCase& layer, std::shared_ptr<CudnnHandle> cudnn, Descriptors descriptors,
          Offer offer)
      : conv_(conv),
        pass_(layer.pass),
        channels_last_(layer.layout == Layout::nhwc),
        cudnn_(std::move(cudnn)),
        d_(std::move(descriptors)),
        number_(offer.number) {
    const Shapes shapes = shapes_of(conv);
    const TensorSpec x{.type = layer.precision, .count = product(shapes.x)};
    const TensorSpec w{.type = layer.precision, .count = product(shapes.w)};
    const TensorSpec y{.type = layer.precision, .count = product(shapes.y)};
    switch (pass_) {
      case Pass::fwd:
        inputs = {x, w};
        outputs = {y};
        break;
      case Pass::bwd_data:
        inputs = {y, w};
        outputs = {x};
        break;
      case Pass::bwd_weight:
        inputs = {x, y};
        outputs = {w};
        break;
    }
    workspace_bytes = offer.workspace;
    algorithm = algorithm_name(pass_, number_);
    error_limit = measure::error_limit(layer.precision);
  }

  Outcome<void> run(const OperandSet& set, cudaStream_t /*stream*/) override {
    const float one = 1;
    const float zero = 0;
    const void* first = set.inputs[0].data;
    const void* second = set.inputs[1].data;
    void* out = set.outputs[0].data;
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    switch (pass_) {
      case Pass::fwd:
        status = cudnnConvolutionForward(cudnn_->handle, &one, d_.x.get(), first, d_.w.get(), second, d_.conv.get(),
                                         static_cast<cudnnConvolutionFwdAlgo_t>(number_), set.workspace,
                                         workspace_bytes, &zero, d_.y.get(), out);
        break;
      case Pass::bwd_data:
        status = cudnnConvolutionBackwardData(cudnn_->handle, &one, d_.w.get(), second, d_.y.get(), first,
                                              d_.conv.get(), static_cast<cudnnConvolutionBwdDataAlgo_t>(number_),
                                              set.workspace, workspace_bytes, &zero, d_.x.get(), out);
        break;
      case Pass::bwd_weight:
        status = cudnnConvolutionBackwardFilter(cudnn_->handle, &one, d_.x.get(), first, d_.y.get(), second,
                                                d_.conv.get(), static_cast<cudnnConvolutionBwdFilterAlgo_t>(number_),
                                                set.workspace, workspace_bytes, &zero, d_.w.get(), out);
        break;
    }
    return check(status, "a convolution by cuDNN");
  }

  Outcome<double> error(const OperandSet& set, cudaStream_t stream) override {
    return sampled_error(set.outputs[0], stream, [&](const std::int64_t* positions, std::int64_t count, double* out) {
      reference_conv(conv_, pass_, channels_last_, {set.inputs[0].data, set.inputs[0].spec.type},
                     {set.inputs[1].data, set.inputs[1].spec.type}, {positions, count, out}, stream);
    });
  }

 private:
  Conv conv_;
  Pass pass_;
  bool channels_last_;
  std::shared_ptr<CudnnHandle> cudnn_;
  Descriptors d_;
  int number_;
};

}  // namespace

Outcome<Prepared> prepare_conv(const Conv& conv, const LayerCase& layer, const LayerContext& context) {
  if (!context.cudnn) {
    return tl::unexpected(context.cudnn.error());
  }
  if (!layer.algorithm.empty() && !has_algorithm(layer.pass, layer.algorithm)) {
    return unsupported("cuDNN has no algorithm '" + layer.algorithm + "' for this pass, only " +
                       algorithm_names(layer.pass));
  }
  for (const auto& able : {check_precision(layer.precision, context), check_shape(conv)}) {
    if (!able) {
      return tl::unexpected(able.error());
    }
  }
  const auto type = cudnn_type(layer.precision);
  if (!type) {
    return tl::unexpected(type.error());
  }
  auto descriptors = describe(conv, layer, *type);
  if (!descriptors) {
    return tl::unexpected(descriptors.error());
  }
  const auto offer = choose((*context.cudnn)->handle, *descriptors, layer, context.workspace_limit);
  if (!offer) {
    return tl::unexpected(offer.error());
  }
  return std::make_unique<ConvJob>(conv, layer, *context.cudnn, std::move(*descriptors), *offer);
}

}  // namespace rooftile::measure
