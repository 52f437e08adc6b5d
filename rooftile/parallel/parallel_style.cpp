#include "rooftile/parallel/parallel_style.hpp"

namespace rooftile {
namespace {

// bucket_cap_mb of torch.nn.parallel.DistributedDataParallel.
constexpr Bytes kBucket(25.0 * (1 << 20));

}  // namespace

ParallelStyle style_of(std::string_view framework) {
  ParallelStyle style;
  style.bucket = kBucket;
  if (framework.find("Megatron-DeepSpeed") != std::string_view::npos) {
    style.overlapped = false;  // DeepSpeed's pipeline engine: _exec_reduce_grads after the last backward pass
  } else if (framework.find("NeMo") != std::string_view::npos) {
    style.tensor_hidden = true;  // tp_comm_overlap of NeMo's configurations (Transformer Engine's user buffers)
  }
  return style;
}

}  // namespace rooftile
