// Recurrent layers by cuDNN: forward as in inference, and both gradients.
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/measure/cuda/layers/cudnn_handle.hpp"
#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/layers/recurrent_reference.hpp"
#include "rooftile/measure/layer_check.hpp"

namespace rooftile::measure {
namespace {

struct Descriptors {
  DropoutDescriptor dropout;  // the layer refers to it
  RnnDescriptor rnn;
  RnnDataDescriptor x, y;
  TensorDescriptor state;  // hidden and cell states: layers x directions, batch, hidden
};

struct Sizes {
  std::size_t weights = 0, workspace = 0, reserve = 0;  // bytes
};

cudnnRNNMode_t mode_of(const Recurrent& recurrent) {
  if (recurrent.cell == "lstm") {
    return CUDNN_LSTM;
  }
  return recurrent.cell == "gru" ? CUDNN_GRU : CUDNN_RNN_TANH;
}

constexpr std::int64_t kMostSequences = std::int64_t{1} << 24;  // the host lists their lengths

// Training keeps what the gradients need.
cudnnForwardMode_t forward_mode(Pass pass) {
  return pass == Pass::fwd ? CUDNN_FWD_MODE_INFERENCE : CUDNN_FWD_MODE_TRAINING;
}

Outcome<void> check_shape(const Recurrent& r) {
  if (r.cell != "lstm" && r.cell != "gru" && r.cell != "vanilla") {
    return unsupported("a cell is lstm, gru or vanilla, not '" + r.cell + "'");
  }
  if (!r.input_projection && r.layers > 1) {
    return unsupported("without an input projection cuDNN runs one layer, not " + std::to_string(r.layers));
  }
  if (!r.input_projection && r.input != r.hidden) {
    return unsupported("without an input projection cuDNN wants as many inputs as hidden units");
  }
  for (const std::int64_t size : {r.batch, r.steps, r.input, r.hidden, r.layers}) {
    if (size > std::numeric_limits<std::int32_t>::max()) {
      return unsupported("a dimension of the recurrent layer is out of range");
    }
  }
  if (r.batch > kMostSequences) {
    return unsupported("more than 2^24 sequences at once");
  }
  if (r.directions > 2) {
    return unsupported("a recurrent layer has one or two directions");
  }
  return check_all({check_tensor({r.steps, r.batch, r.input}), check_tensor({r.steps, r.batch, r.hidden, r.directions}),
                    check_tensor({r.layers, r.directions, kMostGates, r.hidden, r.hidden}),
                    check_tensor({r.layers, r.directions, kMostGates, r.hidden, r.input})});
}

Outcome<Descriptors> describe(const Recurrent& r, DType precision, cudnnDataType_t type, cudnnHandle_t handle) {
  auto dropout = make_descriptor<DropoutDescriptor>(cudnnCreateDropoutDescriptor);
  auto rnn = make_descriptor<RnnDescriptor>(cudnnCreateRNNDescriptor);
  auto x = make_descriptor<RnnDataDescriptor>(cudnnCreateRNNDataDescriptor);
  auto y = make_descriptor<RnnDataDescriptor>(cudnnCreateRNNDataDescriptor);
  auto state = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor);
  if (!dropout || !rnn || !x || !y || !state) {
    return tl::unexpected(Refused{Refusal::out_of_memory, "no memory for cuDNN's descriptors"});
  }
  const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
  const std::vector<int> lengths(static_cast<std::size_t>(r.batch), whole(r.steps));
  const std::array<int, 3> dims = {whole(r.layers * r.directions), whole(r.batch), whole(r.hidden)};
  const std::array<int, 3> strides = {whole(r.batch * r.hidden), whole(r.hidden), 1};
  // All sequences have the full length, so that the packed layout is the plain one.
  constexpr auto kLayout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  if (auto done = check(cudnnSetDropoutDescriptor(dropout->get(), handle, 0, nullptr, 0, 0), "describing no dropout");
      !done) {
    return tl::unexpected(done.error());
  }
  const auto done = check_all(
      {cudnnSetRNNDescriptor_v8(rnn->get(), CUDNN_RNN_ALGO_STANDARD, mode_of(r), CUDNN_RNN_DOUBLE_BIAS,
                                r.directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
                                r.input_projection ? CUDNN_LINEAR_INPUT : CUDNN_SKIP_INPUT, type, CUDNN_DATA_FLOAT,
                                cudnn_math(precision), whole(r.input), whole(r.hidden), whole(r.hidden),
                                whole(r.layers), dropout->get(), CUDNN_RNN_PADDED_IO_DISABLED),
       cudnnSetRNNDataDescriptor(x->get(), type, kLayout, whole(r.steps), whole(r.batch), whole(r.input),
                                 lengths.data(), nullptr),
       cudnnSetRNNDataDescriptor(y->get(), type, kLayout, whole(r.steps), whole(r.batch),
                                 whole(r.hidden * r.directions), lengths.data(), nullptr),
       cudnnSetTensorNdDescriptor(state->get(), type, 3, dims.data(), strides.data())},
      "describing a recurrent layer");
  return done.map([&] {
    return Descriptors{std::move(*dropout), std::move(*rnn), std::move(*x), std::move(*y), std::move(*state)};
  });
}

Outcome<Sizes> sizes_of(const Descriptors& d, Pass pass, cudnnHandle_t handle) {
  Sizes sizes;
  return check_all({cudnnGetRNNWeightSpaceSize(handle, d.rnn.get(), &sizes.weights),
                    cudnnGetRNNTempSpaceSizes(handle, d.rnn.get(), forward_mode(pass), d.x.get(), &sizes.workspace,
                                              &sizes.reserve)},
                   "asking cuDNN for the sizes of a recurrent layer")
      .map([&] { return sizes; });
}

Outcome<Buffer<std::int32_t>> device_lengths(const Recurrent& r, cudaStream_t stream) {
  const std::vector<std::int32_t> lengths(static_cast<std::size_t>(r.batch), static_cast<std::int32_t>(r.steps));
  constexpr std::string_view kCopying = "copying the lengths of sequences";
  auto buffer = Buffer<std::int32_t>::make(lengths.size());
  if (!buffer) {
    return buffer;
  }
  // On the stream that runs the layer, which does not wait for the default stream.
  return check(cudaMemcpyAsync(buffer->get(), lengths.data(), buffer->bytes(), cudaMemcpyHostToDevice, stream),
               kCopying)
      .and_then([&] { return check(cudaStreamSynchronize(stream), kCopying); })
      .map([&] { return std::move(*buffer); });
}

class RecurrentJob : public PreparedLayer {
 public:
  RecurrentJob(const Recurrent& recurrent, const LayerCase& layer, std::shared_ptr<CudnnHandle> cudnn, Descriptors d,
               Sizes sizes, Buffer<std::int32_t> lengths)
      : recurrent_(recurrent),
        pass_(layer.pass),
        cudnn_(std::move(cudnn)),
        d_(std::move(d)),
        sizes_(sizes),
        lengths_(std::move(lengths)) {
    const std::int64_t rows = recurrent.steps * recurrent.batch;
    const TensorSpec x{.type = layer.precision, .count = rows * recurrent.input};
    const TensorSpec y{.type = layer.precision, .count = rows * recurrent.hidden * recurrent.directions};
    TensorSpec weights{.type = layer.precision, .scale = 1 / std::sqrt(static_cast<double>(recurrent.hidden))};
    weights.count = static_cast<std::int64_t>(sizes.weights / bytes_of({.type = layer.precision, .count = 1}));
    inputs = {x, weights};
    error_limit = measure::error_limit(layer.precision);
    workspace_bytes = sizes.workspace;
    if (pass_ == Pass::fwd) {
      outputs = {y};
      return;
    }
    inputs.push_back(y);  // dY
    state_bytes = {sizes.reserve, bytes_of(y), bytes_of(x)};
    weights.accumulated = true;
    outputs = {pass_ == Pass::bwd_data ? x : weights};
    error_limit *= 3;  // rounding of the gates that the forward pass keeps comes on top
  }

