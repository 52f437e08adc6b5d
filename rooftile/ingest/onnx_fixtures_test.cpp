// The exported torchvision models in data/models/, at batch 1 and 256.
#include <filesystem>
#include <set>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "rooftile/ingest/gzip.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ops/work.hpp"

namespace rooftile {
namespace {

// As torchvision publishes them with its weights (torchvision 0.14: num_params; "GFLOPS" of its list of models, which
// counts multiply-adds, with two decimals), at the image size of those weights.
struct Known {
  std::string name;
  std::int64_t parameters;
  double gmacs;
};

const Known kModels[] = {
    {"alexnet", 61100840, 0.71},
    {"convnext_base", 88591464, 15.355},
    {"convnext_large", 197767336, 34.36},
    {"convnext_small", 50223688, 8.68},
    {"convnext_tiny", 28589128, 4.46},
    {"deeplabv3_mobilenet_v3_large", 11029328, 10.45},
    {"deeplabv3_resnet101", 60996202, 258.74},
    {"deeplabv3_resnet50", 42004074, 178.72},
    {"densenet121", 7978856, 2.83},
    {"densenet161", 28681000, 7.73},
    {"densenet169", 14149480, 3.36},
    {"densenet201", 20013928, 4.29},
    {"efficientnet_b0", 5288548, 0.39},
    {"efficientnet_b1", 7794184, 0.69},
    {"efficientnet_b2", 9109994, 1.09},
    {"efficientnet_b3", 12233232, 1.83},
    {"efficientnet_b4", 19341616, 4.39},
    {"efficientnet_b5", 30389784, 10.27},
    {"efficientnet_b6", 43040704, 19.07},
    {"efficientnet_b7", 66347960, 37.75},
    {"efficientnet_v2_l", 118515272, 56.08},
    {"efficientnet_v2_m", 54139356, 24.58},
    {"efficientnet_v2_s", 21458488, 8.37},
    {"fcn_resnet101", 54314346, 232.74},
    {"fcn_resnet50", 35322218, 152.72},
    {"googlenet", 6624904, 1.5},
    {"inception_v3", 27161264, 5.71},
    {"lraspp_mobilenet_v3_large", 3221538, 2.09},
    {"maxvit_t", 30919624, 5.56},
    {"mc3_18", 11695440, 43.34},
    {"mnasnet0_5", 2218512, 0.1},
    {"mnasnet0_75", 3170208, 0.215},
    {"mnasnet1_0", 4383312, 0.31},
    {"mnasnet1_3", 6282256, 0.53},
    {"mobilenet_v2", 3504872, 0.3},
    {"mobilenet_v3_large", 5483032, 0.22},
    {"mobilenet_v3_small", 2542856, 0.06},
    {"mvit_v1_b", 36610672, 70.599},
    {"mvit_v2_s", 34537744, 64.224},
    {"r2plus1d_18", 31505325, 40.52},
    {"r3d_18", 33371472, 40.7},
    {"regnet_x_16gf", 54278536, 15.94},
    {"regnet_x_1_6gf", 9190136, 1.6},
    {"regnet_x_32gf", 107811560, 31.74},
    {"regnet_x_3_2gf", 15296552, 3.18},
    {"regnet_x_400mf", 5495976, 0.41},
    {"regnet_x_800mf", 7259656, 0.8},
    {"regnet_x_8gf", 39572648, 8.0},
    {"regnet_y_128gf", 644812894, 127.52},
    {"regnet_y_16gf", 83590140, 15.91},
    {"regnet_y_1_6gf", 11202430, 1.61},
    {"regnet_y_32gf", 145046770, 32.28},
    {"regnet_y_3_2gf", 19436338, 3.18},
    {"regnet_y_400mf", 4344144, 0.4},
    {"regnet_y_800mf", 6432512, 0.83},
    {"regnet_y_8gf", 39381472, 8.47},
    {"resnet101", 44549160, 7.8},
    {"resnet152", 60192808, 11.51},
    {"resnet18", 11689512, 1.81},
    {"resnet34", 21797672, 3.66},
    {"resnet50", 25557032, 4.09},
    {"resnext101_32x8d", 88791336, 16.41},
    {"resnext101_64x4d", 83455272, 15.46},
    {"resnext50_32x4d", 25028904, 4.23},
    {"s3d", 8320048, 17.98},
    {"shufflenet_v2_x0_5", 1366792, 0.04},
    {"shufflenet_v2_x1_0", 2278604, 0.14},
    {"shufflenet_v2_x1_5", 3503624, 0.3},
    {"shufflenet_v2_x2_0", 7393996, 0.58},
    {"squeezenet1_0", 1248424, 0.82},
    {"squeezenet1_1", 1235496, 0.35},
    {"swin_b", 87768224, 15.43},
    {"swin_s", 49606258, 8.74},
    {"swin_t", 28288354, 4.49},
    {"swin_v2_b", 87930848, 20.325},
    {"swin_v2_s", 49737442, 11.546},
    {"swin_v2_t", 28351570, 5.94},
    {"vgg11", 132863336, 7.61},
    {"vgg11_bn", 132868840, 7.61},
    {"vgg13", 133047848, 11.31},
    {"vgg13_bn", 133053736, 11.31},
    {"vgg16", 138357544, 15.47},
    {"vgg16_bn", 138365992, 15.47},
    {"vgg19", 143667240, 19.63},
    {"vgg19_bn", 143678248, 19.63},
    {"vit_b_16", 86567656, 17.56},
    {"vit_b_32", 88224232, 4.41},
    {"vit_h_14", 632045800, 167.295},
    {"vit_l_16", 304326632, 61.55},
    {"vit_l_32", 306535400, 15.38},
    {"wide_resnet101_2", 126886696, 22.75},
    {"wide_resnet50_2", 68883240, 11.4},
};

// Published with heads that only training needs, and that the exports have not.
struct Auxiliary {
  std::string name;
  std::int64_t parameters;
  double gmacs;
};

constexpr std::int64_t fcn_head(std::int64_t channels) {  // 3x3 convolution, normalisation, 1x1 to 21 classes
  const std::int64_t inner = channels / 4;
  return channels * 9 * inner + 2 * inner + inner * 21 + 21;
}
constexpr double fcn_head_gmacs(double channels) {  // on 65x65 positions
  return 65.0 * 65 * (channels * 9 * channels / 4 + channels / 4 * 21) / 1e9;
}

const Auxiliary kAuxiliary[] = {
    {"deeplabv3_mobilenet_v3_large", fcn_head(40), fcn_head_gmacs(40)},
    {"deeplabv3_resnet50", fcn_head(1024), fcn_head_gmacs(1024)},
    {"deeplabv3_resnet101", fcn_head(1024), fcn_head_gmacs(1024)},
    {"fcn_resnet50", fcn_head(1024), fcn_head_gmacs(1024)},
    {"fcn_resnet101", fcn_head(1024), fcn_head_gmacs(1024)},
    // 1x1 from 768 to 128, 5x5 to 768, 1000 classes; the multiply-adds published are of inference.
    {"inception_v3", 768 * 128 + 2 * 128 + 128 * 25 * 768 + 2 * 768 + 768 * 1000 + 1000, 0},
};

struct Layers {
  std::string name;
  int convs;
  int gemms;
};

const Layers kLayers[] = {
    {"alexnet", 5, 3},
    {"vgg16", 13, 3},
    {"googlenet", 57, 1},
    {"inception_v3", 94, 1},
    {"resnet18", 20, 1},
    {"resnet50", 53, 1},
    {"resnet152", 155, 1},
    {"densenet121", 120, 1},
    {"mobilenet_v2", 52, 1},
    {"mobilenet_v3_large", 62, 2},
    {"efficientnet_b0", 81, 1},
    {"shufflenet_v2_x1_0", 56, 1},
    {"squeezenet1_1", 26, 0},
    {"mnasnet1_0", 52, 1},
    {"regnet_x_400mf", 71, 1},
    {"regnet_y_400mf", 85, 1},
    {"convnext_tiny", 22, 37},
    {"fcn_resnet50", 55, 0},
    {"deeplabv3_resnet50", 61, 0},
};

template <class Kind>
int ops_of(const Workload& workload) {
  int found = 0;
  for (const Op& op : workload.ops) found += std::holds_alternative<Kind>(op.kind);
  return found;
}

template <class Kind>
int ops_of(const Workload& workload, const std::string& function) {
  int found = 0;
  for (const Op& op : workload.ops) {
    const Kind* kind = std::get_if<Kind>(&op.kind);
    found += kind && kind->function == function;
  }
  return found;
}

std::string path_of(const std::string& name) { return "data/models/" + name + ".onnx.gz"; }

Workload fixture(const std::string& name, std::int64_t batch) {
  auto workload = read_onnx(path_of(name), {.batch_size = batch, .skip_unsupported = false});
  EXPECT_TRUE(workload) << workload.error().text();
  return workload ? *workload : Workload{};
}

class Fixture : public testing::TestWithParam<Known> {};

// What an optimiser would update: the tensors that keep the names PyTorch gave its parameters. Statistics of batch
// normalisation, tables of coordinates and constants within the graph are none.
bool is_parameter(const Tensor& tensor) {
  const std::string& name = tensor.name;
  const auto ends_in = [&](std::string_view suffix) {
    return name.size() >= suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
  };
  return tensor.constant && is_floating(tensor.dtype) && name[0] != '/' && name.rfind("onnx::", 0) != 0 &&
         !ends_in(".running_mean") && !ends_in(".running_var") && !ends_in(".relative_coords_table");
}

TEST_P(Fixture, HasThePublishedParameters) {
  std::int64_t wanted = GetParam().parameters;
  for (const Auxiliary& head : kAuxiliary) {
    if (head.name == GetParam().name) wanted -= head.parameters;
  }
  double parameters = 0;
  for (const Tensor& tensor : fixture(GetParam().name, 1).tensors) {
    if (is_parameter(tensor)) parameters += elements(tensor.shape);
  }
  EXPECT_EQ(static_cast<std::int64_t>(parameters), wanted);
}

TEST_P(Fixture, HasThePublishedWork) {
  double wanted = GetParam().gmacs;
  for (const Auxiliary& head : kAuxiliary) {
    if (head.name == GetParam().name) wanted -= head.gmacs;
  }
  for (const std::int64_t batch : {1, 256}) {
    const Workload workload = fixture(GetParam().name, batch);
    EXPECT_EQ(workload.name, GetParam().name);
    EXPECT_EQ(workload.batch_size, batch);
    EXPECT_TRUE(workload.skipped.empty());
    double work = 0;
    for (const Op& op : workload.ops) {
      if (std::holds_alternative<Conv>(op.kind) || std::holds_alternative<Gemm>(op.kind)) {
        work += flops(workload, op).value();
      }
    }
    // Swin v2 computes the biases of its positions once for all images.
    if (batch > 1 && GetParam().name.starts_with("swin_v2")) continue;
    EXPECT_NEAR(work / 2e9 / static_cast<double>(batch), wanted, 0.005 + 1e-9);  // published with two decimals
  }
}

TEST(OnnxFixtures, HaveTheirLayers) {
  for (const Layers& known : kLayers) {
    const Workload workload = fixture(known.name, 1);
    EXPECT_EQ(ops_of<Conv>(workload), known.convs) << known.name;
    EXPECT_EQ(ops_of<Gemm>(workload), known.gemms) << known.name;
  }
}

TEST_P(Fixture, HasTheBatchInItsInputAndOutput) {
  const Workload workload = fixture(GetParam().name, 7);
  ASSERT_EQ(workload.inputs.size(), 1u);
  ASSERT_EQ(workload.outputs.size(), 1u);
  const Tensor& input = workload.tensors[workload.inputs[0]];
  const Tensor& output = workload.tensors[workload.outputs[0]];
  const bool video = input.shape.size() == 5;
  EXPECT_EQ(input.shape.at(0), 7);
  EXPECT_EQ(input.shape.at(1), 3);
  EXPECT_EQ(input.shape.back(), input.shape.at(input.shape.size() - 2));
  EXPECT_EQ(output.shape.at(0), 7);
  // The classes of ImageNet, of Kinetics, or of VOC for every pixel.
  EXPECT_EQ(output.shape.at(1), video ? 400 : output.shape.size() == 2 ? 1000 : 21);
}

TEST_P(Fixture, StrippingAgainChangesNothing) {
  const std::string path = path_of(GetParam().name);
  std::string bytes(std::filesystem::file_size(path), '\0');
  FILE* file = std::fopen(path.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
  std::fclose(file);
  const auto inflated = gunzip(bytes, 1 << 24);
  const auto stripped = strip_weights(bytes, path);
  ASSERT_TRUE(inflated && stripped);
  EXPECT_EQ(*stripped, *inflated);
}

TEST_P(Fixture, HasNoTensorThatNoOpUses) {
  const Workload workload = fixture(GetParam().name, 1);
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
    files.insert(entry.path().stem().stem().string());
  }
  for (const Known& model : kModels) known.insert(model.name);
  EXPECT_EQ(files, known);
}

TEST(OnnxFixtures, Resnet50StartsAndEndsAsItShould) {
  const Workload workload = fixture("resnet50", 256);
  Conv first;
  first.batch = 256;
  first.in_channels = 3;
  first.out_channels = 64;
  first.axes[1] = first.axes[2] = {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  EXPECT_EQ(workload.ops[1].kind, OpKind(Normalize{"batch"}));  // not folded into the convolution
  EXPECT_EQ(workload.ops.front().name, "/conv1/Conv");
  EXPECT_EQ(workload.ops.front().kind, OpKind(first));
  EXPECT_EQ(workload.ops.back().kind, OpKind(Gemm{.m = 256, .n = 1000, .k = 2048, .trans_b = true, .bias = true}));
}

TEST(OnnxFixtures, ConvNextHasItsNormalisationsAndActivationsWhole) {
  const Workload workload = fixture("convnext_tiny", 1);
  EXPECT_EQ(ops_of<Normalize>(workload, "layer"), 23);   // 18 blocks, the stem, 3 reductions, the head
  EXPECT_EQ(ops_of<Elementwise>(workload, "gelu"), 18);  // one a block
  EXPECT_EQ(ops_of<Reduce>(workload), 0);
}

TEST(OnnxFixtures, EfficientNetHasSilu) {
  const Workload workload = fixture("efficientnet_b0", 1);
  EXPECT_EQ(ops_of<Elementwise>(workload, "silu"), 49);
  EXPECT_EQ(ops_of<Elementwise>(workload, "sigmoid"), 16);  // the gates of the 16 squeeze-and-excitation blocks
}

TEST(OnnxFixtures, ShuffleNetShufflesWithOneTransposition) {
  const Workload workload = fixture("shufflenet_v2_x1_0", 4);
  EXPECT_EQ(ops_of<Move>(workload, "transpose"), 16);  // one a unit
  EXPECT_EQ(ops_of<View>(workload), 32);               // the two reshapes around each
}

TEST(OnnxFixtures, SegmentationIsDilatedAndResized) {
  const Workload workload = fixture("deeplabv3_resnet50", 1);
  EXPECT_EQ(ops_of<Move>(workload, "resize"), 2);
  std::set<std::int64_t> dilations;
  for (const Op& op : workload.ops) {
    if (const Conv* conv = std::get_if<Conv>(&op.kind)) dilations.insert(conv->axes[2].dilation);
  }
  EXPECT_EQ(dilations, (std::set<std::int64_t>{1, 2, 4, 12, 24, 36}));
  EXPECT_EQ(workload.tensors[workload.outputs[0]].shape, (Shape{1, 21, 520, 520}));
}

}  // namespace
}  // namespace rooftile
