#include "rooftile/base/nearest.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/base/error.hpp"

namespace rooftile {
namespace {

TEST(Nearest, Distance) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("conv", ""), 4);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("abcd", "acbd"), 1);  // swapped neighbours
  EXPECT_EQ(edit_distance("Titan-XP", "titan-xp"), 0);
}

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"titan-xp", "titan-v", "t4", "h100-pcie-80gb"};
  EXPECT_EQ(nearest("titan-px", names), "titan-xp");
  EXPECT_EQ(nearest("t5", names), "t4");
  EXPECT_EQ(nearest("mi300x-of-doom", names), "");
  EXPECT_EQ(did_you_mean("titn-v", names), "; did you mean 'titan-v'?");
  EXPECT_EQ(did_you_mean("zzzz", names), "");
  EXPECT_EQ(nearest(std::string(1 << 20, 'x'), names), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, TheChoicesFollowTheNearest) {
  const std::vector<std::string> names = {"grid", "random"};
  EXPECT_EQ(one_of("gird", names), "; did you mean 'grid'? One of grid, random");
  EXPECT_EQ(one_of("zzzz", names), "; one of grid, random");
}

TEST(Nearest, ABeginningStandsForTheShortestThatHasIt) {
  const std::vector<std::string> names = {"usd_per_million_samples", "usd_per_hour", "--batch-size", "inference"};
  EXPECT_EQ(nearest("usd", names), "usd_per_hour");
  EXPECT_EQ(nearest("--batch", names), "--batch-size");
  EXPECT_EQ(nearest("INFER", names), "inference");
  EXPECT_EQ(nearest("in", names), "");
}

TEST(Nearest, ACandidateFromAFileIsShownOnOneLine) {
  const std::vector<std::string> columns = {"stride\x0bw"};
  EXPECT_EQ(did_you_mean("stride_w", columns), "; did you mean 'stride?w'?");
}

TEST(Error, TextIsOneLine) {
  EXPECT_EQ((Error{ErrorCode::io, "is a directory", "a.onnx"}.text()), "a.onnx: is a directory");
  EXPECT_EQ((Error{ErrorCode::io, "is a directory", ""}.text()), "is a directory");
}

}  // namespace
}  // namespace rooftile
