#include "rooftile/workload/conv_geometry.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/workload/bad_input.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kAxisNames[] = {"depth", "height", "width"};

// Phases of a transposed convolution are enumerated one by one.
constexpr std::int64_t kMaxTransposedStride = 4096;

// Traffic is counted tap by tap along each axis.
constexpr std::int64_t kMaxFilter = 1 << 20;

bool in_range(std::int64_t value, std::int64_t least, std::int64_t most = kMaxDimension) {
  return value >= least && value <= most;
}

Result<void> check_numbers(const ConvAxis& axis, bool transposed, std::string_view name) {
  struct Number {
    std::string_view what;
    std::int64_t value;
    std::int64_t least;
    std::int64_t most = kMaxDimension;
  };
  const Number numbers[] = {
      {"input size", axis.in, 1},
      {"filter size", axis.filter, 1, kMaxFilter},
      {"stride", axis.stride, 1},
      {"dilation", axis.dilation, 1},
      {"padding", axis.pad_begin, 0},
      {"padding", axis.pad_end, 0},
      {"output padding", axis.output_padding, 0},
  };
  for (const Number& number : numbers) {
    if (!in_range(number.value, number.least, number.most)) {
      return bad_input(fmt::format("convolution {} {} is {}, it must be {} to {}", name, number.what, number.value,
                                   number.least, number.most));
    }
  }
  if (!transposed && axis.output_padding != 0) return bad_input("output padding needs a transposed convolution");
  if (transposed && axis.output_padding >= std::max(axis.stride, axis.dilation)) {
    return bad_input(fmt::format("convolution {} output padding {} must be less than the stride {} or the dilation {}",
                                 name, axis.output_padding, axis.stride, axis.dilation));
  }
  if (transposed && axis.stride > kMaxTransposedStride) {
    return bad_input(fmt::format("transposed convolution {} stride is {}, at most {} is handled", name, axis.stride,
                                 kMaxTransposedStride));
  }
  return {};
}

Result<void> check_axis(const ConvAxis& axis, bool transposed, std::string_view name) {
  TRY(check_numbers(axis, transposed, name));
  // Each factor is at most 2^31, so these cannot overflow; the sums below can only once both are known to be small.
  const std::int64_t reach = axis.dilation * (axis.filter - 1);
  const std::int64_t span = transposed ? (axis.in - 1) * axis.stride : 0;
  if (reach > kMaxDimension || span > kMaxDimension) {
    return bad_input(fmt::format("convolution {}: a filter of {} with dilation {} and stride {} reaches too far", name,
                                 axis.filter, axis.dilation, axis.stride));
  }
  if (padded(axis) > kMaxDimension) {
    return bad_input(
        fmt::format("convolution {}: {} padded positions are more than {}", name, padded(axis), kMaxDimension));
  }
  const std::int64_t out = out_positions(axis, transposed);
  if (out < 1) {
    return bad_input(
        transposed
            ? fmt::format("convolution {}: padding {} and {} leaves no output", name, axis.pad_begin, axis.pad_end)
            : fmt::format("convolution {}: a filter that spans {} does not fit into {} padded positions", name,
                          filter_extent(axis), padded(axis)));
  }
  if (out > kMaxDimension) return bad_input(fmt::format("convolution {}: {} outputs are too many", name, out));
  return {};
}

}  // namespace

std::int64_t padded(const ConvAxis& axis) { return axis.in + axis.pad_begin + axis.pad_end; }

std::int64_t filter_extent(const ConvAxis& axis) { return axis.dilation * (axis.filter - 1) + 1; }

std::int64_t out_positions(const ConvAxis& axis, bool transposed) {
  if (transposed) {
    return (axis.in - 1) * axis.stride - axis.pad_begin - axis.pad_end + filter_extent(axis) + axis.output_padding;
  }
  const std::int64_t room = padded(axis) - filter_extent(axis);
  return room < 0 ? 0 : room / axis.stride + 1;
}

bool is_depthwise(const Conv& conv) { return conv.groups > 1 && conv.groups == conv.in_channels; }

double macs(const Conv& conv) {
  double count = static_cast<double>(conv.batch) * static_cast<double>(conv.out_channels) *
                 static_cast<double>(conv.in_channels / conv.groups);
  for (const ConvAxis& axis : conv.axes) {
    // A transposed convolution scatters each input to every tap, a direct one gathers every tap for each output.
    const std::int64_t positions = conv.transposed ? axis.in : out_positions(axis, false);
    count *= static_cast<double>(positions) * static_cast<double>(axis.filter);
  }
  return count;
}

Result<void> check(const Conv& conv) {
  struct Number {
    std::string_view what;
    std::int64_t value;
  };
  for (const Number& number : {Number{"batch", conv.batch}, Number{"input channels", conv.in_channels},
                               Number{"output channels", conv.out_channels}, Number{"groups", conv.groups}}) {
    if (!in_range(number.value, 1)) {
      return bad_input(
          fmt::format("convolution {} is {}, it must be 1 to {}", number.what, number.value, kMaxDimension));
    }
  }
  if (conv.in_channels % conv.groups != 0 || conv.out_channels % conv.groups != 0) {
    return bad_input(fmt::format("convolution with {} groups cannot split {} input and {} output channels", conv.groups,
                                 conv.in_channels, conv.out_channels));
  }
  for (std::size_t i = 0; i < conv.axes.size(); ++i) {
    TRY(check_axis(conv.axes[i], conv.transposed, kAxisNames[i]));
  }
  if (macs(conv) > kMaxMacs)
    return bad_input(fmt::format("convolution of {:.3g} multiply-accumulates is too large", macs(conv)));
  return {};
}

}  // namespace rooftile