  Outcome<void> prepare(const OperandSet& set, cudaStream_t /*stream*/) override {
    if (pass_ == Pass::fwd) {
      return {};
    }
    auto done = forward(set, set.state[1], set.state[0]);
    return done && pass_ == Pass::bwd_weight ? data_gradient(set, set.state[2]) : done;
  }

  // The data gradient overwrites what the forward pass kept, so that runs after the first start from other numbers;
  // the work is the same.
  Outcome<void> run(const OperandSet& set, cudaStream_t /*stream*/) override {
    switch (pass_) {
      case Pass::fwd:
        return forward(set, set.outputs[0].data, nullptr);
      case Pass::bwd_data:
        return data_gradient(set, set.outputs[0].data);
      case Pass::bwd_weight:
        return weight_gradient(set, set.outputs[0].data);
    }
    return {};
  }

  Outcome<double> error(const OperandSet& set, cudaStream_t stream) override {
    auto cells = parameters(set);
    if (!cells) {
      return tl::unexpected(cells.error());
    }
    auto reference = RecurrentReference::make(recurrent_, std::move(*cells), set.inputs[1].spec.count);
    if (!reference) {
      return tl::unexpected(reference.error());
    }
    return pass_ == Pass::fwd ? forward_error(set, *reference, stream) : gradient_error(set, *reference, stream);
  }

