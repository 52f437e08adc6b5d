#include "rooftile/roofline/measured.hpp"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/roofline/ceilings.hpp"
#include "rooftile/roofline/time_point.hpp"

namespace rooftile::roofline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

profile::KernelProfile profiled(std::string name, std::optional<Seconds> time, profile::MetricSet metrics = {}) {
  profile::KernelProfile kernel;
  kernel.line = 7;
  kernel.name = std::move(name);
  kernel.compute_capability = "7.0";
  kernel.time = time;
  kernel.metrics = std::move(metrics);
  return kernel;
}

class Measured : public testing::Test {
 protected:
  Gpu gpu = find_gpu("v100-sxm2-16gb").value();
  Roof roof = find_ceilings("v100-ert", Seconds(0)).value();

  MeasuredKernels measured(std::vector<profile::KernelProfile> kernels) {
    NamedProfile file;
    file.where = "p.csv";
    file.profile.kernels = std::move(kernels);
    return kernels_of({file}, roof);
  }

  Result<MeasuredKernels> table(const std::string& csv) { return kernels_of_table(csv, "t.csv", gpu, roof); }
};

TEST_F(Measured, ATimelineOfRooftilesIsPredicted) {
  NamedProfile file;
  file.profile.kernels = {profiled("forward", Seconds(1e-4))};
  EXPECT_EQ(kernels_of({file}, roof).kernels[0].origin, Origin::measured);
  file.profile.predicted = true;
  EXPECT_EQ(kernels_of({file}, roof).kernels[0].origin, Origin::predicted);
}

TEST_F(Measured, CountersOfAllLaunches) {
  auto kernel = profiled("volta_h884gemm", Seconds(1e-4),
                         {{"dram__bytes.sum", 1e6}, {"sm__inst_executed_pipe_tensor.sum", 1000}});
  kernel.launches = 3;
  const MeasuredKernels result = measured({kernel});
  ASSERT_EQ(result.kernels.size(), 1U);
  const Kernel& made = result.kernels[0];
  EXPECT_NEAR(made.time.value(), 3e-4, 1e-15);
  EXPECT_EQ(made.bytes[2], Bytes(3e6));
  EXPECT_FALSE(made.bytes[1]);
  EXPECT_TRUE(made.flops_known);
  EXPECT_EQ(made.unit, Peak::tensor_fp16);
  EXPECT_NEAR(made.total_flops().value(), 512.0 * 1000 * 3, 1e-6);  // papers: 512 a tensor instruction of V100
}

TEST_F(Measured, TimesAndCountersFromTwoFiles) {
  NamedProfile times{"times.csv", {}}, counters{"metrics.csv", {}};
  times.profile.kernels = {profiled("a", Seconds(1e-3)), profiled("a", Seconds(2e-3)), profiled("b", Seconds(1))};
  counters.profile.kernels = {profiled("a", {}, {{"flop_count_sp", 5e6}}), profiled("c", {}, {{"flop_count_sp", 1}})};
  const MeasuredKernels result = kernels_of({times, counters}, roof);
  ASSERT_EQ(result.kernels.size(), 3U);
  EXPECT_EQ(result.kernels[0].total_flops(), Flops(5e6));
  EXPECT_EQ(result.kernels[1].total_flops(), Flops(5e6));
  EXPECT_FALSE(result.kernels[2].flops_known);
  ASSERT_EQ(result.dropped.size(), 1U);
  EXPECT_EQ(result.dropped[0].where, "metrics.csv:7");
  EXPECT_EQ(result.dropped[0].reason, "no time for kernel 'c'");
}

TEST_F(Measured, TensorUnitFollowsTheName) {
  EXPECT_EQ(tensor_unit_of("ampere_bf16_s16816gemm_bf16_128x128"), Peak::tensor_bf16);
  EXPECT_EQ(tensor_unit_of("cutlass_tensorop_s1688gemm_128x128"), Peak::tensor_tf32);
  EXPECT_EQ(tensor_unit_of("volta_h884gemm"), Peak::tensor_fp16);
}

