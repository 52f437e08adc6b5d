#include "rooftile/workload/sequence.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/workload/bad_input.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

// Each has tensors of its own; networks have ten at most.
constexpr std::int64_t kMostRecurrentLayers = 4096;

struct Number {
  const char* name;
  std::int64_t value;
};

template <class Numbers>
Result<void> check_numbers(const Numbers& numbers) {
  for (const Number& number : numbers) {
    if (number.value < 1 || number.value > kMaxDimension) {
      return bad_input(fmt::format("{} {} is not between 1 and {}", number.name, number.value, kMaxDimension));
    }
  }
  return {};
}

// The sum of min(i, most) over i = first..last.
double sum_clipped(double first, double last, double most) {
  const double rising = std::clamp(most, first - 1, last);  // the last i that is not clipped
  const double terms = rising - first + 1;
  return terms * (first + rising) / 2 + (last - rising) * most;
}

double all_pairs(const Attention& attention) {
  return static_cast<double>(attention.batch) * static_cast<double>(attention.heads) * pairs_of(attention);
}

}  // namespace

AttentionElements elements_of(const Attention& attention) {
  const double batch = static_cast<double>(attention.batch), dim = static_cast<double>(attention.head_dim);
  const double queries = batch * static_cast<double>(attention.q_len) * static_cast<double>(attention.heads);
  const double keys = batch * static_cast<double>(attention.kv_len) * static_cast<double>(attention.kv_heads);
  const double values = static_cast<double>(value_dim(attention));
  return {.q = queries * dim, .kv = keys * dim, .values = keys * values, .out = queries * values};
}

std::int64_t value_dim(const Attention& attention) {
  return attention.head_dim_v > 0 ? attention.head_dim_v : attention.head_dim;
}

double pairs_of(const Attention& attention) {
  const double q = static_cast<double>(attention.q_len), kv = static_cast<double>(attention.kv_len);
  const double window = attention.window > 0 ? std::min(kv, static_cast<double>(attention.window)) : kv;
  if (attention.causal) return sum_clipped(kv - q + 1, kv, window);
  // All but the keys before the window of each query, of which those before the first key have none.
  const double first = std::max(1.0, kv - q + 1);
  return q * kv - (first + kv) * (kv - first + 1) / 2 + sum_clipped(first, kv, window);
}

std::int64_t gates_of(const Recurrent& recurrent) {
  if (recurrent.cell == "lstm") return 4;
  return recurrent.cell == "gru" ? 3 : 1;
}

double macs(const Attention& attention) {
  return all_pairs(attention) * static_cast<double>(attention.head_dim + value_dim(attention));
}

double gradient_macs(const Attention& attention) {
  return all_pairs(attention) * static_cast<double>(3 * attention.head_dim + 2 * value_dim(attention));
}

double macs(const Recurrent& recurrent) {
  return static_cast<double>(recurrent.batch) * static_cast<double>(recurrent.steps) * weights_of(recurrent);
}

double weights_of(const Recurrent& recurrent) {
  const double hidden = static_cast<double>(recurrent.hidden), directions = static_cast<double>(recurrent.directions);
  double inputs = 0;  // of all layers: those after the first read both directions of the one before
  if (recurrent.input_projection) {
    inputs = static_cast<double>(recurrent.input) + static_cast<double>(recurrent.layers - 1) * directions * hidden;
  }
  const double states = static_cast<double>(recurrent.layers) * hidden;
  return directions * static_cast<double>(gates_of(recurrent)) * hidden * (inputs + states);
}

Result<void> check(const Attention& attention) {
  const std::array<Number, 6> numbers = {{{"batch", attention.batch},
                                          {"q_len", attention.q_len},
                                          {"kv_len", attention.kv_len},
                                          {"heads", attention.heads},
                                          {"kv_heads", attention.kv_heads},
                                          {"head_dim", attention.head_dim}}};
  TRY(check_numbers(numbers));
  if (attention.head_dim_v < 0 || attention.head_dim_v > kMaxDimension) {
    return bad_input(fmt::format("head_dim_v {} is not between 0 and {}", attention.head_dim_v, kMaxDimension));
  }
  if (attention.window < 0) return bad_input(fmt::format("window {} is below 0", attention.window));
  if (attention.heads % attention.kv_heads != 0) {
    return bad_input(fmt::format("{} heads cannot share {} kv_heads alike", attention.heads, attention.kv_heads));
  }
  if (attention.causal && attention.q_len > attention.kv_len) {
    return bad_input(fmt::format("{} causal queries over {} keys", attention.q_len, attention.kv_len));
  }
  const AttentionElements count = elements_of(attention);
  if (std::max({count.q, count.kv, count.values, count.out}) > kMaxElements) return bad_input("a tensor is too large");
  return macs(attention) > kMaxMacs ? Result<void>(bad_input("too many multiply-accumulates")) : Result<void>();
}

Result<void> check(const Recurrent& recurrent) {
  const std::array<Number, 6> numbers = {{{"batch", recurrent.batch},
                                          {"steps", recurrent.steps},
                                          {"input", recurrent.input},
                                          {"hidden", recurrent.hidden},
                                          {"layers", recurrent.layers},
                                          {"directions", recurrent.directions}}};
  TRY(check_numbers(numbers));
  if (recurrent.layers > kMostRecurrentLayers) {
    return bad_input(fmt::format("layers {} is not between 1 and {}", recurrent.layers, kMostRecurrentLayers));
  }
  if (recurrent.cell != "lstm" && recurrent.cell != "gru" && recurrent.cell != "vanilla") {
    return bad_input(fmt::format("unknown cell '{}'; one of lstm, gru, vanilla", recurrent.cell));
  }
  if (recurrent.directions > 2) return bad_input("a recurrent layer runs in 1 or 2 directions");
  if (weights_of(recurrent) > kMaxElements) return bad_input("a tensor is too large");
  return macs(recurrent) > kMaxMacs ? Result<void>(bad_input("too many multiply-accumulates")) : Result<void>();
}

}  // namespace rooftile
