// cuDNN's recurrent layers by the equations of its documentation ("cudnnRNNMode_t"), one number after the other, in
// double precision; gradients by differences. Sequences all have the full length.
#include <cmath>
#include <cstdlib>

#include "tests/measure/on_cpu/cudnn.hpp"
#include "tests/measure/on_cpu/runtime.hpp"

struct cudnnDropoutStruct {};
struct cudnnRNNStruct {
  cudnnRNNMode_t mode = CUDNN_RNN_TANH;
  bool input_matrix = true;
  cudaDataType_t type = CUDA_R_32F;
  int directions = 1, input = 1, hidden = 1, layers = 1;

  int gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
  int width(int layer) const { return layer == 0 ? input : directions * hidden; }
};
struct cudnnRNNDataStruct {
  int steps = 1, batch = 1, width = 1;
};

namespace {

using Numbers = std::vector<double>;

// Where the matrix and the bias of one linear layer begin; -1: there is none. For each layer and direction all
// matrices, then all biases.
struct Parameters {
  std::int64_t matrix = -1, bias = 0, end = 0;
};
Parameters parameters(const cudnnRNNStruct& rnn, int pseudo_layer, int linear_layer) {
  Parameters found;
  std::int64_t next = 0;
  for (int pseudo = 0; pseudo < rnn.layers * rnn.directions; ++pseudo) {
    const int layer = pseudo / rnn.directions;
    for (int linear = 0; linear < 2 * rnn.gates(); ++linear) {
      const bool of_input = linear < rnn.gates();
      const bool there = !of_input || layer > 0 || rnn.input_matrix;
      if (pseudo == pseudo_layer && linear == linear_layer) {
        found.matrix = there ? next : -1;
      }
      next += there ? static_cast<std::int64_t>(rnn.hidden) * (of_input ? rnn.width(layer) : rnn.hidden) : 0;
    }
    for (int linear = 0; linear < 2 * rnn.gates(); ++linear) {
      if (pseudo == pseudo_layer && linear == linear_layer) {
        found.bias = next;
      }
      next += rnn.hidden;
    }
  }
  found.end = next;
  return found;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Numbers forward(const cudnnRNNStruct& rnn, int steps, int batch, const Numbers& x, const Numbers& w) {
  Numbers from = x;
  for (int layer = 0; layer < rnn.layers; ++layer) {
    const int width = rnn.width(layer);
    const int out = rnn.directions * rnn.hidden;
    Numbers to(static_cast<std::size_t>(steps * batch * out));
    for (int pseudo = layer * rnn.directions; pseudo < (layer + 1) * rnn.directions; ++pseudo) {
      const bool backward = pseudo % rnn.directions == 1;
      for (int sample = 0; sample < batch; ++sample) {
        Numbers h(static_cast<std::size_t>(rnn.hidden));
        Numbers c = h;
        for (int step = 0; step < steps; ++step) {
          const int t = backward ? steps - 1 - step : step;
          const double* const in = &from[static_cast<std::size_t>((t * batch + sample) * width)];
          // One linear layer's value for one unit.
          const auto linear = [&](int id, int unit) {
            const Parameters at = parameters(rnn, pseudo, id);
            const bool of_input = id < rnn.gates();
            const int length = of_input ? width : rnn.hidden;
            double sum = w[static_cast<std::size_t>(at.bias + unit)];
            if (at.matrix < 0) {
              return sum + in[unit];
            }
            for (int i = 0; i < length; ++i) {
              sum += w[static_cast<std::size_t>(at.matrix + unit * length + i)] *
                     (of_input ? in[i] : h[static_cast<std::size_t>(i)]);
            }
            return sum;
          };
          Numbers next = h;
          for (int unit = 0; unit < rnn.hidden; ++unit) {
            const auto u = static_cast<std::size_t>(unit);
            if (rnn.mode == CUDNN_LSTM) {
              const double input_gate = sigmoid(linear(0, unit) + linear(4, unit));
              const double forget_gate = sigmoid(linear(1, unit) + linear(5, unit));
              const double new_memory = std::tanh(linear(2, unit) + linear(6, unit));
              const double output_gate = sigmoid(linear(3, unit) + linear(7, unit));
              c[u] = forget_gate * c[u] + input_gate * new_memory;
              next[u] = output_gate * std::tanh(c[u]);
            } else if (rnn.mode == CUDNN_GRU) {
              const double reset = sigmoid(linear(0, unit) + linear(3, unit));
              const double update = sigmoid(linear(1, unit) + linear(4, unit));
              const double fresh = std::tanh(linear(2, unit) + reset * linear(5, unit));
              next[u] = (1 - update) * fresh + update * h[u];
            } else {
              next[u] = std::tanh(linear(0, unit) + linear(1, unit));
            }
          }
          h = next;
          for (int unit = 0; unit < rnn.hidden; ++unit) {
            to[static_cast<std::size_t>((t * batch + sample) * out + (backward ? rnn.hidden : 0) + unit)] =
                h[static_cast<std::size_t>(unit)];
          }
        }
      }
    }
    from = to;
  }
  return from;
}

// d<dy, y>/d(one of the numbers of `of`).
template <class Forward>
Numbers gradient(Numbers of, const Numbers& dy, const Forward& y_of) {
  constexpr double kStep = 1e-4;
  const auto product = [&] {
    const Numbers y = y_of(of);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      sum += dy[i] * y[i];
    }
    return sum;
  };
  Numbers result;
  for (double& number : of) {
    const double before = number;
    number = before + kStep;
    const double more = product();
    number = before - kStep;
    const double less = product();
    number = before;
    result.push_back((more - less) / (2 * kStep));
  }
  return result;
}

// What the forward pass of training leaves for the gradients.
struct Reserve {
  const void* x = nullptr;
  const void* weights = nullptr;
  const void* dy = nullptr;
};

std::int64_t count(const cudnnRNNDataStruct& data) { return std::int64_t{1} * data.steps * data.batch * data.width; }

}  // namespace

