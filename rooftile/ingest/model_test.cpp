#include "rooftile/ingest/model.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

// A file of its own in the temporary folder, gone with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(testing::TempDir() + "rooftile_model_test_" + std::to_string(getpid()) + name) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Error load_error(const std::string& model, const ModelOptions& options = {}) {
  const auto workload = load_model(model, options);
  return workload ? Error{ErrorCode::bad_input, "no error", ""} : workload.error();
}

template <class Kind>
std::size_t count(const Workload& workload) {
  return static_cast<std::size_t>(std::count_if(workload.ops.begin(), workload.ops.end(),
                                                [](const Op& op) { return std::holds_alternative<Kind>(op.kind); }));
}

TEST(Model, NamesThatDifferInPunctuationAloneAreToldApart) {
  const auto large = load_model("regnet_y_16gf"), small = load_model("regnet_y_1_6gf");
  ASSERT_TRUE(large && small);
  EXPECT_EQ(large->name, "torchvision/regnet_y_16gf");
  EXPECT_EQ(small->name, "torchvision/regnet_y_1_6gf");
}

// No name stands for two networks.
TEST(Model, EveryNameLoadsAtABatchSize) {
  for (const ModelName& model : model_names()) {
    const auto workload = load_model(model.name, {.batch_size = 3});
    ASSERT_TRUE(workload.has_value()) << workload.error().text();
    EXPECT_EQ(workload->name, model.name);
    EXPECT_EQ(workload->batch_size, 3) << model.name;
    EXPECT_GT(count<Conv>(*workload) + count<Gemm>(*workload), 0u) << model.name;
    EXPECT_FALSE(model.description.empty());
  }
}

TEST(Model, TheZooWinsOverAnExportOfTheSameName) {
  const auto zoo = load_model("alexnet");
  const auto exported = load_model("torchvision/alexnet");
  ASSERT_TRUE(zoo && exported);
  EXPECT_EQ(zoo->tensors[zoo->ops[0].outputs[0]].shape[1], 96);
  EXPECT_EQ(exported->tensors[exported->ops[0].outputs[0]].shape[1], 64);
}

TEST(Model, AnUnambiguousExportNeedsNoFolder) {
  const auto brief = load_model("inception_v3");
  const auto full = load_model("torchvision/inception_v3");
  ASSERT_TRUE(brief && full);
  EXPECT_EQ(*brief, *full);
  EXPECT_EQ(count<Conv>(*brief), 94u);
}

TEST(Model, HyphensAndCaseDoNotMatter) {
  const auto plain = load_model("resnet50");
  ASSERT_TRUE(plain);
  EXPECT_EQ(*load_model("ResNet-50"), *plain);
  EXPECT_EQ(*load_model("googlenet-v1"), *load_model("googlenet"));
  EXPECT_EQ(*load_model("Inception-V3"), *load_model("torchvision/inception_v3"));
}

TEST(Model, OnlyTextsHaveALength) {
  const auto bert = load_model("bert_base", {.seq_len = 64});
  ASSERT_TRUE(bert);
  EXPECT_EQ(bert->tensors[bert->inputs.front()].shape, (Shape{1, 64}));
  EXPECT_EQ(load_model("vgg16", {.seq_len = 64}).error().text(),
            "vgg16: its sequence length is fixed; seq-len is for the transformers of 'rooftile models list'");
  EXPECT_EQ(load_model("inception_v3", {.seq_len = 64}).error().code, ErrorCode::usage);
  EXPECT_FALSE(load_model("bert_base", {.seq_len = 0}));
}

Shape first_input(const Workload& workload) { return workload.tensors[workload.inputs.front()].shape; }

TEST(Model, DetectorsHaveImagesOfTheirOwnSize) {
  EXPECT_EQ(first_input(*load_model("YOLOv11n")), (Shape{1, 3, 640, 640}));
  EXPECT_EQ(first_input(*load_model("yolov5s", {.image_size = 320})), (Shape{1, 3, 320, 320}));
  EXPECT_EQ(first_input(*load_model("dinov2_vits14")), (Shape{1, 3, 518, 518}));
}

TEST(Model, TextsFitTheTableOfPositions) {
  EXPECT_TRUE(load_model("whisper_base", {.seq_len = 448}));
  EXPECT_EQ(load_model("whisper_base", {.seq_len = 449}).error().text(),
            "whisper_base: 449 positions are more than the 448 of its table");
  EXPECT_EQ(load_model("bert_base", {.seq_len = 513}).error().text(),
            "bert_base: 513 positions are more than the 512 of its table");
  EXPECT_EQ(load_model("wav2vec2_base", {.seq_len = 399}).error().text(),
            "wav2vec2_base: seq-len 399 is less than the 400 that it needs");
  EXPECT_TRUE(load_model("wav2vec2_base", {.seq_len = 400}));
}

