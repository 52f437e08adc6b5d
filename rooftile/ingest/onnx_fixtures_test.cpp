// The exported torchvision models in data/models/, at batch 1 and 256.
#include <filesystem>
#include <set>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ops/work.hpp"

namespace rooftile {
namespace {

struct Known {
  std::string name;
  int convs;
  int gemms;
  double gmacs;  // of one sample: torchvision's documentation of its weights ("GFLOPS", which counts MACs)
};

// The segmentation models are documented with their auxiliary head, which inference does not run: a 3x3 convolution
// from 1024 to 256 channels and a 1x1 one to 21 classes on 65x65 positions.
constexpr double kAuxiliaryHead = 65.0 * 65 * (1024 * 9 * 256 + 256 * 21) / 1e9;

const Known kModels[] = {
    {"alexnet", 5, 3, 0.71},
    {"vgg16", 13, 3, 15.47},
    {"googlenet", 57, 1, 1.50},
    {"inception_v3", 94, 1, 5.71},
    {"resnet18", 20, 1, 1.81},
    {"resnet50", 53, 1, 4.09},
    {"resnet152", 155, 1, 11.51},
    {"densenet121", 120, 1, 2.83},
    {"mobilenet_v2", 52, 1, 0.30},
    {"mobilenet_v3_large", 62, 2, 0.22},
    {"efficientnet_b0", 81, 1, 0.39},
    {"shufflenet_v2_x1_0", 56, 1, 0.14},
    {"squeezenet1_1", 26, 0, 0.35},
    {"mnasnet1_0", 52, 1, 0.31},
    {"regnet_x_400mf", 71, 1, 0.41},
    {"regnet_y_400mf", 85, 1, 0.40},
    {"convnext_tiny", 22, 37, 4.46},
    {"fcn_resnet50", 55, 0, 152.72 - kAuxiliaryHead},
    {"deeplabv3_resnet50", 61, 0, 178.72 - kAuxiliaryHead},
};

template <class Kind>
int count(const Workload& workload) {
  int found = 0;
  for (const Op& op : workload.ops) found += std::holds_alternative<Kind>(op.kind);
  return found;
}

template <class Kind>
int count(const Workload& workload, const std::string& function) {
  int found = 0;
  for (const Op& op : workload.ops) {
    const Kind* kind = std::get_if<Kind>(&op.kind);
    found += kind && kind->function == function;
  }
  return found;
}

std::string path_of(const std::string& name) { return "data/models/" + name + ".onnx"; }

Workload import(const std::string& name, std::int64_t batch) {
  auto workload = read_onnx(path_of(name), {.batch_size = batch, .skip_unsupported = false});
  EXPECT_TRUE(workload) << workload.error().text();
  return workload ? *workload : Workload{};
}

class Fixture : public testing::TestWithParam<Known> {};

TEST_P(Fixture, HasItsLayersAndItsPublishedWork) {
  const Known& known = GetParam();
  for (const std::int64_t batch : {1, 256}) {
    const Workload workload = import(known.name, batch);
    EXPECT_EQ(workload.name, known.name);
    EXPECT_EQ(workload.batch_size, batch);
    EXPECT_TRUE(workload.skipped.empty());
    EXPECT_EQ(count<Conv>(workload), known.convs);
    EXPECT_EQ(count<Gemm>(workload), known.gemms);
    double work = 0;
    for (const Op& op : workload.ops) {
      if (std::holds_alternative<Conv>(op.kind) || std::holds_alternative<Gemm>(op.kind)) {
        work += flops(workload, op).value();
      }
    }
    // Published with two decimals.
    EXPECT_NEAR(work / 2e9 / static_cast<double>(batch), known.gmacs, 0.005 + 1e-9);
  }
}

TEST_P(Fixture, HasTheBatchInItsInputAndOutput) {
  const Workload workload = import(GetParam().name, 7);
  ASSERT_EQ(workload.inputs.size(), 1u);
  ASSERT_EQ(workload.outputs.size(), 1u);
  const Tensor& input = workload.tensors[workload.inputs[0]];
  const Tensor& output = workload.tensors[workload.outputs[0]];
  EXPECT_EQ(input.shape, (Shape{7, 3, input.shape.at(2), input.shape.at(2)}));
  EXPECT_EQ(output.shape.at(0), 7);
  EXPECT_EQ(output.shape.at(1), output.shape.size() == 2 ? 1000 : 21);  // ImageNet or the classes of VOC
}

TEST_P(Fixture, StrippingAgainChangesNothing) {
  const std::string path = path_of(GetParam().name);
  std::string bytes(std::filesystem::file_size(path), '\0');
  FILE* file = std::fopen(path.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
  std::fclose(file);
  const auto stripped = strip_weights(bytes, path);
  ASSERT_TRUE(stripped) << stripped.error().text();
  EXPECT_EQ(*stripped, bytes);
}

TEST_P(Fixture, HasNoTensorThatNoOpUses) {
  const Workload workload = import(GetParam().name, 1);
  std::set<TensorId> used(workload.inputs.begin(), workload.inputs.end());
  for (const Op& op : workload.ops) {
    used.insert(op.inputs.begin(), op.inputs.end());
    used.insert(op.outputs.begin(), op.outputs.end());
  }
  EXPECT_EQ(used.size(), workload.tensors.size());
}

INSTANTIATE_TEST_SUITE_P(Onnx, Fixture, testing::ValuesIn(kModels), [](const auto& model) { return model.param.name; });

TEST(OnnxFixtures, EveryFileIsListed) {
  std::set<std::string> files, known;
  for (const auto& entry : std::filesystem::directory_iterator("data/models")) {
    if (entry.path().extension() == ".onnx") files.insert(entry.path().stem().string());
  }
  for (const Known& model : kModels) known.insert(model.name);
  EXPECT_EQ(files, known);
}

TEST(OnnxFixtures, Resnet50StartsAndEndsAsItShould) {
  const Workload workload = import("resnet50", 256);
  Conv first;
  first.batch = 256;
  first.in_channels = 3;
  first.out_channels = 64;
  first.axes[1] = first.axes[2] = {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  first.bias = true;  // the batch normalisation that the exporter folded in
  EXPECT_EQ(workload.ops.front().name, "/conv1/Conv");
  EXPECT_EQ(workload.ops.front().kind, OpKind(first));
  EXPECT_EQ(workload.ops.back().kind, OpKind(Gemm{.m = 256, .n = 1000, .k = 2048, .trans_b = true, .bias = true}));
}

TEST(OnnxFixtures, ConvNextHasItsNormalisationsAndActivationsWhole) {
  const Workload workload = import("convnext_tiny", 1);
  EXPECT_EQ(count<Normalize>(workload, "layer"), 23);   // 18 blocks, the stem, 3 reductions, the head
  EXPECT_EQ(count<Elementwise>(workload, "gelu"), 18);  // one a block
  EXPECT_EQ(count<Reduce>(workload), 0);
}

TEST(OnnxFixtures, EfficientNetHasSilu) {
  const Workload workload = import("efficientnet_b0", 1);
  EXPECT_EQ(count<Elementwise>(workload, "silu"), 49);
  EXPECT_EQ(count<Elementwise>(workload, "sigmoid"), 16);  // the gates of the 16 squeeze-and-excitation blocks
}

TEST(OnnxFixtures, ShuffleNetShufflesWithOneTransposition) {
  const Workload workload = import("shufflenet_v2_x1_0", 4);
  EXPECT_EQ(count<Move>(workload, "transpose"), 16);  // one a unit
  EXPECT_EQ(count<View>(workload), 32);               // the two reshapes around each
}

TEST(OnnxFixtures, SegmentationIsDilatedAndResized) {
  const Workload workload = import("deeplabv3_resnet50", 1);
  EXPECT_EQ(count<Move>(workload, "resize"), 2);
  std::set<std::int64_t> dilations;
  for (const Op& op : workload.ops) {
    if (const Conv* conv = std::get_if<Conv>(&op.kind)) dilations.insert(conv->axes[2].dilation);
  }
  EXPECT_EQ(dilations, (std::set<std::int64_t>{1, 2, 4, 12, 24, 36}));
  EXPECT_EQ(workload.tensors[workload.outputs[0]].shape, (Shape{1, 21, 520, 520}));
}

}  // namespace
}  // namespace rooftile