using on_cpu::destroy;
using on_cpu::make;

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* dropout) { return make(dropout); }
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout) { return destroy(dropout); }
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float dropout, void*, std::size_t,
                                        unsigned long long) {
  return dropout == 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* rnn) { return make(rnn); }
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t rnn) { return destroy(rnn); }
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* data) { return make(data); }
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data) { return destroy(data); }

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t,
                                       cudnnMathType_t, std::int32_t width, std::int32_t hidden,
                                       std::int32_t projection, std::int32_t layers, cudnnDropoutDescriptor_t,
                                       std::uint32_t) {
  *rnn = {.mode = mode,
          .input_matrix = input == CUDNN_LINEAR_INPUT,
          .type = on_cpu::number_type(type),
          .directions = direction == CUDNN_BIDIRECTIONAL ? 2 : 1,
          .input = width,
          .hidden = hidden,
          .layers = layers};
  return bias == CUDNN_RNN_DOUBLE_BIAS && projection == hidden ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t, cudnnRNNDataLayout_t layout,
                                        int steps, int batch, int width, const int[], void*) {
  *data = {steps, batch, width};
  return layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t rnn, std::size_t* bytes) {
  *bytes = static_cast<std::size_t>(parameters(*rnn, 0, 0).end) * (rnn->type == CUDA_R_32F ? 4 : 2);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t,
                                        cudnnRNNDataDescriptor_t, std::size_t* workspace, std::size_t* reserve) {
  *workspace = on_cpu::kLibraryWorkspace;
  *reserve = sizeof(Reserve);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t rnn, std::int32_t pseudo_layer, std::size_t,
                                      const void* weights, std::int32_t linear_layer, cudnnTensorDescriptor_t,
                                      void** matrix, cudnnTensorDescriptor_t, void** bias) {
  const Parameters at = parameters(*rnn, pseudo_layer, linear_layer);
  const std::int64_t bytes = rnn->type == CUDA_R_32F ? 4 : 2;
  auto* const begin = static_cast<std::byte*>(const_cast<void*>(weights));
  *matrix = at.matrix < 0 ? nullptr : begin + at.matrix * bytes;
  *bias = begin + at.bias * bytes;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode, const std::int32_t[],
                              cudnnRNNDataDescriptor_t of_x, const void* x, cudnnRNNDataDescriptor_t of_y, void* y,
                              cudnnTensorDescriptor_t, const void* hx, void*, cudnnTensorDescriptor_t, const void* cx,
                              void*, std::size_t, const void* weights, std::size_t bytes, void* workspace, std::size_t,
                              void* reserve) {
  if (hx != nullptr || cx != nullptr || (mode == CUDNN_FWD_MODE_TRAINING) != (reserve != nullptr)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const bool queued = on_cpu::queue_library(workspace, bytes, [=, r = *rnn, in = *of_x, out = *of_y] {
    const Numbers result = forward(r, in.steps, in.batch, on_cpu::numbers(x, r.type, count(in)),
                                   on_cpu::numbers(weights, r.type, parameters(r, 0, 0).end));
    for (std::int64_t i = 0; i < count(out); ++i) {
      on_cpu::set_number(y, r.type, i, result.at(static_cast<std::size_t>(i)));
    }
    if (reserve != nullptr) {
      *static_cast<Reserve*>(reserve) = {x, weights, nullptr};
    }
  });
  return queued ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t, cudnnRNNDescriptor_t rnn, const std::int32_t[],
                                      cudnnRNNDataDescriptor_t of_y, const void*, const void* dy,
                                      cudnnRNNDataDescriptor_t of_x, void* dx, cudnnTensorDescriptor_t, const void*,
                                      const void*, void*, cudnnTensorDescriptor_t, const void*, const void*, void*,
                                      std::size_t, const void* weights, std::size_t bytes, void* workspace, std::size_t,
                                      void* reserve) {
  const bool queued = on_cpu::queue_library(workspace, bytes, [=, r = *rnn, in = *of_x, out = *of_y] {
    auto& kept = *static_cast<Reserve*>(reserve);
    kept.dy = dy;
    const Numbers w = on_cpu::numbers(weights, r.type, parameters(r, 0, 0).end);
    const Numbers result = gradient(on_cpu::numbers(kept.x, r.type, count(in)), on_cpu::numbers(dy, r.type, count(out)),
                                    [&](const Numbers& x) { return forward(r, in.steps, in.batch, x, w); });
    for (std::size_t i = 0; i < result.size(); ++i) {
      on_cpu::set_number(dx, r.type, static_cast<std::int64_t>(i), result[i]);
    }
  });
  return queued ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

// Adds to what is there.
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t mode,
                                         const std::int32_t[], cudnnRNNDataDescriptor_t of_x, const void* x,
                                         cudnnTensorDescriptor_t, const void*, cudnnRNNDataDescriptor_t of_y,
                                         const void*, std::size_t, void* dw, std::size_t bytes, void* workspace,
                                         std::size_t, void* reserve) {
  const bool queued = on_cpu::queue_library(workspace, bytes, [=, r = *rnn, in = *of_x, out = *of_y] {
    const auto& kept = *static_cast<const Reserve*>(reserve);
    if (kept.dy == nullptr) {
      std::abort();  // the data gradient comes first
    }
    const Numbers numbers_of_x = on_cpu::numbers(x, r.type, count(in));
    const Numbers result = gradient(on_cpu::numbers(kept.weights, r.type, parameters(r, 0, 0).end),
                                    on_cpu::numbers(kept.dy, r.type, count(out)),
                                    [&](const Numbers& w) { return forward(r, in.steps, in.batch, numbers_of_x, w); });
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      on_cpu::set_number(dw, r.type, at, on_cpu::number(dw, r.type, at) + result[i]);
    }
  });
  return queued && mode == CUDNN_WGRAD_MODE_ADD ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}
