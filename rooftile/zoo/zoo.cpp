#include "rooftile/zoo/zoo.hpp"

#include "rooftile/zoo/networks.hpp"

namespace rooftile {

const std::vector<ZooEntry>& zoo() {
  static const std::vector<ZooEntry> entries = {
      {"alexnet", "AlexNet, 96 filters in the first layer, no groups (2012), as in the DeLTA paper", alexnet},
      {"vgg16", "VGG-16, configuration D (2014), as in the DeLTA paper", vgg16},
      {"googlenet", "GoogLeNet without auxiliary classifiers (2014), as in the DeLTA paper", googlenet},
      {"resnet152", "ResNet-152, stride in the first 1x1 (2015), as in the DeLTA paper", resnet152},
  };
  return entries;
}

}  // namespace rooftile
