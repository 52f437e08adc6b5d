#include "rooftile/parallel/parallel_forward.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"

namespace rooftile {
namespace {

ForwardTime forward(const ForwardRun& run, int stages, const char* framework, const char* network = "gpt2_xl") {
  Parallelism way;
  way.pp = stages;
  PredictOptions options;
  options.precision = DType::fp16;
  options.execution = Execution::engine;
  options.framework = framework;
  const Transformer shape = find_transformer(network).value().value();
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  return parallel_forward(shape, run, way, find_gpu_cluster("dgx-a100").value(), gpu, options).value();
}

TEST(ParallelForward, StagesWorkOnPartsOfTheBatch) {
  const ForwardRun step = {.batch = 1, .context = 64}, two = {.batch = 2, .context = 64};
  const double both = forward(two, 3, "").time / forward(step, 3, "").time;
  EXPECT_NEAR(both, 4.0 / 3, 0.01) << "the second leaves the last of three stages a third later";
}

TEST(ParallelForward, FasterTransformersStagesWorkOnAllWhereItDoesNotComeOutEven) {
  const ForwardRun step = {.batch = 1, .context = 64}, two = {.batch = 2, .context = 64};
  EXPECT_LT(forward(two, 3, "FasterTransformer").time / forward(step, 3, "FasterTransformer").time, 1.1);
  const ForwardRun three = {.batch = 3, .context = 64};
  EXPECT_NEAR(forward(three, 3, "FasterTransformer").time / forward(step, 3, "FasterTransformer").time, 5.0 / 3, 0.01);
  // 2 x 1,024 positions are halved.
  const ForwardRun prompt = {.batch = 1, .seq_len = 1024}, prompts = {.batch = 2, .seq_len = 1024};
  EXPECT_NEAR(forward(prompts, 3, "FasterTransformer").time / forward(prompt, 3, "FasterTransformer").time, 4.0 / 3,
              0.01);
}

TEST(ParallelForward, CountsTheLaunchesOfAllLayers) {
  EXPECT_GT(forward({.batch = 1, .seq_len = 512}, 1, "llama.cpp").launches, 25 * 48);
}

// Gemma 3 1B: 26 layers, of which 4 hold all positions and 22 the last 512, with one head of 256 keys and values.
TEST(ParallelForward, CachesOfWindowsHoldWhatIsSeen) {
  const ForwardTime time = forward({.batch = 3, .context = 4096}, 1, "vLLM", "gemma3_1b");
  EXPECT_EQ(time.cache, Bytes(3 * (4 * 4096 + 22 * 512) * 2 * 256 * 2));
}

}  // namespace
}  // namespace rooftile
