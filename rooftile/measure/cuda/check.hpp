// Return codes of CUDA as outcomes.
#pragma once

#include <cuda_runtime_api.h>
#include <string_view>

#include "rooftile/measure/refused.hpp"

namespace rooftile::measure {

// "doing: what CUDA says (name of the code)"; a code that leaves the context unusable is device_lost. Clears the error
// that the runtime remembers, where it can.
Outcome<void> check(cudaError_t code, std::string_view doing);

// Errors of the last launch; kernels report their own later, at the next synchronisation.
Outcome<void> check_launch(std::string_view kernel);

}  // namespace rooftile::measure