TEST(Model, ImagesOfAnotherSize) {
  for (const std::string model : {"resnet50", "densenet161", "efficientnet_b1", "shufflenet_v2_x1_0", "vit_b_32",
                                  "fcn_resnet50", "data/models/regnet_y_400mf.onnx.gz"}) {
    const auto large = load_model(model, {.image_size = 384});
    ASSERT_TRUE(large) << large.error().text();
    EXPECT_EQ(first_input(*large), (Shape{1, 3, 384, 384})) << model;
    const double own = elements(first_input(*load_model(model)));
    EXPECT_EQ(elements(first_input(*large)) > own, model != "fcn_resnet50");
  }
  const auto video = load_model("r3d_18", {.image_size = 160});
  ASSERT_TRUE(video) << video.error().text();
  EXPECT_EQ(first_input(*video), (Shape{1, 3, 16, 160, 160}));
}

// One learned position for each patch and one for the class: 144 of 32x32 pixels.
TEST(Model, PositionsOfAVisionTransformerFollowTheImage) {
  const auto workload = load_model("vit_b_32", {.image_size = 384});
  ASSERT_TRUE(workload) << workload.error().text();
  const auto positions = std::find_if(workload->tensors.begin(), workload->tensors.end(),
                                      [](const Tensor& tensor) { return tensor.name == "encoder.pos_embedding"; });
  ASSERT_NE(positions, workload->tensors.end());
  EXPECT_EQ(positions->shape, (Shape{1, 145, 768}));
}

TEST(Model, ImagesOfAnotherSizeThatANetworkCannotTake) {
  EXPECT_EQ(load_model("vgg16", {.image_size = 256}).error().text(),
            "vgg16: its images are 224x224; it takes no others");
  EXPECT_TRUE(load_model("vgg16", {.image_size = 224}));
  EXPECT_THAT(load_model("vgg11", {.image_size = 256}).error().text(),
              HasSubstr("torchvision/vgg11: cannot take images of 256x256: "));
  EXPECT_THAT(load_model("swin_t", {.image_size = 256}).error().text(), HasSubstr("cannot take images of 256x256: "));
  EXPECT_EQ(load_model("resnet50", {.image_size = 31}).error().text(),
            "resnet50: images of 31x31 are too small; at least 32x32");
  EXPECT_EQ(load_model("resnet50", {.image_size = 0}).error().code, ErrorCode::usage);
  EXPECT_EQ(load_model("yolov8n", {.image_size = 300}).error().text(),
            "yolov8n: images of 300x300 are no multiple of 32");
  EXPECT_EQ(load_model("bert_base", {.image_size = 256}).error().code, ErrorCode::usage);
  EXPECT_EQ(load_model("examples/tiny.json", {.image_size = 256}).error().text(),
            "examples/tiny.json: a workload's shapes are fixed; edit the file");
}

TEST(Model, EmbeddedAndOnDiskAreTheSame) {
  const auto embedded = load_model("torchvision/resnet18", {.batch_size = 2});
  auto file = load_model("data/models/resnet18.onnx.gz", {.batch_size = 2});
  ASSERT_TRUE(embedded && file);
  file->name = embedded->name;
  EXPECT_EQ(*embedded, *file);
}

TEST(Model, ReadsJsonFiles) {
  const TemporaryFile file("net.json", write_workload_json(zoo()[0].build(1)));
  const auto workload = load_model(file.path(), {.batch_size = 7});
  ASSERT_TRUE(workload.has_value()) << workload.error().text();
  EXPECT_EQ(*workload, zoo()[0].build(7));
}

