#include "rooftile/ingest/network_meant.hpp"

#include <algorithm>
#include <string>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/ingest/model.hpp"

namespace rooftile {
namespace {

struct Meaning {
  std::string_view framework;  // how its name begins
  std::string_view model;
  std::string_view network;
};

// TensorFlow: tensorflow/benchmarks, tf_cnn_benchmarks of 2017 (alexnet_model.py, resnet_model.py: the stride is in the
// first 1x1). Torch7: jcjohnson/cnn-benchmarks, with Caffe's AlexNet and the ResNets of fb.resnet.torch (in the 3x3).
constexpr Meaning kMeanings[] = {
    {"tensorflow 1.", "alexnet", "alexnet_owt"},
    {"tensorflow 1.", "resnet50", "resnet50_v1"},
    {"torch7", "alexnet", "alexnet_caffe"},
    {"torch7", "resnet152", "resnet152_v1.5"},
};

}  // namespace

std::string_view network_meant(std::string_view model, std::string_view framework) {
  const std::string from = lower_case(framework);
  const auto* const found = std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const Meaning& meaning) {
    return from.starts_with(meaning.framework) && same_model_name(model, meaning.model);
  });
  return found == std::end(kMeanings) ? model : found->network;
}

}  // namespace rooftile
