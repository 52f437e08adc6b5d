// The builders behind zoo(), one file each.
#pragma once

#include <cstdint>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

Workload alexnet(std::int64_t batch_size);
Workload vgg16(std::int64_t batch_size);
Workload vgg19(std::int64_t batch_size);
Workload googlenet(std::int64_t batch_size);
Workload resnet18(std::int64_t batch_size, std::int64_t image_size);
Workload resnet34(std::int64_t batch_size, std::int64_t image_size);
Workload resnet50(std::int64_t batch_size, std::int64_t image_size);
Workload resnet101(std::int64_t batch_size, std::int64_t image_size);
Workload resnet152(std::int64_t batch_size, std::int64_t image_size);
Workload resnet200(std::int64_t batch_size, std::int64_t image_size);
Workload densenet161(std::int64_t batch_size, std::int64_t image_size);

}  // namespace rooftile
