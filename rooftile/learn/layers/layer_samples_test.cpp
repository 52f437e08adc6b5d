#include "rooftile/learn/layers/layer_samples.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using testing::HasSubstr;

Result<LayerSamples> samples_of(const std::string& csv, const LayerSampleOptions& options = {}) {
  LayerTableOptions reading;
  reading.keep_unsupported = true;
  reading.measurements = true;
  auto table = parse_layer_table(csv, "t.csv", reading);
  if (!table) return tl::unexpected(table.error());
  return layer_samples({MeasuredTable("t.csv", std::move(*table))}, options);
}

const std::string kLayerHeader = "op,model,gpu,pass,batch,image_size,layer,type,K,R,stride_h,pad_h,time_us\n";

std::string rows(const std::string& layers, const std::string& pass = "fwd") {
  std::string text;
  for (std::size_t begin = 0; begin < layers.size();) {
    const std::size_t end = layers.find('\n', begin);
    text += "network_layer,net,t4," + pass + ",2,8," + layers.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

TEST(LayerSamples, SizesFollowFromTheLayersBefore) {
  // 8 x 8 x 3, 3x3 padded: 8 x 8 x 4; pooled by 3 with stride 2, rounded up: 4 x 4 x 4; then 64 inputs.
  const auto read = samples_of(kLayerHeader + rows("input,,,,,,1\n"
                                                   "conv1,convolution,4,3,1,1,10\n"
                                                   "relu1,relu,,,,,11\n"
                                                   "pool1,pooling,,3,2,0,12\n"
                                                   "fc,inner_product,10,,1,,13\n"));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->samples.size(), 4);
  EXPECT_EQ(read->samples[0].complexity, 9 * 3 * 4 * 64 * 2);
  EXPECT_EQ(read->samples[1].complexity, 3 * 4 * 64 * 2);
  EXPECT_EQ(read->samples[2].category, LayerCategory::pool_strided);
  EXPECT_EQ(read->samples[2].complexity, 9 * 4 * 16 * 2);
  EXPECT_EQ(read->samples[3].complexity, 64 * 10 * 2);
  EXPECT_EQ(read->samples[3].time, Seconds(13e-6));
  EXPECT_EQ(read->left_out.at("layers without a type").rows, 1);
}

TEST(LayerSamples, BranchesOfAModule) {
  const auto read = samples_of(kLayerHeader + rows("m/1x1,convolution,4,1,1,0,1\n"
                                                   "m/3x3_reduce,convolution,2,1,1,0,1\n"
                                                   "m/3x3,convolution,8,3,1,1,1\n"
                                                   "m/pool,pooling,,3,1,1,1\n"
                                                   "m/pool_proj,convolution,5,1,1,0,1\n"
                                                   "m/output,concat,,,,,1\n"
                                                   "last,convolution,1,1,1,0,1\n"));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->samples.size(), 6);
  const double positions = 64 * 2;
  EXPECT_EQ(read->samples[2].complexity, 9 * 2 * 8 * positions);  // reads the reduction
  EXPECT_EQ(read->samples[3].category, LayerCategory::pool_stride_1);
  EXPECT_EQ(read->samples[3].complexity, 9 * 3 * positions);        // reads the module's input
  EXPECT_EQ(read->samples[4].complexity, 3 * 5 * positions);        // reads the pool
  EXPECT_EQ(read->samples[5].complexity, (4 + 8 + 5) * positions);  // reads what the module joined
  EXPECT_EQ(read->left_out.at("concat layers").rows, 1);
}

TEST(LayerSamples, BackwardHasItsOwnFormula) {
  const auto read =
      samples_of(kLayerHeader + rows("conv1,convolution,4,3,1,1,10\n") + rows("conv1,convolution,4,3,1,1,20\n", "bwd"));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->samples.size(), 2);
  EXPECT_EQ(read->samples[1].direction, LayerDirection::backward);
  EXPECT_EQ(read->samples[1].complexity, (2 * 9 * 3 + 1) * 4 * 64 * 2);
}

