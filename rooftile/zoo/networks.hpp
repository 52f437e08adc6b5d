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

// A stack of equal transformer blocks, as PyTorch runs the models of Hugging Face operator by operator.
struct Transformer {
  const char* name;
  std::int64_t layers, hidden, heads, feed_forward;
  std::int64_t vocabulary, positions;
  bool encoder;            // BERT: norms after the blocks, pooled output; else a decoder with a language model's head
  const char* activation;  // gelu, gelu_new (eight element-wise kernels), relu
  bool fused_qkv;          // one product for queries, keys and values

  Workload operator()(std::int64_t batch_size, std::int64_t seq_len) const;
};

}  // namespace rooftile
