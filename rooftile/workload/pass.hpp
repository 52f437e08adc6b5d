// The passes of an operator: forward, and the two gradients that training adds.
#pragma once

#include <string_view>

namespace rooftile {

enum class Pass {
  fwd,         // Y = f(X, W)
  bwd_data,    // dX from dY and W
  bwd_weight,  // dW from X and dY
};

std::string_view name_of(Pass pass);

}  // namespace rooftile
