#include "rooftile/ingest/onnx_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace rooftile {
namespace {

using Int = std::int64_t;
using MaybeInt = std::optional<Int>;
using MaybeFloat = std::optional<double>;

// One operator in both arithmetics.
template <template <class> class Function>
struct NamedFunction {
  std::string_view type;
  Function<Int> ints;
  Function<double> floats;
};

template <class T, template <class> class Function, std::size_t count>
Function<T> find(const std::array<NamedFunction<Function>, count>& table, std::string_view type) {
  for (const NamedFunction<Function>& row : table) {
    if (row.type != type) continue;
    if constexpr (std::is_same_v<T, Int>) {
      return row.ints;
    } else {
      return row.floats;
    }
  }
  return nullptr;
}

template <class T>
std::optional<T> same(T a) {
  return a;
}

MaybeInt negate(Int a) { return a == INT64_MIN ? std::nullopt : MaybeInt(-a); }

using Unary = NamedFunction<UnaryFunction>;
constexpr std::array kUnary = {
    Unary{"Abs", [](Int a) { return a < 0 ? negate(a) : a; }, [](double a) { return MaybeFloat(std::abs(a)); }},
    Unary{"Ceil", nullptr, [](double a) { return MaybeFloat(std::ceil(a)); }},
    Unary{"Exp", nullptr, [](double a) { return MaybeFloat(std::exp(a)); }},
    Unary{"Expand", same, same},  // each output element is one of the input's, by broadcasting
    Unary{"Floor", nullptr, [](double a) { return MaybeFloat(std::floor(a)); }},
    Unary{"Identity", same, same},
    Unary{"Log", nullptr, [](double a) { return MaybeFloat(std::log(a)); }},
    Unary{"Neg", negate, [](double a) { return MaybeFloat(-a); }},
    Unary{"Not", [](Int a) { return MaybeInt(a == 0); }, nullptr},
    Unary{"Reciprocal", nullptr, [](double a) { return a == 0 ? std::nullopt : MaybeFloat(1 / a); }},
    Unary{"Round", nullptr, [](double a) { return MaybeFloat(std::nearbyint(a)); }},
    Unary{"Sqrt", nullptr, [](double a) { return MaybeFloat(std::sqrt(a)); }},
};

MaybeInt add(Int a, Int b) {
  Int result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::nullopt : MaybeInt(result);
}
MaybeInt subtract(Int a, Int b) {
  Int result = 0;
  return __builtin_sub_overflow(a, b, &result) ? std::nullopt : MaybeInt(result);
}
MaybeInt multiply(Int a, Int b) {
  Int result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : MaybeInt(result);
}
bool divides(Int a, Int b) { return b != 0 && !(a == INT64_MIN && b == -1); }
MaybeInt divide(Int a, Int b) { return divides(a, b) ? MaybeInt(a / b) : std::nullopt; }
MaybeInt modulo(Int a, Int b) {  // has the sign of the divisor, as Mod with fmod = 0
  if (!divides(a, b)) return std::nullopt;
  const Int rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

using Binary = NamedFunction<BinaryFunction>;
constexpr std::array kBinary = {
    Binary{"Add", add, [](double a, double b) { return MaybeFloat(a + b); }},
    Binary{"And", [](Int a, Int b) { return MaybeInt(a != 0 && b != 0); }, nullptr},
    Binary{"Div", divide, [](double a, double b) { return b == 0 ? std::nullopt : MaybeFloat(a / b); }},
    Binary{"Max", [](Int a, Int b) { return MaybeInt(std::max(a, b)); },
           [](double a, double b) { return MaybeFloat(std::max(a, b)); }},
    Binary{"Min", [](Int a, Int b) { return MaybeInt(std::min(a, b)); },
           [](double a, double b) { return MaybeFloat(std::min(a, b)); }},
    Binary{"Mod", modulo, nullptr},
    Binary{"Mul", multiply, [](double a, double b) { return MaybeFloat(a * b); }},
    Binary{"Or", [](Int a, Int b) { return MaybeInt(a != 0 || b != 0); }, nullptr},
    Binary{"Pow", nullptr, [](double a, double b) { return MaybeFloat(std::pow(a, b)); }},
    Binary{"Sub", subtract, [](double a, double b) { return MaybeFloat(a - b); }},
};

using Compare = NamedFunction<Comparison>;
constexpr std::array kComparisons = {
    Compare{"Equal", [](Int a, Int b) { return a == b; }, [](double a, double b) { return a == b; }},
    Compare{"Greater", [](Int a, Int b) { return a > b; }, [](double a, double b) { return a > b; }},
    Compare{"GreaterOrEqual", [](Int a, Int b) { return a >= b; }, [](double a, double b) { return a >= b; }},
    Compare{"Less", [](Int a, Int b) { return a < b; }, [](double a, double b) { return a < b; }},
    Compare{"LessOrEqual", [](Int a, Int b) { return a <= b; }, [](double a, double b) { return a <= b; }},
};

}  // namespace

template <class T>
UnaryFunction<T> find_unary(std::string_view onnx_type) {
  return find<T, UnaryFunction>(kUnary, onnx_type);
}
template <class T>
BinaryFunction<T> find_binary(std::string_view onnx_type) {
  return find<T, BinaryFunction>(kBinary, onnx_type);
}
template <class T>
Comparison<T> find_comparison(std::string_view onnx_type) {
  return find<T, Comparison>(kComparisons, onnx_type);
}

template UnaryFunction<Int> find_unary<Int>(std::string_view);
template UnaryFunction<double> find_unary<double>(std::string_view);
template BinaryFunction<Int> find_binary<Int>(std::string_view);
template BinaryFunction<double> find_binary<double>(std::string_view);
template Comparison<Int> find_comparison<Int>(std::string_view);
template Comparison<double> find_comparison<double>(std::string_view);

}  // namespace rooftile
