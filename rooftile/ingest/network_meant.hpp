// Which network a benchmark means by a name. Private.
#pragma once

#include <string_view>

namespace rooftile {

// The name here of what a framework's usual benchmark calls `model`; `model` where that is the same network. Without
// it a table's "AlexNet" would be DeLTA's, whichever of three it was.
//
//     network_meant("AlexNet", "TensorFlow 1.1 cuda 8.0") == "alexnet_owt"
std::string_view network_meant(std::string_view model, std::string_view framework);

}  // namespace rooftile
