// The cuDNN that a framework comes with.
#pragma once

#include <string_view>
#include <utility>

namespace rooftile {

// (8, 3) of "PyTorch 1.12 CUDA 11.3": PyTorch 1.11 comes with 8.2, 1.12 with 8.3, 1.13 with 8.5, 2.3 with 8.9, 2.4 with
// 9.1. Of releases between them that of the one before, of those before 1.11 its; (0, 0), the latest, where the name
// tells no release of PyTorch.
std::pair<int, int> cudnn_release(std::string_view framework);

}  // namespace rooftile
