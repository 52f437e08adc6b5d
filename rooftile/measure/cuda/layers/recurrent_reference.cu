#include <algorithm>
#include <utility>

#include "rooftile/measure/cuda/layers/element.cuh"
#include "rooftile/measure/cuda/layers/recurrent_reference.hpp"

namespace rooftile::measure {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / 32;

unsigned ctas(std::int64_t count, unsigned each, std::int64_t most) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + each - 1) / each, 1, most));
}

__device__ double sign_of(std::uint64_t seed, std::int64_t i) {
  return (hash(hash(seed) + static_cast<std::uint64_t>(i)) & 1) != 0 ? 1 : -1;
}

__global__ void rooftile_check_widen(Operand from, std::int64_t count, double step, std::uint64_t seed, double* to) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    to[i] = element(from.data, from.type, i) + (step == 0 ? 0 : step * sign_of(seed, i));
  }
}

// <operand, y>, or <operand, signs> where y is null.
__global__ void rooftile_check_product(Operand operand, const double* y, std::uint64_t seed, std::int64_t count,
                                       double* sum) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double mine = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine += element(operand.data, operand.type, i) * (y == nullptr ? sign_of(seed, i) : y[i]);
  }
  mine = cta_sum(mine);
  if (threadIdx.x == 0) {
    atomicAdd(sum, mine);
  }
}

enum class Cell { lstm, gru, vanilla };

// One step of one cell.
struct Step {
  Cell cell = Cell::vanilla;
  CellParameters at;
  const double* weights = nullptr;
  const double* input = nullptr;     // batch x width
  const double* previous = nullptr;  // batch x stride, null at the first step
  double* output = nullptr;          // batch x stride
  double* memory = nullptr;          // batch x hidden, of the LSTM
  std::int64_t batch = 1, width = 1, hidden = 1, stride = 1;
};

__device__ double sigmoid(double x) { return 1 / (1 + exp(-x)); }

__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  }
  return value;
}

__device__ double bias(const Step& s, std::int64_t offset, std::int64_t unit) {
  return offset < 0 ? 0 : s.weights[offset + unit];
}

// Row `unit` of the matrix at `offset` times a vector, over the lanes of a warp.
__device__ double row_product(const Step& s, std::int64_t offset, std::int64_t unit, const double* vector,
                              std::int64_t length) {
  double sum = 0;
  for (std::int64_t i = threadIdx.x % 32; i < length; i += 32) {
    sum += s.weights[offset + unit * length + i] * vector[i];
  }
  return warp_sum(sum);
}

// A warp computes one unit of one sample.
__global__ void rooftile_check_cell(Step s, int gates) {
  const std::int64_t which = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
  if (which >= s.batch * s.hidden) {
    return;
  }
  const std::int64_t sample = which / s.hidden;
  const std::int64_t unit = which % s.hidden;
  double from_input[kMostGates] = {};
  double from_hidden[kMostGates] = {};
  for (int gate = 0; gate < gates; ++gate) {
    const auto g = static_cast<std::size_t>(gate);
    // Without a matrix the input itself is added: an identity.
    from_input[gate] = s.at.input[g] < 0 ? s.input[sample * s.width + unit]
                                         : row_product(s, s.at.input[g], unit, s.input + sample * s.width, s.width);
    from_input[gate] += bias(s, s.at.input_bias[g], unit);
    if (s.previous != nullptr) {
      from_hidden[gate] = row_product(s, s.at.hidden[g], unit, s.previous + sample * s.stride, s.hidden);
    }
    from_hidden[gate] += bias(s, s.at.hidden_bias[g], unit);
  }
  const double before = s.previous == nullptr ? 0 : s.previous[sample * s.stride + unit];
  double now = 0;
  double memory = 0;
  if (s.cell == Cell::lstm) {
    memory = s.previous == nullptr ? 0 : s.memory[which];
    memory = sigmoid(from_input[1] + from_hidden[1]) * memory +
             sigmoid(from_input[0] + from_hidden[0]) * tanh(from_input[2] + from_hidden[2]);
    now = sigmoid(from_input[3] + from_hidden[3]) * tanh(memory);
  } else if (s.cell == Cell::gru) {
    const double reset = sigmoid(from_input[0] + from_hidden[0]);
    const double update = sigmoid(from_input[1] + from_hidden[1]);
    now = (1 - update) * tanh(from_input[2] + reset * from_hidden[2]) + update * before;
  } else {
    now = tanh(from_input[0] + from_hidden[0]);
  }
  __syncwarp();  // every lane has read the memory before one writes it
  if (threadIdx.x % 32 == 0) {
    s.output[sample * s.stride + unit] = now;
    if (s.cell == Cell::lstm) {
      s.memory[which] = memory;
    }
  }
}

