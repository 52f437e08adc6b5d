// Which GPU of the catalogue a device is.
#pragma once

#include <string>
#include <string_view>

namespace rooftile::measure {

// The id of a device by its name, as the catalogue names GPUs: lower case with hyphens, without vendor and
// brand: "Tesla V100-SXM2-16GB" -> "v100-sxm2-16gb". Where it means one GPU of the catalogue (select_gpu) that one:
// "NVIDIA H200" -> "h200-sxm-141gb".
std::string gpu_id(std::string_view device_name);

// The id of the architecture file of a device: of those for its compute capability the one that the catalogue has it
// under ("GeForce GTX 1650", "7.5" -> "turing-tu11x"), else the one that others vary; empty where there is none.
std::string architecture_of(std::string_view device_name, std::string_view compute_capability);

}  // namespace rooftile::measure
