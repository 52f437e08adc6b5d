// What --gpu and --gpus name: one GPU, or many by what they are.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile::cli {

// find_gpu(), where the selector is the value of the option, or one of its values.
Result<Gpu> gpu_of_option(const std::string& selector, const std::string& option = "--gpu");

// Of "all", "vendor:nvidia", "memory>=24GB", ids, unambiguous parts of them and files: each GPU once, in this order.
// One that is named twice by itself is an error.
Result<std::vector<Gpu>> gpus_of_option(const std::vector<std::string>& selectors, const std::string& option = "--gpu");

}  // namespace rooftile::cli
