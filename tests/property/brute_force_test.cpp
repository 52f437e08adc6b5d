// Closed forms of rooftile/ops against counting one by one, on small layers.
#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "tests/property/random.hpp"
#include <gtest/gtest.h>

#include "rooftile/ops/conv.hpp"
#include "rooftile/ops/work.hpp"

namespace rooftile::property {
namespace {

ConvAxis small_axis(bool transposed) {
  ConvAxis axis = {.in = between(1, 7),
                   .filter = between(1, 4),
                   .stride = between(1, 4),
                   .dilation = between(1, 3),
                   .pad_begin = between(0, 3),
                   .pad_end = between(0, 3)};
  if (transposed) axis.output_padding = between(0, std::max(axis.stride, axis.dilation) - 1);
  return axis;
}

Conv small_conv(bool transposed) {
  Conv conv;
  conv.batch = between(1, 3);
  conv.groups = between(1, 3);
  conv.in_channels = conv.groups * between(1, 3);
  conv.out_channels = conv.groups * between(1, 3);
  conv.transposed = transposed;
  for (std::size_t i = static_cast<std::size_t>(between(0, 2)); i < conv.axes.size(); ++i) {
    conv.axes[i] = small_axis(transposed);
  }
  RC_PRE(check(conv).has_value());
  return conv;
}

// Calls visit(position, tap) for each output and tap of one axis of a direct convolution, padding included.
template <class Visit>
void walk(const ConvAxis& axis, Visit visit) {
  for (std::int64_t output = 0; output < out_positions(axis, false); ++output) {
    for (std::int64_t tap = 0; tap < axis.filter; ++tap) {
      visit(output * axis.stride + tap * axis.dilation - axis.pad_begin, tap);
    }
  }
}

// Input positions of all axes together, as (depth, height, width).
std::set<std::array<std::int64_t, 3>> touched_inputs(const Conv& conv) {
  std::set<std::array<std::int64_t, 3>> inputs;
  const auto inside = [](const ConvAxis& axis, std::int64_t position) { return position >= 0 && position < axis.in; };
  walk(conv.axes[0], [&](std::int64_t d, std::int64_t) {
    if (!inside(conv.axes[0], d)) return;
    walk(conv.axes[1], [&](std::int64_t h, std::int64_t) {
      if (!inside(conv.axes[1], h)) return;
      walk(conv.axes[2], [&](std::int64_t w, std::int64_t) {
        if (inside(conv.axes[2], w)) inputs.insert({d, h, w});
      });
    });
  });
  return inputs;
}

TEST(CompulsoryElements, AreTheInputsThatAWindowTouchesAndTheFilters) {
  EXPECT_TRUE(rc::check([] {
    const Conv conv = small_conv(false);
    std::int64_t taps = 1;
    for (const ConvAxis& axis : conv.axes) taps *= axis.filter;
    const std::int64_t inputs = conv.batch * conv.in_channels * static_cast<std::int64_t>(touched_inputs(conv).size());
    const std::int64_t filters = conv.out_channels * (conv.in_channels / conv.groups) * taps;
    RC_ASSERT(compulsory_elements(im2col(conv)) == static_cast<double>(inputs + filters));
    RC_ASSERT(conv_operand_bytes(conv, Bytes(4)).read == Bytes(4.0 * static_cast<double>(inputs + filters)));
  }));
}

TEST(Im2col, MultipliesOutAsTheConvolution) {
  EXPECT_TRUE(rc::check([] {
    const Conv conv = small_conv(false);
    double pairs = static_cast<double>(conv.batch * conv.out_channels * (conv.in_channels / conv.groups));
    for (const ConvAxis& axis : conv.axes) {
      double count = 0;
      walk(axis, [&](std::int64_t, std::int64_t) { ++count; });
      pairs *= count;
    }
    const Im2col gemm = im2col(conv);
    RC_ASSERT(gemm.groups * gemm.m * gemm.n * gemm.k == pairs);
    RC_ASSERT(macs(conv) == pairs);
  }));
}

// How many outputs of one axis of a transposed convolution have how many taps, by scattering nothing and asking for
// each pair of output and tap whether an input, inside the map or beyond its edge, would meet there.
std::map<std::int64_t, std::int64_t> outputs_by_taps(const ConvAxis& axis) {
  std::map<std::int64_t, std::int64_t> outputs;
  for (std::int64_t output = 0; output < out_positions(axis, true); ++output) {
    std::int64_t taps = 0;
    for (std::int64_t tap = 0; tap < axis.filter; ++tap) {
      if ((output + axis.pad_begin - tap * axis.dilation) % axis.stride == 0) ++taps;
    }
    if (taps > 0) ++outputs[taps];
  }
  return outputs;
}

// Over all axes: how many outputs have so many taps along depth, height and width.
using ByTaps = std::map<std::array<std::int64_t, 3>, double>;

TEST(DirectParts, CoverEachOutputAndTapOfATransposedConvolutionOnce) {
  EXPECT_TRUE(rc::check([] {
    const Conv conv = small_conv(true);
    ByTaps counted;
    for (const auto& [d, depths] : outputs_by_taps(conv.axes[0])) {
      for (const auto& [h, heights] : outputs_by_taps(conv.axes[1])) {
        for (const auto& [w, widths] : outputs_by_taps(conv.axes[2])) {
          counted[{d, h, w}] += static_cast<double>(depths * heights * widths);
        }
      }
    }
    ByTaps covered;
    for (const ConvPart& part : direct_parts(conv)) {
      double outputs = part.count;
      for (const ConvAxis& axis : part.conv.axes) outputs *= static_cast<double>(out_positions(axis, false));
      covered[{part.conv.axes[0].filter, part.conv.axes[1].filter, part.conv.axes[2].filter}] += outputs;
      RC_ASSERT(part.conv.groups == conv.groups);
      RC_ASSERT(part.conv.in_channels == conv.in_channels);
    }
    RC_ASSERT(covered == counted);
  }));
}

// Without padding no output is cut away, so the multiply-accumulates are the pairs of input and tap: those that a walk
// over the outputs finds inside the map.
TEST(Macs, OfATransposedConvolutionAreThePairsOfInputAndTap) {
  EXPECT_TRUE(rc::check([] {
    Conv conv = small_conv(true);
    double pairs = static_cast<double>(conv.batch * conv.out_channels * (conv.in_channels / conv.groups));
    for (ConvAxis& axis : conv.axes) {
      axis.pad_begin = axis.pad_end = 0;
      double inside = 0;
      for (std::int64_t output = 0; output < out_positions(axis, true); ++output) {
        for (std::int64_t tap = 0; tap < axis.filter; ++tap) {
          const std::int64_t distance = output - tap * axis.dilation;
          if (distance >= 0 && distance % axis.stride == 0 && distance / axis.stride < axis.in) ++inside;
        }
      }
      pairs *= inside;
    }
    RC_ASSERT(macs(conv) == pairs);
  }));
}

}  // namespace
}  // namespace rooftile::property
