#include "rooftile/ingest/onnx_window.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/workload/bad_input.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 5> kWindowed = {"AveragePool", "Conv", "ConvTranspose", "LpPool", "MaxPool"};

// The list `key`: `count` numbers, each at least `least`; all `otherwise` where it is missing.
Result<Ints> list(const OnnxNode& node, std::string_view key, std::size_t count, std::int64_t least,
                  std::int64_t otherwise) {
  Ints values = node.get_ints(key);
  if (values.empty()) values.assign(count, otherwise);
  if (values.size() != count) {
    return bad_input(fmt::format("{} has {} entries where {} are needed", key, values.size(), count));
  }
  for (const std::int64_t value : values) {
    if (value < least || value > kMaxDimension) return bad_input(fmt::format("{} contains {}", key, value));
  }
  return values;
}

// Splits `total` positions of padding over both ends; the odd one goes where auto_pad says.
void split_padding(ConvAxis& axis, std::int64_t total, bool odd_at_end) {
  axis.pad_begin = odd_at_end ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

// auto_pad SAME_UPPER or SAME_LOWER: as many outputs as inputs / stride, rounded up (transposed: inputs x stride).
void pad_same(ConvAxis& axis, bool transposed, bool odd_at_end) {
  const std::int64_t extent = filter_extent(axis);
  const std::int64_t outputs = (axis.in + axis.stride - 1) / axis.stride;
  const std::int64_t total = transposed ? extent - axis.stride : (outputs - 1) * axis.stride + extent - axis.in;
  split_padding(axis, std::max<std::int64_t>(total, 0), odd_at_end);
}

// output_shape of a transposed convolution: padding that leaves `outputs` positions, or rows of zeros beyond the end.
void pad_to(ConvAxis& axis, std::int64_t outputs, bool odd_at_end) {
  const std::int64_t total = (axis.in - 1) * axis.stride + filter_extent(axis) + axis.output_padding - outputs;
  split_padding(axis, std::max<std::int64_t>(total, 0), odd_at_end);
  axis.output_padding += std::max<std::int64_t>(-total, 0);
}

// As many taps as `input` has spatial dimensions: of a convolution those of its filter.
Result<Shape> kernel_of(const OnnxGraph& graph, const OnnxNode& node, const Shape& input) {
  const std::size_t rank = input.size() - 2;
  Shape kernel = node.get_ints("kernel_shape");
  if (node.type == "Conv" || node.type == "ConvTranspose") {
    if (node.input(1) == kAbsent) return bad_input("has no filter");
    const Shape& filter = graph.shape(node.inputs[1]);
    if (filter.size() != input.size()) {
      return bad_input(fmt::format("filter {} does not fit input {}", print(filter), print(input)));
    }
    const Shape taps(filter.begin() + 2, filter.end());
    if (!kernel.empty() && kernel != taps) {
      return bad_input(fmt::format("kernel_shape {} differs from the filter {}", print(kernel), print(filter)));
    }
    kernel = taps;
  }
  if (kernel.size() == rank) return kernel;
  return bad_input(fmt::format("kernel_shape has {} entries where {} are needed", kernel.size(), rank));
}

}  // namespace

bool has_window(std::string_view onnx_type) {
  return std::find(kWindowed.begin(), kWindowed.end(), onnx_type) != kWindowed.end();
}

Result<std::array<ConvAxis, 3>> read_window(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.input(0) == kAbsent) return bad_input("has no input");
  const Shape& input = graph.shape(node.inputs[0]);
  const bool transposed = node.type == "ConvTranspose";
  if (input.size() < 3 || input.size() > 5) {
    return fail(ErrorCode::unsupported,
                fmt::format("its input {} does not have one to three spatial dimensions", print(input)));
  }
  const std::size_t rank = input.size() - 2;
  const Shape kernel = TRY(kernel_of(graph, node, input));
  const auto strides = TRY(list(node, "strides", rank, 1, 1));
  const auto dilations = TRY(list(node, "dilations", rank, 1, 1));
  const auto pads = TRY(list(node, "pads", 2 * rank, 0, 0));
  const auto output_padding = TRY(list(node, "output_padding", rank, 0, 0));
  const auto output_shape = TRY(list(node, "output_shape", rank, 1, 1));
  const std::string auto_pad = node.get_string("auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID" && !auto_pad.empty()) {
    return bad_input(
        fmt::format("auto_pad {} is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID", in_quotes(auto_pad)));
  }
  const bool has_output_shape = transposed && !node.get_ints("output_shape").empty();

  std::array<ConvAxis, 3> axes{};
  for (std::size_t i = 0; i < rank; ++i) {
    ConvAxis& axis = axes[axes.size() - rank + i];
    axis.in = input[i + 2];
    axis.filter = kernel[i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
    if (axis.filter < 1 || axis.filter > kMaxDimension || axis.in > kMaxDimension) {
      return bad_input(fmt::format("kernel_shape contains {}", axis.filter));
    }
    if (filter_extent(axis) > kMaxDimension) return bad_input("the dilated filter is too large");
    if (transposed) axis.output_padding = output_padding[i];
    if (has_output_shape) {
      pad_to(axis, output_shape[i], auto_pad == "SAME_UPPER");
    } else if (same) {
      pad_same(axis, transposed, auto_pad == "SAME_UPPER");
    } else if (auto_pad != "VALID") {
      axis.pad_begin = pads[i];
      axis.pad_end = pads[rank + i];
    }
    if (axis.pad_begin > kMaxDimension || axis.pad_end > kMaxDimension || axis.output_padding > kMaxDimension) {
      return bad_input(fmt::format("padding of {} and {} is out of range", axis.pad_begin, axis.pad_end));
    }
  }
  return axes;
}

}  // namespace rooftile
