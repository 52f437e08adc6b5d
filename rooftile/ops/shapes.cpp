#include "rooftile/ops/shapes.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

// Product of the dimensions in [first, last), as an int64: each operand passed validate()'s limits, or this fails.
Result<std::int64_t> product(const Shape& shape, std::size_t first, std::size_t last) {
  double count = 1;
  std::int64_t exact = 1;
  for (std::size_t i = first; i < last; ++i) {
    if (shape[i] < 1) return fail(ErrorCode::bad_input, fmt::format("dimension {} in {}", shape[i], print(shape)));
    count *= static_cast<double>(shape[i]);
    if (count > kMaxElements) return fail(ErrorCode::bad_input, fmt::format("{} is too large", print(shape)));
    exact *= shape[i];
  }
  return exact;
}

}  // namespace

Shape conv_output(const Conv& conv, int spatial_rank) {
  Shape shape = {conv.batch, conv.out_channels};
  for (std::size_t i = conv.axes.size() - static_cast<std::size_t>(spatial_rank); i < conv.axes.size(); ++i) {
    shape.push_back(out_positions(conv.axes[i], conv.transposed));
  }
  return shape;
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dimension = result[offset + i];
    if (dimension == shorter[i] || shorter[i] == 1) continue;
    if (dimension != 1) {
      return fail(ErrorCode::bad_input, fmt::format("shapes {} and {} do not broadcast", print(a), print(b)));
    }
    dimension = shorter[i];
  }
  return result;
}

Result<MatMul> matmul(const Shape& a, const Shape& b) {
  const auto mismatch = [&] {
    return fail(ErrorCode::bad_input, fmt::format("matrices {} and {} do not multiply", print(a), print(b)));
  };
  if (a.empty() || b.empty()) return mismatch();
  // A vector is a matrix with one row (left) or one column (right), and its dimension leaves the result again.
  const Shape left = a.size() == 1 ? Shape{1, a[0]} : a;
  const Shape right = b.size() == 1 ? Shape{b[0], 1} : b;
  if (left.back() != right[right.size() - 2]) return mismatch();
  const auto leading = broadcast({left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
  if (!leading) return mismatch();

  MatMul result;
  result.gemm.m = left[left.size() - 2];
  result.gemm.n = right.back();
  result.gemm.k = left.back();
  const auto batches = TRY(product(*leading, 0, leading->size()));
  if (right.size() == 2) {
    result.gemm.m = TRY(product(left, 0, left.size() - 1));  // one weight matrix for all rows
  } else {
    result.gemm.batch = batches;
  }
  result.output = *leading;
  if (a.size() > 1) result.output.push_back(left[left.size() - 2]);
  if (b.size() > 1) result.output.push_back(right.back());
  return result;
}

std::int64_t pool_positions(const ConvAxis& axis, bool ceil_mode) {
  const std::int64_t room = padded(axis) - filter_extent(axis);
  if (room < 0) return 0;
  std::int64_t positions = room / axis.stride + 1;
  const bool ragged = room % axis.stride != 0;
  // In ceil mode a last window may hang over the end, but must start inside the input or its left padding.
  if (ceil_mode && ragged && positions * axis.stride < axis.in + axis.pad_begin) ++positions;
  return positions;
}

}  // namespace rooftile
