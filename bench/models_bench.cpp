// Models from their files: the fixtures of data/models, which hold no weights (whole_program.py has files that do).
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

std::string path_of(const std::string& model) { return ROOFTILE_MODELS "/" + model + ".onnx.gz"; }

void read_onnx_file(benchmark::State& state, const std::string& model) {
  OnnxOptions options;
  options.batch_size = 256;
  std::int64_t ops = 0;
  for (auto _ : state) {
    const auto workload = read_onnx(path_of(model), options);
    if (!workload) return state.SkipWithError(workload.error().text().c_str());
    ops += static_cast<std::int64_t>(workload->ops.size());
  }
  state.SetItemsProcessed(ops);
}
BENCHMARK_CAPTURE(read_onnx_file, resnet50, "resnet50")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_onnx_file, vgg16, "vgg16")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_onnx_file, densenet121, "densenet121")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_onnx_file, efficientnet_b0, "efficientnet_b0")->Unit(benchmark::kMillisecond);

// From the file and the name of a GPU to the prediction.
void predict_from_file(benchmark::State& state, const std::string& model) {
  OnnxOptions options;
  options.batch_size = 256;
  for (auto _ : state) {
    const auto workload = read_onnx(path_of(model), options);
    const auto gpu = find_gpu("titan-xp");
    if (!workload || !gpu) return state.SkipWithError("no model or no GPU");
    benchmark::DoNotOptimize(predict(*workload, *gpu));
  }
}
BENCHMARK_CAPTURE(predict_from_file, resnet50, "resnet50")->Unit(benchmark::kMillisecond);

// A training step in mixed precision, from the workload to the time of every kernel.
void predict_training_step(benchmark::State& state, const std::string& model, const std::string& gpu_id) {
  const auto workload = read_onnx(path_of(model), {.batch_size = 64});
  const auto gpu = find_gpu(gpu_id);
  if (!workload || !gpu) return state.SkipWithError("no model or no GPU");
  const PredictOptions options = {.precision = DType::fp16, .autocast = true, .breakdown = false};
  for (auto _ : state) benchmark::DoNotOptimize(predict(*workload, *gpu, options, Phase::step));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(predict_training_step, resnet50_rtx3090, "resnet50", "rtx-3090")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict_training_step, vgg16_rtx3090, "vgg16", "rtx-3090")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict_training_step, efficientnet_v2_l_rtx3090, "efficientnet_v2_l", "rtx-3090")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rooftile
