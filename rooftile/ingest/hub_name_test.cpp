#include "rooftile/ingest/hub_name.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "rooftile/ingest/model.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

TEST(HubName, LoadsTheNetwork) {
  for (const auto& [hub, own] :
       {std::pair{"Qwen/Qwen2.5-0.5B-Instruct", "qwen2.5_0.5b"},
        std::pair{"meta-llama/Llama-2-7b-chat-hf", "llama2_7b"},
        std::pair{"mistralai/Mistral-7B-Instruct-v0.2", "mistral_7b"},
        std::pair{"meta-llama/Meta-Llama-3-8B", "llama3_8b"}, std::pair{"openai/whisper-tiny", "whisper_tiny"},
        std::pair{"openai/whisper-large", "whisper_large_v2"}, std::pair{"openai/whisper-large-v3", "whisper_large_v3"},
        std::pair{"google/vit-base-patch16-224", "vit_b_16"}, std::pair{"timm/resnet50.a1_in1k", "resnet50"},
        std::pair{"microsoft/resnet-152", "resnet152_v1.5"}, std::pair{"timm/resnet152", "resnet152_v1.5"},
        std::pair{"facebook/convnext-tiny-224", "convnext_tiny"}, std::pair{"facebook/sam-vit-base", "sam_vit_b"},
        std::pair{"google/mobilenet_v2_1.0_224", "mobilenet_v2"}}) {
    const auto network = load_model(hub);
    ASSERT_TRUE(network) << hub << ": " << network.error().text();
    EXPECT_EQ(network->name, load_model(own)->name) << hub;
  }
}

TEST(HubName, IsAMissingFileOfOthers) {
  for (const char* path : {"google/resnet50", "facebook/vgg16", "timm/whisper-tiny", "models/resnet50"}) {
    const auto network = load_model(path);
    ASSERT_FALSE(network) << path;
    EXPECT_EQ(network.error().code, ErrorCode::not_found) << path;
  }
  EXPECT_EQ(load_model("google/resnet50").error().message,
            "'google/resnet50' is neither a file nor a network of that owner; 'resnet50' is built in");
}

TEST(HubName, IsEmptyForPathsAndPlainNames) {
  for (const char* path : {"/no/such/resnet50", "./gpt2", "a/b/gpt2", "resnet50-chat", "gpt2-it", ""}) {
    EXPECT_EQ(without_owner(path), "") << path;
  }
}

}  // namespace
}  // namespace rooftile
