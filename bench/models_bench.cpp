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

}  // namespace
}  // namespace rooftile
