#include "rooftile/measure/cuda/layers/element.cuh"
#include "rooftile/measure/cuda/layers/reference.hpp"
#include "rooftile/measure/cuda/layers/stream_kernels.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile::measure {
namespace {

constexpr unsigned kThreads = 128;  // of a CTA, which computes one element at a time

unsigned ctas(const Samples& samples) { return static_cast<unsigned>(samples.count); }

__device__ double value(const Operand& operand, std::int64_t i) { return element(operand.data, operand.type, i); }

__global__ void rooftile_check_gemm(Gemm gemm, Operand a, Operand b, Operand bias, Samples samples) {
  const std::int64_t position = samples.positions[blockIdx.x];
  const std::int64_t column = position % gemm.n;
  const std::int64_t row = position / gemm.n % gemm.m;
  const std::int64_t batch = position / gemm.n / gemm.m;
  double sum = 0;
  for (std::int64_t k = threadIdx.x; k < gemm.k; k += kThreads) {
    const std::int64_t left = gemm.trans_a ? k * gemm.m + row : row * gemm.k + k;
    const std::int64_t right = gemm.trans_b ? column * gemm.k + k : k * gemm.n + column;
    sum += value(a, batch * gemm.m * gemm.k + left) * value(b, batch * gemm.k * gemm.n + right);
  }
  sum = cta_sum(sum);
  if (threadIdx.x == 0) {
    samples.out[blockIdx.x] = sum + (bias.data == nullptr ? 0 : value(bias, column));
  }
}

// A convolution by the numbers that its sums need, axes in the order depth, height, width.
struct Geometry {
  std::int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  ConvAxis axes[3] = {};
  std::int64_t out[3] = {};
  bool channels_last = false;

  std::int64_t channels_in_group = 1;  // of the input
  std::int64_t filters_in_group = 1;
};

// A place in a tensor of n x c x three spatial positions.
struct Place {
  std::int64_t n = 0, c = 0, at[3] = {};
};

__device__ Place place_of(std::int64_t position, std::int64_t channels, const std::int64_t (&size)[3], bool last) {
  Place place;
  if (last) {
    place.c = position % channels;
    position /= channels;
  }
  for (int axis = 2; axis >= 0; --axis) {
    place.at[axis] = position % size[axis];
    position /= size[axis];
  }
  if (!last) {
    place.c = position % channels;
    position /= channels;
  }
  place.n = position;
  return place;
}

__device__ std::int64_t position_of(const Place& place, std::int64_t channels, const std::int64_t (&size)[3],
                                    bool last) {
  const std::int64_t rows = last ? place.n : place.n * channels + place.c;
  const std::int64_t spatial = ((rows * size[0] + place.at[0]) * size[1] + place.at[1]) * size[2] + place.at[2];
  return last ? spatial * channels + place.c : spatial;
}

struct Sizes {
  std::int64_t in[3], out[3], filter[3];
};

__device__ Sizes sizes_of(const Geometry& g) {
  Sizes sizes{};
  for (int axis = 0; axis < 3; ++axis) {
    sizes.in[axis] = g.axes[axis].in;
    sizes.out[axis] = g.out[axis];
    sizes.filter[axis] = g.axes[axis].filter;
  }
  return sizes;
}

// Where output position `out` and filter tap `tap` read the input, in padding too.
__device__ std::int64_t input_at(const ConvAxis& axis, std::int64_t out, std::int64_t tap) {
  return out * axis.stride - axis.pad_begin + tap * axis.dilation;
}

__device__ double forward_term(const Geometry& g, const Sizes& s, const Place& y, std::int64_t i, const Operand& x,
                               const Operand& w) {
  const Place tap = place_of(i, g.channels_in_group, s.filter, false);
  Place from{.n = y.n, .c = y.c / g.filters_in_group * g.channels_in_group + tap.c};
  for (int axis = 0; axis < 3; ++axis) {
    from.at[axis] = input_at(g.axes[axis], y.at[axis], tap.at[axis]);
    if (from.at[axis] < 0 || from.at[axis] >= s.in[axis]) {
      return 0;
    }
  }
  Place weight = tap;
  weight.n = y.c;
  return value(x, position_of(from, g.in_channels, s.in, g.channels_last)) *
         value(w, position_of(weight, g.channels_in_group, s.filter, g.channels_last));
}

__device__ double data_term(const Geometry& g, const Sizes& s, const Place& x, std::int64_t i, const Operand& dy,
                            const Operand& w) {
  const Place tap = place_of(i, g.filters_in_group, s.filter, false);
  Place from{.n = x.n, .c = x.c / g.channels_in_group * g.filters_in_group + tap.c};
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t scaled = x.at[axis] + g.axes[axis].pad_begin - tap.at[axis] * g.axes[axis].dilation;
    from.at[axis] = scaled / g.axes[axis].stride;
    if (scaled < 0 || scaled % g.axes[axis].stride != 0 || from.at[axis] >= s.out[axis]) {
      return 0;
    }
  }
  Place weight = tap;
  weight.n = from.c;
  weight.c = x.c % g.channels_in_group;
  return value(dy, position_of(from, g.out_channels, s.out, g.channels_last)) *
         value(w, position_of(weight, g.channels_in_group, s.filter, g.channels_last));
}