 private:
  static Operand operand(const Tensor& tensor) { return {tensor.data, tensor.spec.type}; }

  Outcome<void> forward(const OperandSet& set, void* y, void* reserve) {
    return check(cudnnRNNForward(cudnn_->handle, d_.rnn.get(), forward_mode(pass_), lengths_.get(), d_.x.get(),
                                 set.inputs[0].data, d_.y.get(), y, d_.state.get(), nullptr, nullptr, d_.state.get(),
                                 nullptr, nullptr, sizes_.weights, set.inputs[1].data, sizes_.workspace, set.workspace,
                                 reserve == nullptr ? 0 : sizes_.reserve, reserve),
                 "a recurrent layer by cuDNN");
  }

  Outcome<void> data_gradient(const OperandSet& set, void* dx) {
    return check(cudnnRNNBackwardData_v8(cudnn_->handle, d_.rnn.get(), lengths_.get(), d_.y.get(), set.state[1],
                                         set.inputs[2].data, d_.x.get(), dx, d_.state.get(), nullptr, nullptr, nullptr,
                                         d_.state.get(), nullptr, nullptr, nullptr, sizes_.weights, set.inputs[1].data,
                                         sizes_.workspace, set.workspace, sizes_.reserve, set.state[0]),
                 "the data gradient of a recurrent layer by cuDNN");
  }

  Outcome<void> weight_gradient(const OperandSet& set, void* dw) {
    return check(
        cudnnRNNBackwardWeights_v8(cudnn_->handle, d_.rnn.get(), CUDNN_WGRAD_MODE_ADD, lengths_.get(), d_.x.get(),
                                   set.inputs[0].data, d_.state.get(), nullptr, d_.y.get(), set.state[1],
                                   sizes_.weights, dw, sizes_.workspace, set.workspace, sizes_.reserve, set.state[0]),
        "the weight gradient of a recurrent layer by cuDNN");
  }