// Every exported model survives a trip through JSON exactly, and is read at another batch size or refused.
TEST(Model, ExportsRoundTripThroughJson) {
  constexpr std::size_t kMostOps = 200;  // those that have more have more of the same
  int refused = 0;
  for (const ModelName& model : model_names()) {
    const auto workload = load_model(model.name, {.batch_size = 2});
    ASSERT_TRUE(workload.has_value()) << workload.error().text();
    if (workload->ops.size() > kMostOps) continue;
    const std::string text = write_workload_json(*workload);
    const auto again = parse_workload_json(text, model.name);
    ASSERT_TRUE(again.has_value()) << again.error().text();
    EXPECT_EQ(*again, *workload) << model.name;
    const auto larger = parse_workload_json(text, model.name, 5);
    // Where windows or heads are counted with the images, no one dimension is the batch's.
    if (larger) {
      EXPECT_TRUE(*larger == *load_model(model.name, {.batch_size = 5})) << model.name;
    } else {
      EXPECT_THAT(larger.error().text(), HasSubstr(model.name + ": "));
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 40);
}

// The first character tells the formats apart.
TEST(Model, ReadsStandardInput) {
  const auto piped = [](const std::string& path) {
    EXPECT_NE(std::freopen(path.c_str(), "rb", stdin), nullptr);
    return load_model("-");
  };
  const auto json = piped("examples/tiny.json");
  ASSERT_TRUE(json.has_value()) << json.error().text();
  EXPECT_EQ(*json, *load_model("examples/tiny.json"));
  const auto onnx = piped("data/models/resnet18.onnx.gz");
  ASSERT_TRUE(onnx.has_value()) << onnx.error().text();
  EXPECT_EQ(onnx->ops, load_model("data/models/resnet18.onnx.gz")->ops);
  const auto nothing = piped("/dev/null");
  ASSERT_FALSE(nothing.has_value());
  EXPECT_THAT(nothing.error().text(), HasSubstr("standard input"));
}

TEST(Model, NamesAreNoPaths) {
  EXPECT_EQ(load_model("regnety_32gf")->name, load_model("regnet_y_32gf")->name);
  for (const char* path : {"/no/such/resnet50", "./gpt2", "a/b/gpt2", "resnet50-chat", "gpt2-it"}) {
    EXPECT_EQ(load_error(path).code, ErrorCode::not_found) << path;
  }
}

TEST(Model, UnknownNames) {
  EXPECT_EQ(load_error("vgg61").message,
            "'vgg61' is neither an .onnx, .json or .toml file nor a built-in model; did you mean 'vgg16'?");
  EXPECT_THAT(load_error("bert").message,
              HasSubstr("a built-in model; bert_base, bert_base_squad, bert_large, bert_large_squad begin with it"));
  EXPECT_THAT(load_model("resnet-5", {}).error().text(), HasSubstr("a built-in model; resnet50, resnet50_v1"));
  EXPECT_THAT(load_error("resnet50,vgg16").message, HasSubstr("a built-in model; separate models with spaces"));
  EXPECT_EQ(load_error("vgg61").code, ErrorCode::not_found);
  EXPECT_EQ(load_error("").code, ErrorCode::not_found);
  EXPECT_EQ(load_error("data/models").text(), "data/models: a model file must end in .onnx, .json or .toml");
}

TEST(Model, UnreadableFiles) {
  EXPECT_EQ(load_error("no/such.json").text(), "no/such.json: No such file or directory");
  EXPECT_EQ(load_error("no/such.json").code, ErrorCode::not_found);
  EXPECT_THAT(load_error("no/such.onnx").text(), HasSubstr("no/such.onnx"));
  const TemporaryFile empty("empty.json", "");
  EXPECT_THAT(load_error(empty.path()).text(), HasSubstr("empty.json: the file is empty"));
  const std::string folder = testing::TempDir() + "rooftile_folder.json";
  std::filesystem::create_directory(folder);
  EXPECT_EQ(load_error(folder).text(), folder + ": is a directory");
  std::filesystem::remove(folder);
}

TEST(Model, BatchSizesOutOfRange) {
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{-1}, kMaxDimension + 1, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(load_error("alexnet", {.batch_size = batch}).code, ErrorCode::usage);
  }
  EXPECT_THAT(load_error("alexnet", {.batch_size = kMaxDimension}).text(), HasSubstr("alexnet: "));
}

TEST(Model, UnsupportedOperators) {
  for (const std::string model :
       {"alexnet", "resnet50", "torchvision/resnet18", "data/models/resnet18.onnx.gz", "examples/tiny.json"}) {
    const auto found = unsupported_operators(model);
    ASSERT_TRUE(found.has_value()) << found.error().text();
    EXPECT_TRUE(found->empty()) << model;
  }
  const auto unknown = unsupported_operators("alexnte");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error(), load_error("alexnte"));
}

TEST(Model, AHugeNameIsQuotedInPart) { EXPECT_LT(load_error(std::string(1 << 20, 'x')).text().size(), 400u); }

}  // namespace
}  // namespace rooftile