TEST_F(Measured, GpuIsBusyWhereAnyKernelRuns) {
  auto at = [&](double start, double time) {
    auto kernel = profiled("k", Seconds(time));
    kernel.start = Seconds(start);
    return kernel;
  };
  EXPECT_NEAR(*gpu_utilisation(measured({at(0, 2), at(1, 2), at(5, 5)})), 0.8, 1e-12);  // 3 and 5 of 10
  EXPECT_FALSE(gpu_utilisation(measured({at(0, 2), profiled("k", Seconds(1))})));
  EXPECT_FALSE(gpu_utilisation({}));
}

TEST_F(Measured, WhatCannotBeTrueIsDropped) {
  const auto with = [](double seconds, double bytes) {
    return profiled("k", Seconds(seconds), {{"dram__bytes.sum", bytes}});
  };
  const MeasuredKernels result =
      measured({with(1e-3, 0), with(1e300, 1), with(1e-300, 1), with(1e-3, 1e300), with(1e-3, 1e-300)});
  EXPECT_EQ(result.kernels.size(), 1U);
  ASSERT_EQ(result.dropped.size(), 4U);
  EXPECT_EQ(result.dropped[0].reason, "kernel 'k': implausible time: 1e+300 s");
  EXPECT_EQ(result.dropped[3].reason, "kernel 'k': implausible number of bytes: 1e-300");
}

TEST_F(Measured, CpuUtilisationIsThatOfTheOnlyProfile) {
  NamedProfile file;
  file.profile.kernels = {profiled("a", Seconds(1))};
  file.profile.host = profile::HostUse{.threads = 2, .mean = 0.25, .busiest = 0.4};
  View view;
  view.roof = roof;
  add_measured(view, together({kernels_of({file}, roof)}));
  EXPECT_EQ(view.utilisation.cpu, 0.25);
  EXPECT_THAT(view.notes.front(), HasSubstr("threads: 2, the busiest 40.0 %"));
  EXPECT_FALSE(kernels_of({file, file}, roof).cpu);
}

TEST_F(Measured, NamesKernelsOfAnotherGpu) {
  profile::Profile profile;
  profile.kernels = {profiled("a", Seconds(1)), profiled("b", Seconds(1))};
  EXPECT_EQ(note_of_other_gpu(profile, gpu), "");
  profile.kernels[1].compute_capability = "8.0";
  EXPECT_EQ(note_of_other_gpu(profile, gpu),
            "1 of 2 kernels ran on a GPU of compute capability 8.0; v100-sxm2-16gb has 7.0");
  profile.predicted = true, profile.gpu = "A30";
  EXPECT_EQ(note_of_other_gpu(profile, gpu), "predicted for A30, under the roof of " + gpu.name);
}

TEST_F(Measured, Fp32UtilisationIsOverBusyTime) {
  const double rate = roof.peak(Peak::fp32).value();
  const MeasuredKernels result =
      measured({profiled("a", Seconds(1), {{"flop_count_sp", rate / 2}}),
                profiled("b", Seconds(3), {{"flop_count_sp", 0}}), profiled("c", Seconds(9))});
  EXPECT_NEAR(*fp32_utilisation(result.kernels, roof), 0.125, 1e-12);
  EXPECT_FALSE(fp32_utilisation({}, roof));
}