  // Where cuDNN keeps the parameters of each cell.
  Outcome<std::vector<CellParameters>> parameters(const OperandSet& set) const {
    auto matrix = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor);
    auto bias = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor);
    if (!matrix || !bias) {
      return tl::unexpected(matrix ? bias.error() : matrix.error());
    }
    const Tensor& weights = set.inputs[1];
    const auto element = static_cast<std::int64_t>(bytes_of({.type = weights.spec.type, .count = 1}));
    const auto offset = [&](const void* address) {
      return address == nullptr
                 ? -1
                 : (static_cast<const char*>(address) - static_cast<const char*>(weights.data)) / element;
    };
    const int gates = gates_of(recurrent_);
    std::vector<CellParameters> cells(static_cast<std::size_t>(recurrent_.layers * recurrent_.directions));
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      for (int i = 0; i < 2 * gates; ++i) {
        void* matrix_at = nullptr;
        void* bias_at = nullptr;
        if (auto done = check(
                cudnnGetRNNWeightParams(cudnn_->handle, d_.rnn.get(), static_cast<std::int32_t>(cell), sizes_.weights,
                                        weights.data, i, matrix->get(), &matrix_at, bias->get(), &bias_at),
                "asking cuDNN where weights lie");
            !done) {
          return tl::unexpected(done.error());
        }
        const bool of_input = i < gates;
        const auto gate = static_cast<std::size_t>(of_input ? i : i - gates);
        (of_input ? cells[cell].input : cells[cell].hidden)[gate] = offset(matrix_at);
        (of_input ? cells[cell].input_bias : cells[cell].hidden_bias)[gate] = offset(bias_at);
      }
    }
    return cells;
  }

  static Outcome<double> forward_error(const OperandSet& set, RecurrentReference& reference, cudaStream_t stream) {
    if (auto done = reference.forward(operand(set.inputs[0]), 0, operand(set.inputs[1]), 0, 0, stream); !done) {
      return tl::unexpected(done.error());
    }
    return sampled_error(set.outputs[0], stream, [&](const std::int64_t* positions, std::int64_t count, double* out) {
      reference_copy(reference.y(), {positions, count, out}, stream);
    });
  }

  // The derivative of <dY, Y> along the signs of `seed`.
  Outcome<double> derivative(const OperandSet& set, RecurrentReference& reference, std::uint64_t seed,
                             cudaStream_t stream) const {
    constexpr double kStep = 1e-4;
    double values[2] = {};
    for (int side = 0; side < 2; ++side) {
      const double step = side == 0 ? kStep : -kStep;
      const double x_step = pass_ == Pass::bwd_data ? step : 0;
      const double w_step = pass_ == Pass::bwd_weight ? step : 0;
      if (auto done = reference.forward(operand(set.inputs[0]), x_step, operand(set.inputs[1]), w_step, seed, stream);
          !done) {
        return tl::unexpected(done.error());
      }
      const auto product = reference.product_with_y(operand(set.inputs[2]), stream);
      if (!product) {
        return product;
      }
      values[side] = *product;
    }
    return (values[0] - values[1]) / (2 * kStep);
  }

  Outcome<double> gradient_error(const OperandSet& set, RecurrentReference& reference, cudaStream_t stream) const {
    constexpr std::uint64_t kDirections = 4;
    std::vector<double> out;
    std::vector<double> expected;
    for (std::uint64_t seed = 1; seed <= kDirections; ++seed) {
      const auto right = derivative(set, reference, seed, stream);
      const Tensor& gradient = set.outputs[0];
      const auto got = RecurrentReference::product_with_signs(operand(gradient), gradient.spec.count, seed, stream);
      if (!right || !got) {
        return right ? got : right;
      }
      expected.push_back(*right);
      out.push_back(*got);
    }
    return relative_error(out, expected);
  }

  Recurrent recurrent_;
  Pass pass_;
  std::shared_ptr<CudnnHandle> cudnn_;
  Descriptors d_;
  Sizes sizes_;
  Buffer<std::int32_t> lengths_;
};

}  // namespace

Outcome<Prepared> prepare_recurrent(const Recurrent& recurrent, const LayerCase& layer, const LayerContext& context) {
  if (!context.cudnn) {
    return tl::unexpected(context.cudnn.error());
  }
  for (const auto& able : {check_precision(layer.precision, context), check_shape(recurrent)}) {
    if (!able) {
      return tl::unexpected(able.error());
    }
  }
  const auto type = cudnn_type(layer.precision);
  if (!type) {
    return tl::unexpected(type.error());
  }
  auto descriptors = describe(recurrent, layer.precision, *type, (*context.cudnn)->handle);
  if (!descriptors) {
    return tl::unexpected(descriptors.error());
  }
  const auto sizes = sizes_of(*descriptors, layer.pass, (*context.cudnn)->handle);
  auto lengths = device_lengths(recurrent, context.stream);
  if (!sizes || !lengths) {
    return tl::unexpected(sizes ? lengths.error() : sizes.error());
  }
  return std::make_unique<RecurrentJob>(recurrent, layer, *context.cudnn, std::move(*descriptors), *sizes,
                                        std::move(*lengths));
}

}  // namespace rooftile::measure
