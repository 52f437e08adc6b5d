#include "rooftile/parallel/parallel_style.hpp"

#include "rooftile/execution/framework.hpp"

namespace rooftile {
namespace {

// bucket_cap_mb of torch.nn.parallel.DistributedDataParallel.
constexpr Bytes kBucket(25.0 * (1 << 20));

// Of DeepSpeed's pipeline engine, whose instructions wait for each send and receive: chosen with vTrain's rows of two
// and four stages in view (0.5, 1, 1.5, 2 and 3 ms were tried), not fitted.
constexpr Seconds kHandOver(1e-3);

}  // namespace

Parallelism usual_way(Parallelism way, std::string_view framework) {
  if (!runs_megatron_core(framework)) return way;
  way.sequence_parallel = way.tp > 1;
  if (way.sharding == Sharding::none && way.dp > 1) way.sharding = Sharding::optimizer;
  return way;
}

ParallelStyle style_of(std::string_view framework) {
  ParallelStyle style;
  style.bucket = kBucket;
  if (runs_megatron_deepspeed(framework)) {
    style.hand_over = kHandOver;
    style.overlapped = false;  // DeepSpeed's pipeline engine: _exec_reduce_grads after the last backward pass
  } else if (framework.find("DeepLearningExamples") != std::string_view::npos) {
    // As Lambda runs them: its script sets NCCL_P2P_DISABLE=1 (lambdal/deeplearning-benchmark, benchmark_pytorch.sh).
    style.through_host = true;
    style.overlapped = false;  // its steps are longer than on one GPU by all of the exchange (docs/planning.md)
  } else if (runs_megatron_lm(framework) || framework.find("TensorFlow") != std::string_view::npos) {
    // Megatron-LM's own DistributedDataParallel calls allreduce_gradients() after the last backward pass; clusters of
    // XLA hand over their gradients when all of a cluster are computed.
    style.overlapped = false;
  } else if (runs_megatron_layers(framework)) {
    // main_grad is FP32, except in the configurations that NVIDIA benchmarks (grad_reduce_in_fp32 = False in
    // scripts/performance of Megatron Bridge, and in NeMo's before).
    style.wide_gradients = !hides_tensor_exchanges(framework);
    style.adding_products = true;  // gradient_accumulation_fusion
    style.tensor_hidden = hides_tensor_exchanges(framework);
  }
  return style;
}

}  // namespace rooftile