TEST_F(Measured, RowsOfATable) {
  const std::string csv =
      "op,gpu,precision,pass,N,C,kernel,launches,kernel_launches,time_us,flop_measured,flop_cuda_core,flop_tensor_core,"
      "l1_bytes_measured,dram_bytes_measured\n"
      "conv,v100-sxm2-16gb,fp16,fwd,16,64,,,5,225,3.6e9,,3.5e9,4e8,9e7\n"
      "kernel,,fp32,fw,,,\"implicit<a, b>\",4,,10,,2e6,0,,8e5\n";
  ASSERT_TRUE(is_measured_table(csv));
  const auto result = table(csv);
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result->kernels.size(), 2U);
  const Kernel& conv = result->kernels[0];
  EXPECT_EQ(conv.name, "conv N=16 C=64");
  EXPECT_EQ(conv.unit, Peak::tensor_fp16);
  EXPECT_EQ(conv.launches, 5);
  EXPECT_NEAR(conv.total_flops().value(), 3.6e9, 1);
  EXPECT_EQ(conv.bytes[0], Bytes(4e8));
  EXPECT_FALSE(conv.bytes[1]);
  const Kernel& kernel = result->kernels[1];
  EXPECT_EQ(kernel.name, "implicit<a, b> fw");
  EXPECT_EQ(kernel.launches, 4);
  EXPECT_EQ(kernel.unit, Peak::fp32);
}

TEST_F(Measured, WrongRowsOfATableAreNamed) {
  const std::string header = "op,gpu,time_us,dram_bytes_measured\n";
  const auto result = table(header + "conv,,1,2\nconv,,0,2\nconv,,-1,2\nconv,,1,nan\nconv,t4,1,1\nconv,,,1\nconv,,1\n");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->kernels.size(), 1U);
  ASSERT_EQ(result->dropped.size(), 6U);
  EXPECT_EQ(result->dropped[0].where, "t.csv:3");
  EXPECT_THAT(result->dropped[0].reason, HasSubstr("no time"));
  EXPECT_THAT(result->dropped[1].reason, HasSubstr("'-1' is not a number of at least 0"));
  EXPECT_THAT(result->dropped[2].reason, HasSubstr("column dram_bytes_measured: 'nan'"));
  EXPECT_THAT(result->dropped[3].reason, HasSubstr("measured on t4, not on v100-sxm2-16gb"));
  EXPECT_THAT(result->dropped[4].reason, HasSubstr("no time"));
  EXPECT_THAT(result->dropped[5].reason, HasSubstr("3 cells, the header has 4"));
  const auto absurd = table("op,kernel,time_us,launches\nkernel,a,1,1\nkernel,b,1e300,1\nkernel,c,1,0\n");
  ASSERT_TRUE(absurd) << absurd.error().text();
  ASSERT_EQ(absurd->dropped.size(), 2U);
  EXPECT_THAT(absurd->dropped[0].reason, HasSubstr("implausible time: 1e+294 s"));
  EXPECT_THAT(absurd->dropped[1].reason, HasSubstr("implausible number of launches: 0"));
  EXPECT_FALSE(table(header));
  EXPECT_FALSE(is_measured_table("op,gpu\n"));
  EXPECT_FALSE(is_measured_table("\"ID\",\"Kernel Name\"\n"));
}

// V100, Nsight Compute; the published figures are those of the paper's notebooks.
TEST_F(Measured, PublishedTablesLandWhereThePaperPutsThem) {
  const std::string path = "../shared/measurements/nersc_v100_roofline/conv.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const auto result = table(read_text_file(path).value());
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->kernels.size(), 72U);
  EXPECT_THAT(result->dropped, IsEmpty());
  const auto found = std::find_if(result->kernels.begin(), result->kernels.end(), [](const Kernel& kernel) {
    return kernel.name.find("PyTorch") != std::string::npos && kernel.name.find("R=9") != std::string::npos &&
           kernel.pass == Pass::fwd && kernel.unit == Peak::fp32;
  });
  ASSERT_NE(found, result->kernels.end());
  const auto point = analyse(*found, roof, 2);
  EXPECT_EQ(point->bound, Bound::compute);
  EXPECT_NEAR(point->intensity, 350.4, 0.1);       // 2.8719e10 / 8.195e7
  EXPECT_NEAR(point->inefficiency, 1.3998, 1e-4);  // 2.652 ms x 15158.2 GFLOP/s / 2.8719e10
}

}  // namespace
}  // namespace rooftile::roofline
