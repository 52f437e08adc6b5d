#include "rooftile/ingest/published_run.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/layer_table.hpp"

namespace rooftile {
namespace {

LayerRow first_row(const std::string& csv) { return parse_layer_table(csv, "t.csv", {}).value().rows.at(0); }

TEST(PublishedRun, BertOfMlperfSkipsPaddingFromRoundOneOn) {
  const auto seq_len = [](const char* model, const char* source, const char* told) {
    const std::string row = fmt::format("op,model,batch,seq_len,source\nnetwork,{},16,{},{}\n", model, told, source);
    return std::get<NetworkRun>(first_row(row).op).seq_len;
  };
  EXPECT_EQ(seq_len("BERT-large", "MLPerf Training v1.1", ""), 256);
  EXPECT_EQ(seq_len("BERT-large", "MLPerf Training v2.0", ""), 256);
  EXPECT_EQ(seq_len("BERT-large", "MLPerf Training v1.1", "512"), 512);
  EXPECT_EQ(seq_len("BERT-large", "MLPerf Training v0.7", ""), std::nullopt);
  EXPECT_EQ(seq_len("BERT-large", "DeepLearningExamples", ""), std::nullopt);
  EXPECT_EQ(seq_len("resnet50v1.5", "MLPerf Training v1.1", ""), std::nullopt);
}

TEST(PublishedRun, MlperfTrainsWithNvidiasFusedImplementations) {
  const auto execution = [](const std::string& cells) {
    const std::string columns = "op,model,batch,source,framework,execution,note\nnetwork,resnet50,16,";
    return std::get<NetworkRun>(first_row(columns + cells + "\n").op).execution;
  };
  EXPECT_EQ(execution("MLPerf Training v1.1,,,"), Execution::compiled);
  EXPECT_EQ(execution("MLPerf Training v0.7,PyTorch 1.6.0,,"), Execution::compiled);
  EXPECT_EQ(execution("MLPerf Training v0.7,PyTorch 1.6.0,eager,"), Execution::eager);
  EXPECT_EQ(execution("DeepLearningExamples,MxNet,,"), Execution::compiled);
  EXPECT_EQ(execution(",MXNet 1.2.0,,"), Execution::eager) << "Apache's build";
  EXPECT_EQ(execution("DeepLearningExamples,PyTorch,,"), Execution::eager);
  EXPECT_EQ(execution("DeepLearningExamples,TensorFlow,,DGX-1; XLA"), Execution::compiled);
  EXPECT_EQ(execution("DeepLearningExamples,TensorFlow,,DGX-1; XLA=No"), Execution::eager);
}

TEST(PublishedRun, BertOfNvidiasExamplesIsTunedOn384PositionsByAnOptimizerOfItsOwn) {
  const auto run = [](const char* precision, const char* framework, const char* note,
                      const char* model = "BERT-large") {
    const std::string row =
        fmt::format("op,model,batch,precision,framework,source,note\nnetwork,{},16,{},{},DeepLearningExamples,{}\n",
                    model, precision, framework, note);
    return std::get<NetworkRun>(first_row(row).op);
  };
  EXPECT_EQ(run("fp16", "PyTorch", "Fine-tuning NVIDIA DGX-1").seq_len, 384);
  EXPECT_EQ(run("fp16", "TensorFlow", "Fine-tuning NVIDIA DGX-1").seq_len, 384);
  EXPECT_EQ(run("fp16", "PyTorch", "Pre-training NVIDIA DGX-1").seq_len, std::nullopt);
  EXPECT_EQ(run("fp16", "TensorFlow", "Fine-tuning NVIDIA DGX-1", "BioBERT").seq_len, std::nullopt);
  EXPECT_EQ(run("fp16", "PyTorch", "Fine-tuning NVIDIA DGX-1").optimizer, Optimizer::fused_adam);
  EXPECT_EQ(run("fp32", "PyTorch", "Fine-tuning NVIDIA DGX-1").optimizer, Optimizer::bert_adam);
  EXPECT_EQ(run("fp32", "PyTorch", "Pre-training NVIDIA DGX-1").optimizer, std::nullopt);
  EXPECT_EQ(run("fp32", "TensorFlow", "Fine-tuning NVIDIA DGX-1").optimizer, std::nullopt);
  EXPECT_EQ(run("tf32", "NVIDIA DeepLearningExamples", "", "bert_base_squad").optimizer, Optimizer::bert_adam);
  const std::string efficient =
      "op,model,batch,source,path\nnetwork,efficientnet_b0,16,DeepLearningExamples,PyTorch/.../ConvNets/efficientnet/"
      "README.md\n";
  EXPECT_EQ(std::get<NetworkRun>(first_row(efficient).op).optimizer, Optimizer::rmsprop);
}

TEST(PublishedRun, BertOfPytorchsExampleIsTrainedOnTextsOfLikeLengths) {
  const auto seq_len = [](const char* told, const char* path, const char* note, const char* source) {
    const std::string row = fmt::format("op,model,batch,seq_len,path,note,source\nnetwork,BERT-large,16,{},{},{},{}\n",
                                        told, path, note, source);
    return std::get<NetworkRun>(first_row(row).op).seq_len;
  };
  constexpr const char* kPath = "PyTorch/LanguageModeling/BERT/README.md:980";
  constexpr const char* kTensorFlow = "TensorFlow/LanguageModeling/BERT/README.md:980";
  EXPECT_EQ(seq_len("512", kPath, "Pre-training NVIDIA DGX-1", "DeepLearningExamples"), 288);
  EXPECT_EQ(seq_len("128", kPath, "Pre-training NVIDIA DGX-1", "DeepLearningExamples"), 128);
  EXPECT_EQ(seq_len("512", kTensorFlow, "Pre-training NVIDIA DGX-1", "DeepLearningExamples"), 512);
  EXPECT_EQ(seq_len("512", kPath, "Pre-training NVIDIA DGX-1", "lambda"), 512);
}

TEST(PublishedRun, NvidiasExamplesTrainInChannelsLastWhereTheySaySo) {
  const auto nhwc = [](const char* precision, const char* source, const char* path, const char* layout = "") {
    return first_row(fmt::format("op,model,batch,precision,source,path,layout\nnetwork,resnet50,16,{},{},{},{}\n",
                                 precision, source, path, layout))

        .nhwc;
  };
  constexpr const char* kClassifiers = "PyTorch/Classification/ConvNets/resnet50v1.5/README.md:607";
  EXPECT_TRUE(nhwc("fp16", "DeepLearningExamples", kClassifiers));
  EXPECT_TRUE(nhwc("fp16", "DeepLearningExamples", "TensorFlow/Classification/ConvNets/README.md"));
  EXPECT_FALSE(nhwc("fp32", "DeepLearningExamples", kClassifiers));
  EXPECT_FALSE(nhwc("fp16", "DeepLearningExamples", kClassifiers, "nchw"));
  EXPECT_FALSE(nhwc("fp16", "DeepLearningExamples", "PyTorch/Segmentation/MaskRCNN/README.md"));
  EXPECT_FALSE(nhwc("fp16", "lambda", kClassifiers));
}

TEST(PublishedRun, TimmsOwnNormsAreNarrowInItsLaterResults) {
  const auto narrow = [](const char* model, const char* framework, const char* norms = "", const char* timm = "x") {
    const std::string row = fmt::format("op,model,batch,framework,timm_model,norms\nnetwork,{},16,{},{},{}\n", model,
                                        framework, timm, norms);
    return std::get<NetworkRun>(first_row(row).op).narrow_norms;
  };
  EXPECT_TRUE(narrow("convnext_base", "PyTorch 1.13 CUDA 11.7"));
  EXPECT_TRUE(narrow("maxvit_t", "PyTorch 2.4.0 CUDA 12.4"));
  EXPECT_FALSE(narrow("convnext_base", "PyTorch 1.12 CUDA 11.3"));
  EXPECT_FALSE(narrow("convnext_base", "PyTorch 2.9.1 CUDA 13.0", "wide"));
  EXPECT_FALSE(narrow("convnext_base", "PyTorch 2.4.0 CUDA 12.4", "", "")) << "not timm's";
  EXPECT_FALSE(narrow("vit_b_16", "PyTorch 2.4.0 CUDA 12.4")) << "PyTorch's own norms until 2025";
  EXPECT_TRUE(narrow("vit_b_16", "PyTorch 2.9.1 CUDA 12.8"));
  EXPECT_FALSE(narrow("swin_t", "PyTorch 2.9.1 CUDA 12.8"));
}

}  // namespace
}  // namespace rooftile
