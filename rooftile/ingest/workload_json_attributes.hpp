// The attributes of each kind of op in workload JSON: one table that the reader, the writer and the test of the schema
// share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "rooftile/workload/op.hpp"

namespace rooftile {

inline constexpr const char* kWorkloadSchema = "rooftile/workload/1";

template <class T>
struct Attribute {
  const char* name = "";
  std::variant<std::int64_t T::*, bool T::*, std::string T::*> member;
  std::int64_t least = 1;                   // of a number
  bool fitted = false;                      // follows from the inputs unless it is given
  std::array<const char*, 6> choices = {};  // of a text; empty: any
};

// Of an axis of a convolution or a pooling window: one number for all axes, or a list.
inline constexpr std::array<Attribute<ConvAxis>, 7> kAxisAttributes = {{
    {"in", &ConvAxis::in, 1, true},
    {"filter", &ConvAxis::filter},
    {"stride", &ConvAxis::stride},
    {"dilation", &ConvAxis::dilation},
    {"pad", &ConvAxis::pad_begin, 0},
    {"pad_end", &ConvAxis::pad_end, 0},
    {"output_padding", &ConvAxis::output_padding, 0},
}};

template <class Kind>
inline constexpr std::array<Attribute<Kind>, 0> kAttributes = {};

template <>
inline constexpr std::array<Attribute<Conv>, 6> kAttributes<Conv> = {{
    {"batch", &Conv::batch, 1, true},
    {"in_channels", &Conv::in_channels, 1, true},
    {"out_channels", &Conv::out_channels},
    {"groups", &Conv::groups},
    {"transposed", &Conv::transposed},
    {"bias", &Conv::bias},
}};

template <>
inline constexpr std::array<Attribute<Gemm>, 7> kAttributes<Gemm> = {{
    {"batch", &Gemm::batch, 1, true},
    {"m", &Gemm::m, 1, true},
    {"n", &Gemm::n},
    {"k", &Gemm::k, 1, true},
    {"trans_a", &Gemm::trans_a},
    {"trans_b", &Gemm::trans_b},
    {"bias", &Gemm::bias},
}};

template <>
inline constexpr std::array<Attribute<Attention>, 9> kAttributes<Attention> = {{
    {"batch", &Attention::batch, 1, true},
    {"q_len", &Attention::q_len, 1, true},
    {"kv_len", &Attention::kv_len, 1, true},
    {"heads", &Attention::heads, 1, true},
    {"kv_heads", &Attention::kv_heads, 1, true},
    {"head_dim", &Attention::head_dim, 1, true},
    {"head_dim_v", &Attention::head_dim_v, 0},
    {"window", &Attention::window, 0},
    {"causal", &Attention::causal},
}};

template <>
inline constexpr std::array<Attribute<Recurrent>, 8> kAttributes<Recurrent> = {{
    {"cell", &Recurrent::cell, 1, false, {"lstm", "gru", "vanilla"}},
    {"batch", &Recurrent::batch, 1, true},
    {"steps", &Recurrent::steps, 1, true},
    {"input", &Recurrent::input, 1, true},
    {"hidden", &Recurrent::hidden},
    {"layers", &Recurrent::layers},
    {"directions", &Recurrent::directions},
    {"input_projection", &Recurrent::input_projection},
}};

template <>
inline constexpr std::array<Attribute<Pool>, 2> kAttributes<Pool> = {{
    {"function", &Pool::function, 1, false, {"max", "average", "lp"}},
    {"window", &Pool::window},
}};

template <>
inline constexpr std::array<Attribute<Normalize>, 2> kAttributes<Normalize> = {{
    {"function", &Normalize::function, 1, false, {"batch", "layer", "group", "instance", "lrn", "rms"}},
    {"window", &Normalize::window},
}};

template <>
inline constexpr std::array<Attribute<Elementwise>, 2> kAttributes<Elementwise> = {{
    {"function", &Elementwise::function},
    {"flops_per_element", &Elementwise::flops_per_element, 0},
}};

template <>
inline constexpr std::array<Attribute<Reduce>, 1> kAttributes<Reduce> = {{{"function", &Reduce::function}}};

template <>
inline constexpr std::array<Attribute<Move>, 2> kAttributes<Move> = {{
    {"function", &Move::function},
    {"partial", &Move::partial},
}};

template <>
inline constexpr std::array<Attribute<View>, 1> kAttributes<View> = {{{"function", &View::function}}};

}  // namespace rooftile
