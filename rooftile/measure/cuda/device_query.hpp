// Which GPUs there are, and what they say of themselves.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/measure/device.hpp"

namespace rooftile::measure {

// Makes GPU `index` the one that this process uses. Errors say what is missing: a driver, one new enough, a GPU.
Result<Device> use_device(int index);

}  // namespace rooftile::measure