__device__ double weight_term(const Geometry& g, const Sizes& s, const Place& w, std::int64_t i, const Operand& x,
                              const Operand& dy) {
  Place out = place_of(i, 1, s.out, false);
  out.c = w.n;
  Place from{.n = out.n, .c = w.n / g.filters_in_group * g.channels_in_group + w.c};
  for (int axis = 0; axis < 3; ++axis) {
    from.at[axis] = input_at(g.axes[axis], out.at[axis], w.at[axis]);
    if (from.at[axis] < 0 || from.at[axis] >= s.in[axis]) {
      return 0;
    }
  }
  return value(x, position_of(from, g.in_channels, s.in, g.channels_last)) *
         value(dy, position_of(out, g.out_channels, s.out, g.channels_last));
}

__global__ void rooftile_check_conv(Geometry g, Pass pass, Operand first, Operand second, Samples samples) {
  const Sizes s = sizes_of(g);
  const std::int64_t position = samples.positions[blockIdx.x];
  const std::int64_t taps = s.filter[0] * s.filter[1] * s.filter[2];
  double sum = 0;
  if (pass == Pass::fwd) {
    const Place y = place_of(position, g.out_channels, s.out, g.channels_last);
    for (std::int64_t i = threadIdx.x; i < g.channels_in_group * taps; i += kThreads) {
      sum += forward_term(g, s, y, i, first, second);
    }
  } else if (pass == Pass::bwd_data) {
    const Place x = place_of(position, g.in_channels, s.in, g.channels_last);
    for (std::int64_t i = threadIdx.x; i < g.filters_in_group * taps; i += kThreads) {
      sum += data_term(g, s, x, i, first, second);
    }
  } else {
    const Place w = place_of(position, g.channels_in_group, s.filter, g.channels_last);
    for (std::int64_t i = threadIdx.x; i < g.batch * s.out[0] * s.out[1] * s.out[2]; i += kThreads) {
      sum += weight_term(g, s, w, i, first, second);
    }
  }
  sum = cta_sum(sum);
  if (threadIdx.x == 0) {
    samples.out[blockIdx.x] = sum;
  }
}

__global__ void rooftile_check_copy(const double* result, Samples samples) {
  if (threadIdx.x == 0) {
    samples.out[blockIdx.x] = result[samples.positions[blockIdx.x]];
  }
}

__global__ void rooftile_check_attention(Attention attention, Operand q, Operand k, Operand v, Samples samples) {
  const std::int64_t position = samples.positions[blockIdx.x];
  const std::int64_t depth = attention.head_dim;
  const std::int64_t query = position / depth;  // over batch, heads and positions
  const std::int64_t row = query % attention.q_len;
  const std::int64_t head = query / attention.q_len % attention.heads;
  const std::int64_t batch = query / attention.q_len / attention.heads;
  const std::int64_t kv_head = head / (attention.heads / attention.kv_heads);
  const std::int64_t keys = (batch * attention.kv_heads + kv_head) * attention.kv_len;
  const KeyRange range = keys_of(attention, row);

  const auto score = [&](std::int64_t key) {
    double sum = 0;
    for (std::int64_t d = 0; d < depth; ++d) {
      sum += value(q, query * depth + d) * value(k, (keys + key) * depth + d);
    }
    return sum / sqrt(static_cast<double>(depth));
  };
  double largest = -INFINITY;
  for (std::int64_t key = range.begin + threadIdx.x; key < range.end; key += kThreads) {
    largest = fmax(largest, score(key));
  }
  largest = cta_max(largest);
  double weights = 0;
  double sum = 0;
  for (std::int64_t key = range.begin + threadIdx.x; key < range.end; key += kThreads) {
    const double weight = exp(score(key) - largest);
    weights += weight;
    sum += weight * value(v, (keys + key) * depth + position % depth);
  }
  weights = cta_sum(weights);
  sum = cta_sum(sum);
  if (threadIdx.x == 0) {
    samples.out[blockIdx.x] = sum / weights;
  }
}

