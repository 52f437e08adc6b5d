// What an operator computes. Convolution, GEMM, attention and recurrent layers carry their full geometry; every
// other kind streams its tensors and carries only what its cost needs. A new kind goes into the variant; the compiler
// lists the rest.
//
//     Conv conv{.batch = 32, .in_channels = 64, .out_channels = 128};
//     conv.axes[1] = conv.axes[2] = {.in = 56, .filter = 3, .pad_begin = 1, .pad_end = 1};  // height, width
//     const OpKind op = conv;
//     assert(name_of(op) == "conv");
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rooftile/workload/dtype.hpp"

namespace rooftile {

// One spatial axis of a convolution. Padding may be negative (cropping) in the parts of a transposed convolution.
struct ConvAxis {
  std::int64_t in = 1;      // input positions, unpadded
  std::int64_t filter = 1;  // filter taps
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;
  std::int64_t output_padding = 0;  // transposed only: extra positions at the end of the output

  bool operator==(const ConvAxis&) const = default;
};

// Convolution over up to three spatial axes, in the order depth, height, width; unused leading axes keep their
// defaults (1-D is width alone). Layout NCDHW. Groups split both channel counts; groups == in_channels is depthwise.
struct Conv {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t groups = 1;
  std::array<ConvAxis, 3> axes{};
  bool transposed = false;
  bool bias = false;

  bool operator==(const Conv&) const = default;
};

// `batch` independent products C[m,n] = op(A)[m,k] op(B)[k,n], row-major. A fully connected layer has m = batch
// size, n = outputs, k = inputs.
struct Gemm {
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  bool trans_a = false;
  bool trans_b = false;
  bool bias = false;

  bool operator==(const Gemm&) const = default;
};

// Maximum or average over a window of `window` elements per output (a global pool's window is the whole map).
struct Pool {
  std::string function = "max";  // max, average, lp
  std::int64_t window = 1;

  bool operator==(const Pool&) const = default;
};

struct Normalize {
  std::string function = "batch";  // batch, layer, group, instance, lrn
  std::int64_t window = 1;         // lrn: channels in the window

  bool operator==(const Normalize&) const = default;
};

struct Softmax {
  bool operator==(const Softmax&) const = default;
};

// One output element from the matching element of each input (broadcast where shapes differ).
struct Elementwise {
  std::string function;  // relu, add, …
  std::int64_t flops_per_element = 1;

  bool operator==(const Elementwise&) const = default;
};

// Sum, mean, max, … over some axes.
struct Reduce {
  std::string function = "sum";

  bool operator==(const Reduce&) const = default;
};

// Copies elements without arithmetic, or with interpolation (resize). `partial`: reads only as many elements as it
// writes (slice, gather, a nearest-neighbour resize down); else it reads its inputs whole (concat, transpose).
struct Move {
  std::string function;  // concat, transpose, slice, gather, pad, resize, expand, …
  bool partial = false;

  bool operator==(const Move&) const = default;
};

// Renames data without touching it: reshape, flatten, identity; dropout, which training computes.
struct View {
  std::string function;

  bool operator==(const View&) const = default;
};
inline bool is_dropout(const View& view) { return view.function == "dropout"; }

// softmax(Q K^T / sqrt(head_dim)) V of every head, as one fused kernel. Q and the result have batch x q_len x heads x
// head_dim elements, K and V batch x kv_len x kv_heads x head_dim; heads is a multiple of kv_heads.
struct Attention {
  std::int64_t batch = 1;
  std::int64_t q_len = 1;
  std::int64_t kv_len = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 1;
  std::int64_t window = 0;  // of the keys before a query, how many it sees; 0: all
  bool causal = false;      // query i of the last q_len positions sees no later key
  // Of the keys and values; the same as the queries unless given.
  std::optional<DType> kv_precision = {};
  std::int64_t head_dim_v = 0;  // of the values and the result; 0: head_dim
  bool deterministic = false;   // gradients are added up in a fixed order
  bool block_scaled = false;    // FP8 with a scale for every few elements (MXFP8)

  bool operator==(const Attention&) const = default;
};

// Layers of LSTM, GRU or plain tanh cells over `steps` positions. Without `input_projection` only the product with the
// hidden state is computed.
struct Recurrent {
  std::string cell = "lstm";  // lstm, gru, vanilla
  std::int64_t batch = 1;
  std::int64_t steps = 1;
  std::int64_t input = 1;   // features of a position
  std::int64_t hidden = 1;  // of a direction
  std::int64_t layers = 1;
  std::int64_t directions = 1;  // 1 or 2
  bool input_projection = true;

  bool operator==(const Recurrent&) const = default;
};

using OpKind =
    std::variant<Conv, Gemm, Attention, Recurrent, Pool, Normalize, Softmax, Elementwise, Reduce, Move, View>;

// The name of the kind as reports print it: "conv", "gemm", "pool", …; always the variant's own name in lower case.
std::string_view name_of(const OpKind& kind);

}  // namespace rooftile
