// ResNets part by part, for the networks that begin with one. Private.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rooftile/zoo/net.hpp"

namespace rooftile {

struct ResNetShape {
  std::array<int, 4> blocks{};  // of each stage
  bool bottleneck = true;
  bool stride_in_3x3 = true;
  std::int64_t groups = 1, group_width = 64;  // of the 3x3 of the first stage
  bool squeeze = false;                       // squeeze and excitation
};
constexpr ResNetShape kResNet34 = {.blocks = {3, 4, 6, 3}, .bottleneck = false};
constexpr ResNetShape kResNet50 = {.blocks = {3, 4, 6, 3}};
constexpr ResNetShape kResNet101 = {.blocks = {3, 4, 23, 3}};
constexpr ResNetShape kResNext50 = {.blocks = {3, 4, 6, 3}, .groups = 32, .group_width = 4};

// 7x7 and pool, to a quarter of the image's size.
TensorId resnet_stem(Net& net, TensorId image);

// Stages 0 to 3, conv2 to conv5 of the paper; `stride` is that of the first block.
TensorId resnet_stage(Net& net, const ResNetShape& shape, TensorId x, std::size_t stage, std::int64_t stride);

}  // namespace rooftile
