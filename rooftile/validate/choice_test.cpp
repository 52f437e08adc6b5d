#include "rooftile/validate/choice.hpp"

#include <gtest/gtest.h>

#include "rooftile/ingest/layer_table.hpp"

namespace rooftile {
namespace {

MeasuredTable choice_table(std::string_view csv) {
  return {"t.csv", *parse_layer_table(csv, "t.csv", {.measurements = true})};
}

constexpr std::string_view kHeader = "gpu,algorithm,kernel,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,time_us\n";

TEST(Choice, CountsWhatIsRightAndWhatItCosts) {
  // A large map with 32 filters is fastest with the narrow tile; nobody would run it with 128 columns.
  const std::string rows = std::string(kHeader) +
                           "titan-xp,implicit_gemm,maxwell_scudnn_128x32_relu,64,64,56,56,32,1,1,0,0,1,1,100\n"
                           "titan-xp,implicit_gemm,maxwell_scudnn_128x128_relu,64,64,56,56,32,1,1,0,0,1,1,100\n";
  const auto groups = score_choices({choice_table(rows)}, {});
  ASSERT_TRUE(groups) << groups.error().text();
  ASSERT_EQ(groups->size(), 1U);
  const ChoiceScore& score = groups->front().score;
  EXPECT_EQ(score.rows, 2U);
  EXPECT_EQ(score.algorithm_right, 2U);
  EXPECT_EQ(score.tile_rows, 2U);
  EXPECT_EQ(score.tile_right, 1U);
  EXPECT_EQ(score.regret.front(), 0);
  EXPECT_GT(score.regret.back(), 0.5);
}

TEST(Choice, RowsThatTellNothingTakeNoPart) {
  const std::string rows = std::string(kHeader) + "titan-xp,,,64,64,56,56,32,1,1,0,0,1,1,100\n" +
                           "titan-xp,direct,,64,64,56,56,32,1,1,0,0,1,1,100\n";
  const auto groups = score_choices({choice_table(rows)}, {});
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().message, "no row names the algorithm or the kernel that ran");
}

}  // namespace
}  // namespace rooftile