Outcome<double> read_sum(Operand operand, const double* y, std::uint64_t seed, std::int64_t count,
                         cudaStream_t stream) {
  const auto sum = Buffer<double>::make(1);
  if (!sum) {
    return tl::unexpected(sum.error());
  }
  if (auto done = check(cudaMemsetAsync(sum->get(), 0, sum->bytes(), stream), "clearing a sum"); !done) {
    return tl::unexpected(done.error());
  }
  rooftile_check_product<<<ctas(count, kThreads, 4096), kThreads, 0, stream>>>(operand, y, seed, count, sum->get());
  double value = 0;
  for (const cudaError_t code :
       {cudaGetLastError(), cudaMemcpyAsync(&value, sum->get(), sizeof(value), cudaMemcpyDeviceToHost, stream),
        cudaStreamSynchronize(stream)}) {
    if (auto done = check(code, "computing the reference"); !done) {
      return tl::unexpected(done.error());
    }
  }
  return value;
}

}  // namespace

int gates_of(const Recurrent& recurrent) {
  if (recurrent.cell == "lstm") {
    return 4;
  }
  return recurrent.cell == "gru" ? 3 : 1;
}

Outcome<RecurrentReference> RecurrentReference::make(const Recurrent& recurrent, std::vector<CellParameters> cells,
                                                     std::int64_t weight_count) {
  const std::int64_t widest = std::max(recurrent.input, recurrent.directions * recurrent.hidden);
  const auto sequence = static_cast<std::size_t>(recurrent.steps * recurrent.batch * widest);
  auto weights = Buffer<double>::make(static_cast<std::size_t>(weight_count));
  auto first = Buffer<double>::make(sequence);
  auto second = Buffer<double>::make(sequence);
  auto memory = Buffer<double>::make(static_cast<std::size_t>(recurrent.batch * recurrent.hidden));
  for (const auto* made : {&weights, &first, &second, &memory}) {
    if (!*made) {
      return tl::unexpected(made->error());
    }
  }
  RecurrentReference reference;
  reference.recurrent_ = recurrent;
  reference.cells_ = std::move(cells);
  reference.weights_ = std::move(*weights);
  reference.first_ = std::move(*first);
  reference.second_ = std::move(*second);
  reference.memory_ = std::move(*memory);
  return reference;
}

std::int64_t RecurrentReference::y_count() const {
  return recurrent_.steps * recurrent_.batch * recurrent_.directions * recurrent_.hidden;
}

Outcome<void> RecurrentReference::forward(Operand x, double x_step, Operand w, double w_step, std::uint64_t seed,
                                          cudaStream_t stream) {
  const Recurrent& r = recurrent_;
  const std::int64_t x_count = r.steps * r.batch * r.input;
  const auto weight_count = static_cast<std::int64_t>(weights_.count());
  rooftile_check_widen<<<ctas(x_count, kThreads, 16384), kThreads, 0, stream>>>(x, x_count, x_step, seed, first_.get());
  rooftile_check_widen<<<ctas(weight_count, kThreads, 16384), kThreads, 0, stream>>>(w, weight_count, w_step, seed,
                                                                                     weights_.get());
  double* from = first_.get();
  double* to = second_.get();
  Step step;
  step.cell = r.cell == "lstm" ? Cell::lstm : r.cell == "gru" ? Cell::gru : Cell::vanilla;
  step.weights = weights_.get();
  step.memory = memory_.get();
  step.batch = r.batch;
  step.hidden = r.hidden;
  step.stride = r.directions * r.hidden;
  step.width = r.input;
  const unsigned grid = ctas(r.batch * r.hidden, kWarps, INT32_MAX);
  for (std::int64_t layer = 0; layer < r.layers; ++layer) {
    for (std::int64_t direction = 0; direction < r.directions; ++direction) {
      step.at = cells_[static_cast<std::size_t>(layer * r.directions + direction)];
      step.previous = nullptr;
      for (std::int64_t i = 0; i < r.steps; ++i) {
        const std::int64_t t = direction == 0 ? i : r.steps - 1 - i;
        step.input = from + t * r.batch * step.width;
        step.output = to + t * r.batch * step.stride + direction * r.hidden;
        rooftile_check_cell<<<grid, kThreads, 0, stream>>>(step, gates_of(r));
        step.previous = step.output;
      }
    }
    std::swap(from, to);
    step.width = step.stride;
  }
  result_ = from;
  return check_launch("computing the reference");
}

Outcome<double> RecurrentReference::product_with_y(Operand operand, cudaStream_t stream) const {
  return read_sum(operand, result_, 0, y_count(), stream);
}

Outcome<double> RecurrentReference::product_with_signs(Operand operand, std::int64_t count, std::uint64_t seed,
                                                       cudaStream_t stream) {
  return read_sum(operand, nullptr, seed, count, stream);
}

}  // namespace rooftile::measure
