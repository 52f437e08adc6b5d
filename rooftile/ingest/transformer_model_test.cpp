#include "rooftile/ingest/transformer_model.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/network_run.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

std::string written(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + "rooftile_" + std::to_string(getpid()) + "_" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string transformer_error(const std::string& model, const ModelOptions& options = {}) {
  const auto workload = load_model(model, options);
  return workload ? "no error" : workload.error().text();
}

TEST(TransformerModel, AFileOfOnesOwn) {
  const std::string path = written("mine.toml", "layers = 2\nhidden = 64\nheads = 4\nvocab = 1000\nseq_len = 16\n");
  const auto workload = load_model(path, {.batch_size = 3, .seq_len = 8});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->tensors[workload->inputs.front()].shape, (Shape{3, 8}));
  EXPECT_EQ(load_model(path, {.context = 8})->inputs.size(), 5u);
  EXPECT_THAT(transformer_error(path, {.image_size = 8}), HasSubstr("takes a text, no images"));
  EXPECT_THAT(transformer_error(path, {.batch_size = kMaxDimension, .seq_len = 1 << 30}), HasSubstr("is too large"));
  std::filesystem::remove(path);
  EXPECT_THAT(transformer_error(path), HasSubstr("mine.toml"));
}

TEST(TransformerModel, OtherNames) {
  for (const auto& [alias, name] :
       {std::pair{"LLaMA 3 8B", "llama3_8b"}, std::pair{"GPT-J 6B", "gpt_j_6b"}, std::pair{"LLaMA 70B", "llama2_70b"},
        std::pair{"opt-1.3b", "opt_13"}, std::pair{"Mixtral 8x7B", "mixtral_8x7b"},
        std::pair{"BERT-large", "bert_large"}, std::pair{"gpt3", "gpt3_175b"}}) {
    const auto workload = load_model(alias);
    ASSERT_TRUE(workload) << workload.error().text();
    EXPECT_EQ(workload->name, name);
  }
  EXPECT_THAT(transformer_error("lama3_8b"), HasSubstr("did you mean 'llama3_8b'?"));
}

// Nor does one stand for two networks.
TEST(TransformerModel, AliasesAreOfTheirNetwork) {
  for (const ZooEntry& entry : zoo()) {
    for (const std::string& alias : entry.aliases) EXPECT_EQ(load_model(alias)->name, entry.name) << alias;
  }
}

TEST(TransformerModel, ContextIsOfDecoders) {
  EXPECT_EQ(load_model("llama2_7b", {.context = 100})->inputs.size(), 65u);
  EXPECT_THAT(transformer_error("bert_base", {.context = 100}), HasSubstr("has no decoder"));
  EXPECT_THAT(transformer_error("resnet50", {.context = 100}), HasSubstr("has no cache"));
  EXPECT_THAT(transformer_error("swin_t", {.context = 100}), HasSubstr("has no cache"));
  EXPECT_EQ(load_model("gpt2", {.seq_len = 5, .context = 100})->tensors.at(0).shape, (Shape{1, 5}));
  EXPECT_THAT(transformer_error("gpt2", {.context = 0}), HasSubstr("context 0 is not between 1 and"));
}

// Reading back what was written gives the same network: mixtures, caches and latent attention, too.
TEST(TransformerModel, AsWorkloadJson) {
  for (const char* name : {"mixtral_8x7b", "deepseek_v2_lite", "t5_small", "falcon_7b"}) {
    for (const ModelOptions& options : {ModelOptions{.seq_len = 32}, ModelOptions{.context = 32}}) {
      const Workload workload = load_model(name, options).value();
      const auto read = parse_workload_json(write_workload_json(workload), "x.json");
      ASSERT_TRUE(read) << read.error().text();
      EXPECT_EQ(*read, workload) << name;
    }
  }
}

NetworkRun row_of(const std::string& csv) {
  const auto table = parse_layer_table(csv, "t.csv");
  EXPECT_TRUE(table) << table.error().text();
  return table ? std::get<NetworkRun>(table->rows.at(0).op) : NetworkRun{};
}

std::string row_error(const std::string& csv) {
  const auto table = parse_layer_table(csv, "t.csv");
  return table ? "no error" : table.error().text();
}

