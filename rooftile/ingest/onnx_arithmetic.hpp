// Arithmetic on the elements of small constants, by the names of ONNX's operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rooftile {

// T is std::int64_t (integers and booleans) or double. Nothing: overflow or division by zero. A null function: the
// operator is not one of these, or not defined for T.
template <class T>
using UnaryFunction = std::optional<T> (*)(T);
template <class T>
using BinaryFunction = std::optional<T> (*)(T, T);
template <class T>
using Comparison = bool (*)(T, T);

template <class T>
UnaryFunction<T> find_unary(std::string_view onnx_type);
template <class T>
BinaryFunction<T> find_binary(std::string_view onnx_type);
template <class T>
Comparison<T> find_comparison(std::string_view onnx_type);

}  // namespace rooftile
