// --gpus of `compare`: many GPUs by what they are.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile::cli {

// Of "all", "vendor:nvidia", "memory>=24GB", ids, unambiguous parts of them and files: each GPU once, in this order.
Result<std::vector<Gpu>> listed_gpus(const std::vector<std::string>& selectors);

}  // namespace rooftile::cli
