#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/test_table.hpp"

namespace rooftile {
namespace {

TEST(NetworkRow, ReadsHowANetworkWasRun) {
  const LayerTable table = parsed_table(
      "op,model,batch,precision,execution,layout,optimizer,host_copy,image_size\n"
      "network,resnet50,8,amp-bf16,compiled,nhwc,\"sgd, momentum\",1,288\n"
      "network,resnet50,8,fp16,,,,,\n");
  EXPECT_TRUE(table.rows[0].autocast);
  EXPECT_EQ(table.rows[0].precision, DType::bf16);
  EXPECT_TRUE(table.rows[0].nhwc);
  const auto& run = std::get<NetworkRun>(table.rows[0].op);
  EXPECT_EQ(run.execution, Execution::compiled);
  EXPECT_EQ(run.optimizer, Optimizer::momentum);
  EXPECT_TRUE(run.host_copy);
  EXPECT_EQ(run.image_size, 288);
  EXPECT_FALSE(table.rows[1].autocast);
  EXPECT_EQ(std::get<NetworkRun>(table.rows[1].op).execution, Execution::eager);
  EXPECT_EQ(
      table_error("op,model,execution\nnetwork,resnet50,eagre\n"),
      "t.csv:2, column execution: unknown execution 'eagre'; did you mean 'eager'? One of eager, compiled, engine");
}

TEST(NetworkRow, ReadsWhatNormsAndLaunchesAreLike) {
  const LayerTable table = parsed_table(
      "op,model,norms,cuda_graphs\nnetwork,convnext_base,narrow,1\nnetwork,convnext_base,,\nnetwork,convnext_base,wide,"
      "0\n");
  const auto run = [&](std::size_t row) { return std::get<NetworkRun>(table.rows[row].op); };
  EXPECT_TRUE(run(0).narrow_norms && run(0).cuda_graphs);
  EXPECT_FALSE(run(1).narrow_norms || run(1).cuda_graphs);
  EXPECT_FALSE(run(2).narrow_norms || run(2).cuda_graphs);
  EXPECT_EQ(table_error("op,model,norms\nnetwork,convnext_base,fast\n"),
            "t.csv:2, column norms: 'fast' is neither narrow nor wide");
  const LayerTable folded = parsed_table("op,model,batch_norms\nnetwork,yolov5s,folded\nnetwork,yolov5s,\n");
  EXPECT_TRUE(std::get<NetworkRun>(folded.rows[0].op).folded_norms);
  EXPECT_FALSE(std::get<NetworkRun>(folded.rows[1].op).folded_norms);
  EXPECT_EQ(table_error("op,model,pass,batch_norms\nnetwork,resnet50,training,folded\n"),
            "t.csv:2, column batch_norms: folded is for inference");
  EXPECT_EQ(
      table_error("op,model,execution,batch_norms\nnetwork,resnet50,compiled,folded\n"),
      "t.csv:2, column batch_norms: folded is for eager inference; compiled programs and engines fold them anyway");
}

TEST(NetworkRow, ReadsTheTypeOfTheCache) {
  const std::string header = "op,model,phase,output_tokens,kv_cache\nnetwork,llama_2_7b,decode,8,";
  const auto cache = [&](const char* cell) {
    return std::get<NetworkRun>(parsed_table(header + cell + "\n").rows.at(0).op).cache;
  };
  EXPECT_EQ(cache("FP8"), DType::fp8);
  EXPECT_EQ(cache(""), std::nullopt);
  EXPECT_EQ(table_error(header + "int4\n"),
            "t.csv:2, column kv_cache: unknown kv_cache 'int4'; one of fp8, fp16, bf16");
  EXPECT_EQ(table_error("op,model,kv_cache\nnetwork,llama_2_7b,fp8\n"),
            "t.csv:2, column kv_cache: a row without a phase reads no cache");
}

TEST(NetworkRow, ReadsTheRatingOfItsHost) {
  const std::string header = "op,model,single_thread\nnetwork,resnet50,";
  EXPECT_EQ(std::get<NetworkRun>(parsed_table(header + "2140\n").rows.at(0).op).host_single_thread, 2140);
  EXPECT_EQ(table_error(header + "99\n"),
            "t.csv:2, column single_thread: '99' is not PassMark's rating of a processor, 100 to 1,000,000");
}

TEST(NetworkRow, ContextIsAStepOfDecoding) {
  const std::string header = "op,model,phase,context,seq_len\nnetwork,gpt2,";
  const NetworkRun run = std::get<NetworkRun>(parsed_table(header + ",128,\n").rows.at(0).op);
  EXPECT_EQ(run.request, (ServedRequest{.writes = true, .input_tokens = 128, .output_tokens = 1}));
  EXPECT_EQ(run.execution, Execution::eager) << "no server";
  EXPECT_EQ(table_error(header + "decode,128,\n"), "t.csv:2, column context: a row with a phase has input_tokens");
  EXPECT_EQ(table_error("op,model,context,pass\nnetwork,gpt2,128,training\n"),
            "t.csv:2, column context: a training step reads no cache");
  EXPECT_EQ(table_error("op,model,context,input_tokens\nnetwork,gpt2,128,64\n"),
            "t.csv:2, column context: a row with input_tokens has a phase");
  EXPECT_EQ(table_error(header + ",128,64\n"), "t.csv:2, column context: one position follows it; seq_len is 1");
}

TEST(NetworkRow, EnginesRunAsSuch) {
  const auto execution = [](const std::string& framework) {
    return std::get<NetworkRun>(parsed_table("op,model,framework\nnetwork,resnet50," + framework + "\n").rows.at(0).op)
        .execution;
  };
  EXPECT_EQ(execution("TensorRT 8.6"), Execution::engine);
  EXPECT_EQ(execution("ONNX Runtime 1.16"), Execution::engine);
  EXPECT_EQ(execution("PyTorch 2.4"), Execution::eager);
}

TEST(NetworkRow, SamplesASecondAreATimeOfABatch) {
  const std::string header = "op,model,batch,throughput,unit\nnetwork,vgg16,32,";
  EXPECT_DOUBLE_EQ(parsed_table(header + "64,images/s\n", {.measurements = true}).rows[0].measured.time->value(), 0.5);
  EXPECT_DOUBLE_EQ(parsed_table(header + "64,images\n", {.measurements = true}).rows[0].measured.time->value(), 0.5);
  const auto untimed = [](const std::string& csv) {
    const Measured measured = parsed_table(csv, {.measurements = true}).rows[0].measured;
    EXPECT_FALSE(measured.time.has_value());
    return measured.untimed;
  };
  EXPECT_EQ(untimed(header + "64,tokens/s\n"), "a throughput of unknown unit");
  EXPECT_EQ(untimed(header + ",images/s\n"), "no measured time");
  EXPECT_EQ(untimed("op,model,images/s\nnetwork,vgg16,64\n"), "a throughput without a batch");
}

TEST(NetworkRow, ATimeAndAThroughputAgree) {
  const std::string header = "op,model,batch,time_us,images/s\nnetwork,vgg16,8,";
  const auto table = [&](const std::string& cells) {
    return parse_layer_table(header + cells, "t.csv", {.measurements = true});
  };
  EXPECT_DOUBLE_EQ(table("20500,400\n").value().rows[0].measured.time->value(), 0.0205);
  EXPECT_EQ(table("1000,400\n").error().text(),
            "t.csv:2, column samples_per_s: a batch takes 20000 us by its throughput, but 1000 us by its time");
}

TEST(NetworkRow, TokensASecondAreATimeOfARequest) {
  const std::string header = "op,model,batch,phase,input_tokens,output_tokens,throughput,unit\nnetwork,gpt2,8,";
  const auto time = [&](const std::string& cells) {
    return parsed_table(header + cells + "\n", {.measurements = true}).rows.at(0).measured.time;
  };
  EXPECT_DOUBLE_EQ(time("prefill and decode,128,50,200,tokens/s")->value(), 2) << "tokens that were written";
  EXPECT_DOUBLE_EQ(time("decode,0,50,200,tokens/s")->value(), 2);
  EXPECT_DOUBLE_EQ(time("prefill,100,1,400,tokens/s")->value(), 2) << "tokens of the prompt";
}

TEST(NetworkRow, DegreesOfExpertsCountWhereThereAreExperts) {
  const auto way = [](const std::string& model, const std::string& framework, const std::string& etp) {
    const std::string csv = "op,model,framework,batch,gpus,tp,ep,etp,recompute\nnetwork," + model + "," + framework +
                            ",8,8,4,2," + etp + ",full\n";
    return std::get<NetworkRun>(parsed_table(csv).rows.at(0).op).parallel.value();
  };
  const Parallelism whole = way("mixtral_8x7b", "NeMo 25.04", "");
  EXPECT_EQ(whole.etp, 1) << "as NeMo has them";
  EXPECT_TRUE(whole.sequence_parallel) << "tensor parallel GPUs route their own positions";
  EXPECT_EQ(whole.recompute, Recompute::full);
  EXPECT_EQ(way("mixtral_8x7b", "NeMo 25.04", "4").etp, 4);
  EXPECT_EQ(way("mixtral_8x7b", "Megatron Core", "").etp, 0);
  for (const char* dense : {"gpt2", "resnet50"}) {
    const Parallelism none = way(dense, "NeMo 25.04", "1");
    EXPECT_EQ(none.etp, 0) << dense;
    EXPECT_FALSE(none.sequence_parallel) << dense;
  }
  EXPECT_THAT(table_error("op,model,batch,gpus,fsdp\nnetwork,gpt2,8,8,half\n"),
              testing::StartsWith("t.csv:2, column fsdp: unknown fsdp 'half'; "));
}

}  // namespace
}  // namespace rooftile
