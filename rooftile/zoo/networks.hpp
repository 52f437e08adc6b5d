// The builders behind zoo(), one file each.
#pragma once

#include <cstdint>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

Workload alexnet(std::int64_t batch_size);
Workload vgg16(std::int64_t batch_size);
Workload googlenet(std::int64_t batch_size);
Workload resnet152(std::int64_t batch_size);

}  // namespace rooftile
