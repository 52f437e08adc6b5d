// What one framework or release does otherwise than another reaches the time of a network.
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

// Of the GPU alone.
double time_of(const Workload& network, const char* gpu, PredictOptions options, Phase phase = Phase::fwd) {
  options.host = false;
  return predict(network, find_gpu(gpu).value(), options, phase).value().time.value();
}

// GPT-2's last product has 50,257 columns, no multiple of a load; its loss is over as many classes.
TEST(FrameworkTimes, ACompiledStepOfGpt2) {
  const Workload gpt2 = load_model("gpt2", {.batch_size = 4, .seq_len = 1024}).value();
  const auto step = [&](const char* framework) {
    return time_of(gpt2, "a100-sxm4-80gb",
                   {.precision = DType::bf16, .framework = framework, .execution = Execution::compiled}, Phase::step);
  };
  EXPECT_LT(step("PyTorch 2.1"), 0.95 * step("PyTorch 2.0")) << "pads rows";
  EXPECT_LT(step("PyTorch 2.5"), 0.98 * step("PyTorch 2.4")) << "keeps no gradient of nll_loss";
}

// PyTorch's default is TF32 in convolutions alone: who says TF32 of a network without any has told it so.
TEST(FrameworkTimes, Tf32WithoutConvolutionsIsThatOfProducts) {
  const Workload bert = load_model("bert_base", {.batch_size = 8}).value();
  const auto time = [&](DType precision) {
    return time_of(bert, "a100-sxm4-80gb", {.precision = precision, .framework = "PyTorch 2.1"});
  };
  EXPECT_LT(time(DType::tf32), 0.6 * time(DType::fp32));
}

TEST(FrameworkTimes, TensorRtsConvolutionsTakeNoSiluInFp32) {
  const Workload yolo = load_model("yolov5s").value();
  const auto time = [&](const char* framework, DType precision) {
    return time_of(yolo, "t4", {.precision = precision, .framework = framework, .execution = Execution::engine});
  };
  EXPECT_GT(time("TensorRT 8.6", DType::fp32), 1.1 * time("", DType::fp32));
}

// Caches of 295 MB are read and written anew: 0.66 ms at a V100's 897 GB/s, less what writing single positions takes
// and what attention then finds in the L2.
TEST(FrameworkTimes, OnnxRuntimeCopiesCachesInEachStep) {
  const Workload gpt2 = load_model("gpt2", {.batch_size = 8, .context = 1000}).value();
  const auto time = [&](const char* framework) {
    return time_of(gpt2, "v100-sxm2-16gb",
                   {.precision = DType::fp16, .framework = framework, .execution = Execution::engine});
  };
  EXPECT_GT(time("ONNX Runtime 1.16") - time("FasterTransformer"), 0.4e-3);
}

}  // namespace
}  // namespace rooftile