__device__ double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// The kinds that read a whole row for each element.
__device__ double row_value(const StreamLayer& layer, std::int64_t position, const Operand& input,
                            const Operand& weight, const Operand& bias) {
  const std::int64_t row = position / layer.columns * layer.columns;
  const std::int64_t column = position % layer.columns;
  const auto n = static_cast<double>(layer.columns);
  const double x = value(input, position);
  if (layer.kind == StreamKind::softmax) {
    double largest = -INFINITY;
    for (std::int64_t i = threadIdx.x; i < layer.columns; i += kThreads) {
      largest = fmax(largest, value(input, row + i));
    }
    largest = cta_max(largest);
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < layer.columns; i += kThreads) {
      sum += exp(value(input, row + i) - largest);
    }
    return exp(x - largest) / cta_sum(sum);
  }
  double mean = 0;
  if (layer.kind == StreamKind::layernorm) {
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < layer.columns; i += kThreads) {
      sum += value(input, row + i);
    }
    mean = cta_sum(sum) / n;
  }
  double squares = 0;
  for (std::int64_t i = threadIdx.x; i < layer.columns; i += kThreads) {
    const double off = value(input, row + i) - mean;
    squares += off * off;
  }
  const double scaled = (x - mean) / sqrt(cta_sum(squares) / n + kNormEpsilon) * value(weight, column);
  return layer.kind == StreamKind::layernorm ? scaled + value(bias, column) : scaled;
}

__device__ double flat_value(const StreamLayer& layer, std::int64_t position, const Operand& input,
                             const Operand& other) {
  const double x = value(input, position);
  switch (layer.kind) {
    case StreamKind::gelu:
      return 0.5 * x * (1 + erf(x * 0.70710678118654752));
    case StreamKind::activation:
      return x * sigmoid(x);
    case StreamKind::gated_activation: {
      const std::int64_t row = position / layer.columns;
      const std::int64_t gate = 2 * row * layer.columns + position % layer.columns;
      const double g = value(input, gate);
      return g * sigmoid(g) * value(input, gate + layer.columns);
    }
    default:
      return x + value(other, position);
  }
}

__global__ void rooftile_check_stream(StreamLayer layer, Operand input, Operand first, Operand second,
                                      Samples samples) {
  const std::int64_t position = samples.positions[blockIdx.x];
  const bool by_row =
      layer.kind == StreamKind::norm || layer.kind == StreamKind::layernorm || layer.kind == StreamKind::softmax;
  const double result =
      by_row ? row_value(layer, position, input, first, second) : flat_value(layer, position, input, first);
  if (threadIdx.x == 0) {
    samples.out[blockIdx.x] = result;
  }
}

}  // namespace

void reference_gemm(const Gemm& gemm, Operand a, Operand b, Operand bias, Samples samples, cudaStream_t stream) {
  rooftile_check_gemm<<<ctas(samples), kThreads, 0, stream>>>(gemm, a, b, bias, samples);
}

void reference_conv(const Conv& conv, Pass pass, bool channels_last, Operand first, Operand second, Samples samples,
                    cudaStream_t stream) {
  Geometry geometry{.batch = conv.batch,
                    .in_channels = conv.in_channels,
                    .out_channels = conv.out_channels,
                    .groups = conv.groups,
                    .channels_last = channels_last,
                    .channels_in_group = conv.in_channels / conv.groups,
                    .filters_in_group = conv.out_channels / conv.groups};
  for (int axis = 0; axis < 3; ++axis) {
    geometry.axes[axis] = conv.axes[static_cast<std::size_t>(axis)];
    geometry.out[axis] = out_positions(geometry.axes[axis], false);
  }
  rooftile_check_conv<<<ctas(samples), kThreads, 0, stream>>>(geometry, pass, first, second, samples);
}

void reference_attention(const Attention& attention, Operand q, Operand k, Operand v, Samples samples,
                         cudaStream_t stream) {
  rooftile_check_attention<<<ctas(samples), kThreads, 0, stream>>>(attention, q, k, v, samples);
}

void reference_stream(const StreamLayer& layer, Operand input, Operand first, Operand second, Samples samples,
                      cudaStream_t stream) {
  rooftile_check_stream<<<ctas(samples), kThreads, 0, stream>>>(layer, input, first, second, samples);
}

void reference_copy(const double* result, Samples samples, cudaStream_t stream) {
  rooftile_check_copy<<<ctas(samples), kThreads, 0, stream>>>(result, samples);
}

}  // namespace rooftile::measure