TEST(NetworkRun, ATransformerByItsSizes) {
  const auto workload =
      load_network(row_of("op,model,batch,seq_len,hidden,layers,heads,kv_heads,ffn,vocab,experts\n"
                          "network,transformer,2,64,256,3,8,2,512,1000,4\n"));
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->batch_size, 2);
  EXPECT_EQ(workload->tensors[workload->outputs.front()].shape, (Shape{2, 64, 1000}));
  const auto plain = load_network(row_of("op,model,seq_len,hidden,layers,heads\nnetwork,transformer,64,256,3,8\n"));
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_EQ(plain->tensors[plain->outputs.front()].shape, (Shape{1, 64, 50257}));
}

TEST(NetworkRun, SizesOfANetworkThatNothingNames) {
  const std::string sizes = "op,model,batch,seq_len,hidden,layers,heads\nnetwork,";
  EXPECT_TRUE(load_network(row_of(sizes + "GPT h2048 L20 a16,4,1024,2048,20,16\n")));
  EXPECT_EQ(load_network(row_of(sizes + "gpt2,4,1024,2048,20,16\n"))->name, "gpt2");
  EXPECT_EQ(load_network(row_of(sizes + "gpt9,4,1024,,,\n")).error().code, ErrorCode::not_found);
}

TEST(NetworkRun, ARequest) {
  const std::string header = "op,model,precision,phase,weights,input_tokens,output_tokens\nnetwork,gpt2,fp16,";
  EXPECT_EQ(row_of(header + "prefill,fp16,128,1\n").seq_len, 128);
  const NetworkRun both = row_of(header + "prefill and decode,q4_k_m (4.58 GiB),128,20\n");
  EXPECT_EQ(both.request, (ServedRequest{true, true, 128, 20}));
  EXPECT_EQ(both.weights, DType::q4_k_m);
  EXPECT_EQ(both.execution, Execution::engine);
  EXPECT_FALSE(row_of(header + "decode,float16,0,512\n").weights);
  EXPECT_THAT(row_error(header + "decode,q4_k_n,0,512\n"),
              HasSubstr("unknown weights 'q4_k_n'; did you mean 'q4_k_m'?"));
  EXPECT_EQ(row_of(header + "decode,,0,512\n").request, (ServedRequest{false, true, 0, 512}));
  EXPECT_THAT(row_error(header + "decoding,,0,512\n"), HasSubstr("column phase: unknown phase 'decoding'"));
  EXPECT_THAT(row_error(header + "decode,,0,\n"), HasSubstr("column output_tokens: the cell is empty"));
}

TEST(NetworkRun, ALinkThatDoesNotExist) {
  const std::string header = "op,model,gpus,interconnect\nnetwork,gpt2,2,";
  EXPECT_EQ(row_of(header + "PCIe 4.0\n").fabric.interconnect, "PCIe 4.0");
  EXPECT_THAT(row_error(header + "NVLinc\n"), HasSubstr("t.csv:2, column interconnect: no link 'NVLinc'; write PCIe"));
}

TEST(TransformerModel, AConfigurationOfHuggingFace) {
  const std::string path = written("config.json", R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
                                                      "n_positions": 1024, "vocab_size": 50257})");
  Workload named = load_model("gpt2", {.batch_size = 2, .seq_len = 64}).value();
  named.name = "gpt2";
  EXPECT_EQ(load_model(path, {.batch_size = 2, .seq_len = 64}).value(), named);
  EXPECT_TRUE(load_model(path, {.context = 64}));
  std::filesystem::remove(path);
}

TEST(NetworkRun, SaysWhatATransformerLacks) {
  EXPECT_EQ(row_error("op,model,seq_len,layers,heads\nnetwork,transformer,64,3,8\n"),
            "t.csv:2: the table has no column 'hidden', which this row needs");
  EXPECT_EQ(row_error("op,model,seq_len,hidden,layers,heads\nnetwork,transformer,,256,3,8\n"),
            "t.csv:2, column seq_len: the cell is empty");
  EXPECT_EQ(row_error("op,model,seq_len,hidden,layers,heads\nnetwork,transformer,64,250,3,8\n"),
            "t.csv:2: hidden 250 cannot be shared by 8 heads: say head_dim");
  EXPECT_THAT(row_error("op,model,seq_len,hidden,layers,heads\nnetwork,transformer,64,256,nan,8\n"),
              HasSubstr("column layers: 'nan' is not a whole number"));
  EXPECT_THAT(row_error("op,model,seq_len,hidden,layers,heads\nnetwork,transformer,64,256,99999,8\n"),
              HasSubstr("layers 99999 is not between 1 and 1024"));
}

}  // namespace
}  // namespace rooftile
