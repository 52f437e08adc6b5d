#include "rooftile/measure/selection.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "rooftile/measure/cases.hpp"

namespace rooftile::measure {
namespace {

std::string error_of(const Selection& selection) { return select_cases(selection).error().text(); }

TEST(Selection, NothingAskedIsTheDefaultSet) {
  EXPECT_EQ(select_cases({})->cases, default_cases());
  const auto half = select_cases({.precisions = {"bf16"}})->cases;
  EXPECT_LT(half.size(), default_cases().size() / 2);
  EXPECT_TRUE(std::all_of(half.begin(), half.end(), [](const LayerCase& one) { return one.precision == DType::bf16; }));
}

TEST(Selection, NetworksInEachWayAskedFor) {
  Selection selection;
  selection.networks = {"alexnet"};
  selection.batch_size = 2;
  const std::size_t plain = select_cases(selection)->cases.size();
  selection.precisions = {"fp32", "fp16"};
  EXPECT_EQ(select_cases(selection)->cases.size(), 2 * plain);
  selection.precisions = {};
  selection.algorithms = {"all"};
  EXPECT_EQ(select_cases(selection)->cases.size(), plain + 5 * 5);  // six algorithms for five convolutions
  EXPECT_EQ(std::get<Conv>(select_cases(selection)->cases.front().op).batch, 2);
}

TEST(Selection, TablesAndNetworksTogether) {
  Selection selection;
  selection.tables = {"examples/layers.csv"};
  const auto table = select_cases(selection);
  ASSERT_TRUE(table.has_value()) << table.error().text();
  EXPECT_GT(table->cases.size(), 0);
  selection.networks = {"alexnet"};
  EXPECT_GT(select_cases(selection)->cases.size(), table->cases.size());
}

TEST(Selection, ErrorsNameTheNearest) {
  EXPECT_EQ(error_of({.networks = {"alexnt"}}), "--networks: no network 'alexnt'; did you mean 'alexnet'?");
  EXPECT_EQ(error_of({.precisions = {"fp61"}}),
            "--precision: unknown 'fp61'; did you mean 'fp16'? One of fp32, tf32, fp16, bf16, fp8, int8");
  EXPECT_EQ(error_of({.passes = {"x"}}), "--pass: unknown 'x'; one of fwd, bwd_data, bwd_weight");
  EXPECT_EQ(error_of({.layouts = {"nhcw"}}).substr(0, 24), "--layout: unknown 'nhcw'");
  EXPECT_EQ(error_of({.algorithms = {"winogard"}}),
            "--algorithms: unknown 'winogard'; did you mean 'winograd'? One of implicit_gemm, winograd, "
            "winograd_nonfused, fft, direct, explicit_gemm, all, library");
  EXPECT_EQ(error_of({.tables = {"none.csv"}}), "none.csv: No such file or directory");
}

}  // namespace
}  // namespace rooftile::measure
