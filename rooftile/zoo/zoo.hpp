// The four networks of the DeLTA paper as it uses them, built from code: AlexNet (96 filters, no groups), VGG-16,
// GoogLeNet and ResNet-152 (stride in the first 1x1 of a downsampling block), 224x224 ImageNet inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct ZooEntry {
  std::string name;
  std::string description;
  Workload (*build)(std::int64_t batch_size);  // 1 to kMaxDimension; the result still needs validate()
};

const std::vector<ZooEntry>& zoo();

}  // namespace rooftile
