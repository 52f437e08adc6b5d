// The ONNX files of data/models, compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace rooftile {

struct EmbeddedModel {
  std::string_view name;  // "torchvision/resnet50"
  std::string_view onnx;  // the file, compressed
};

// Sorted by name.
std::span<const EmbeddedModel> embedded_models();

}  // namespace rooftile
