#include "rooftile/learn/networks/network_published.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rooftile {
namespace {

constexpr std::string_view kBatch = "batch size", kGpus = "number of GPUs", kPower = "computing power",
                           kModules = "inner modules";
constexpr std::string_view kBoards = "K80, M60, 1080 Ti";
constexpr std::string_view kBatchBoards = "P600 x1 x2, K80 x1 to x4, M60 x1 to x4, 1080 Ti x1 x2 x4 x8";
constexpr std::string_view kWithoutP600 = "K80 x1 to x4, M60 x1 to x4, 1080 Ti x1 x2 x4 x8";
constexpr std::string_view kModuleCases = "M60 x1 x2 x4 for each of at most 4, 5, 6, 8 modules fitted to";

std::vector<double> fractions(std::vector<double> percents) {
  constexpr double kPercent = 100;
  for (double& value : percents) value /= kPercent;
  return percents;
}

}  // namespace

std::span<const PublishedErrors> published_errors() {
  static const std::vector<PublishedErrors> kErrors = {
      {kBatch, "AlexNet", "PyTorch", kBatchBoards,
       fractions({11.12, 7.85, 1.74, 3.33, 1.81, .66, 6.19, 3.49, 6.58, .75, .43, 1.62, 1.15, 4.16})},
      {kBatch, "AlexNet", "TensorFlow", kBatchBoards,
       fractions({9.83, 10.04, 2.30, 2.61, 4.28, 2.82, 7.19, 6.36, 6.91, 6.96, 4.06, 5.36, 1.14, 1.12})},
      {kBatch, "ResNet-50", "PyTorch", kBatchBoards,
       fractions({10.64, 11.97, .76, 7.83, 3.09, 4.53, 3.60, 20.04, 9.58, 4.64, 12.62, 11.93, 20.63, 4.29})},
      {kBatch, "ResNet-50", "TensorFlow", kBatchBoards,
       fractions({2.37, 14.35, 10.25, 1.27, 1.84, 6.83, 2.08, 2.79, 3.07, 21.49, .68, 6.44, 1.43, 12.06})},
      {kBatch, "VGG-19", "PyTorch", kWithoutP600,
       fractions({13.88, 21.71, 27.63, 9.65, 10.74, 18.54, 13.81, 7.68, 24.98, 17.40, 2.93, 14.06})},
      {kGpus, "AlexNet", "PyTorch", kBoards, fractions({7.21, 12.18, 4.98})},
      {kGpus, "AlexNet", "TensorFlow", kBoards, fractions({24.75, 17.27, 8.77})},
      {kGpus, "ResNet-50", "PyTorch", kBoards, fractions({5.11, 9.04, 11.76})},
      {kGpus, "ResNet-50", "TensorFlow", kBoards, fractions({24.58, 18.29, 6.54})},
      {kGpus, "VGG-19", "PyTorch", kBoards, fractions({12.20, 15.98, 24.13})},
      {kGpus, "VGG-19", "TensorFlow", kBoards, fractions({8.84, 13.52, 13.65})},
      {kPower, "AlexNet", "PyTorch", "all boards", fractions({8.28})},
      {kPower, "AlexNet", "TensorFlow", "all boards", fractions({5.08})},
      {kPower, "ResNet-50", "PyTorch", "all boards", fractions({18.09})},
      {kPower, "ResNet-50", "TensorFlow", "all boards", fractions({10.10})},
      {kModules, "ResNet", "PyTorch", kModuleCases,
       fractions({23.51, 27.95, 17.40, 24.85, 25.11, 16.75, 26.76, 20.40, 16.63, 17.06, 7.93, 15.99})},
  };
  return kErrors;
}

std::string_view published_kind(std::string_view column) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kKinds = {
      {{"batch", kBatch},
       {"batch_size", kBatch},
       {"N", kBatch},
       {"M", kBatch},
       {"gpus", kGpus},
       {"power", kPower},
       {"gpu", kPower},
       {"bandwidth", kPower},
       {"depth", kModules},
       {"modules", kModules},
       {"basic_modules", kModules},
       {"bottleneck_modules", kModules}}};
  const auto known = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) { return kind.first == column; });
  return known == kKinds.end() ? std::string_view() : known->second;
}

}  // namespace rooftile