TEST(LayerSamples, ConvolutionsAndProductsOfOtherTables) {
  const auto read = samples_of(
      "op,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,M,pass,time_us\n"
      "conv,1,2,4,4,3,1,1,0,0,1,1,,fwd,5\n"
      "gemm,7,,,,5,,,,,,,3,bwd,6\n"
      "gemm,7,,,,5,,,,,,,3,bwd_data,6\n");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->samples.size(), 2);
  EXPECT_EQ(read->samples[0].complexity, 2 * 3 * 16);
  EXPECT_EQ(read->samples[1].complexity, 2 * 3 * 7 * 5);
  EXPECT_EQ(read->left_out.at("bwd_data rows").rows, 1);
}

TEST(LayerSamples, AConditionLeavesTheWalkAlone) {
  LayerSampleOptions options;
  options.keep = [](const RowCell& cell) { return cell("layer") == "fc"; };
  const auto read =
      samples_of(kLayerHeader + rows("conv1,convolution,4,3,1,1,10\nfc,inner_product,10,,1,,13\n"), options);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->samples.size(), 1);
  EXPECT_EQ(read->samples[0].complexity, 4 * 64 * 10 * 2);
}

// As of rows that the reader of layer tables knows: the GPU's id, fp32 where nothing is said, and no harness.
TEST(LayerSamples, LayersOfNetworksGoByTheNamesOfOtherRows) {
  const std::string header = "op,model,gpu,precision,pass,batch,image_size,layer,type,K,R,stride_h,time_us,";
  const std::string layers =
      "network_layer,net,1080-Ti,float32,,2,8,conv1,convolution,4,3,1,10,4\n"
      "network_layer,net,1080-Ti,float32,,2,8,relu1,relu,,,,3,4\n";
  LayerSampleOptions options;
  options.keep = [](const RowCell& cell) {
    return cell("gpu") == "gtx-1080-ti" && cell("precision") == "fp32" && cell("pass") == "fwd";
  };
  const auto read = samples_of(header + "host_overhead_us\n" + layers, options);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->samples.size(), 1);
  EXPECT_EQ(read->samples[0].gpu, "gtx-1080-ti");
  EXPECT_EQ(read->samples[0].precision, "fp32");
  EXPECT_NEAR(read->samples[0].time.value(), 6e-6, 1e-12);
  EXPECT_EQ(read->left_out.at("rows without a time").rows, 1);

  options.gpu = "1080-Ti";
  const auto filled = samples_of(header + "\nnetwork_layer,net,,,,2,8,conv1,convolution,4,3,1,10,\n", options);
  ASSERT_TRUE(filled) << filled.error().message;
  ASSERT_EQ(filled->samples.size(), 1);
  EXPECT_EQ(filled->samples[0].gpu, "gtx-1080-ti");
}

TEST(LayerSamples, WhatIsWrongIsNamedWithItsLine) {
  const auto large = samples_of(kLayerHeader + rows("conv1,convolution,4,9,1,0,10\n"));
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().message, HasSubstr("a window of 9"));
  EXPECT_THAT(large.error().where, HasSubstr("t.csv:2"));
  EXPECT_THAT(samples_of(kLayerHeader + rows("conv1,convolution,4,3,0,0,10\n")).error().where, HasSubstr("stride_h"));
  const auto joins = samples_of(kLayerHeader + rows("m/a,convolution,4,1,1,0,1\nm/b,convolution,4,3,1,0,1\n"
                                                    "m/output,concat,,,,,1\n"));
  ASSERT_FALSE(joins);
  EXPECT_THAT(joins.error().message, HasSubstr("8 x 8 positions with 6 x 6"));
  EXPECT_THAT(samples_of(kLayerHeader + rows("m/output,concat,,,,,1\n")).error().message, HasSubstr("nothing before"));
}

}  // namespace
}  // namespace rooftile
