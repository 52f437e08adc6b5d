#include "rooftile/calibration/calibration.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/calibration/embedded.hpp"
#include "rooftile/calibration/spread_scope.hpp"
#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

CalibrationEntry entry_for(std::string scope) {
  CalibrationEntry entry;
  entry.scope = std::move(scope);
  entry.constants = unfitted_constants(entry.family);
  return entry;
}

std::vector<ConstantInfo> all_constants() {
  std::vector<ConstantInfo> all;
  for (const KernelFamily family : kKernelFamilies) {
    const auto table = constant_table(family);
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

Gpu gpu_named(std::string_view id) { return *find_gpu(id); }

TEST(Constants, StartWithinTheirBounds) {
  for (const ConstantInfo& row : all_constants()) {
    EXPECT_LE(row.low, row.start) << row.name;
    EXPECT_LE(row.start, row.high) << row.name;
  }
}

TEST(Constants, NoEfficiencyExceedsOne) {
  for (const ConstantInfo& row : all_constants()) {
    if (row.name.find("efficiency") != std::string_view::npos) {
      EXPECT_EQ(row.high, 1) << row.name;
    }
    EXPECT_GE(row.low, 0) << row.name;
  }
}

TEST(Calibration, ReadsWhatItWrites) {
  Calibration calibration;
  calibration.entries.push_back(entry_for("Turing"));
  calibration.entries[0].choice = TileChoice::by_channels;
  calibration.entries[0].spread = Spread{0.75, 1.5, 1.1};
  calibration.entries[0].data = "a \"quoted\" table";
  calibration.entries[0].board = Board{"Turing", 40, Watts(70)};
  calibration.harnesses.push_back({KernelFamily::tensor, "PyTorch", "t4", Seconds(50e-6), Seconds(70e-6), 5, true});
  calibration.harnesses[0].range = {Seconds(0), Seconds(90e-6), Seconds(5e-6), Seconds(70e-6)};
  calibration.harnesses.push_back({KernelFamily::recurrent, "cuDNN", "", Seconds(0), Seconds(0), 0, false, 6});
  calibration.harnesses[1].range = {Seconds(0), Seconds(9e-6), Seconds(0), Seconds(0), 2.5, 12};
  calibration.harnesses.push_back(
      {KernelFamily::stream, "Triton do_bench", "", Seconds(0), Seconds(0), 0, false, 0, true});
  calibration.foreign_spreads.push_back({KernelFamily::tensor, "nvidia", Spread{0.5, 2, 1.25}, 1.5, 1.75});
  calibration.foreign_spreads.push_back({KernelFamily::stream, "nvidia", std::nullopt, 1.25, 1.25});
  const auto read = parse_calibration(write_calibration(calibration), "test");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->entries.size(), 1U);
  EXPECT_EQ(read->entries[0].constants, calibration.entries[0].constants);
  EXPECT_EQ(read->entries[0].choice, TileChoice::by_channels);
  EXPECT_EQ(read->entries[0].spread, calibration.entries[0].spread);
  EXPECT_EQ(read->entries[0].data, calibration.entries[0].data);
  EXPECT_EQ(read->entries[0].board, calibration.entries[0].board);
  const Harness* harness = find_harness(*read, KernelFamily::tensor, "PyTorch", "t4", "nvidia");
  ASSERT_NE(harness, nullptr);
  EXPECT_NEAR(harness->overhead.value(), 50e-6, 1e-12);
  EXPECT_NEAR(harness->floor.value(), 70e-6, 1e-12);
  EXPECT_EQ(harness->weight_sets, 5);
  EXPECT_TRUE(harness->rotates);
  ASSERT_TRUE(harness->range);
  EXPECT_NEAR(harness->range->overhead_high.value(), 90e-6, 1e-12);
  EXPECT_NEAR(harness->range->floor_low.value(), 5e-6, 1e-12);
  EXPECT_EQ(find_harness(*read, KernelFamily::tensor, "PyTorch", "p4", "nvidia"), nullptr);
  EXPECT_EQ(find_harness(*read, KernelFamily::conv_simt, "PyTorch", "t4", "nvidia"), nullptr);
  const Harness* cells = find_harness(*read, KernelFamily::recurrent, "cuDNN", "t4", "nvidia");
  ASSERT_TRUE(cells != nullptr && cells->range);
  EXPECT_EQ(cells->range->launches_low, 2.5);
  EXPECT_EQ(cells->range->launches_high, 12);
  const Harness* flushed = find_harness(*read, KernelFamily::stream, "Triton do_bench/triton", "t4", "nvidia");
  ASSERT_NE(flushed, nullptr);
  EXPECT_TRUE(flushed->flushes);
  EXPECT_EQ(read->foreign_spreads, calibration.foreign_spreads);
}

TEST(Calibration, PrefersTheGpuThenItsArchitectureThenTheOneForAny) {
  Calibration calibration;
  calibration.entries = {entry_for("any"), entry_for("Volta"), entry_for("Turing"), entry_for("t4")};
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("t4")).entry->scope, "t4");
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("rtx-2080-ti")).entry->scope, "Turing");
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("rtx-2080-ti")).match, Match::architecture);
  const FoundEntry kepler = find_entry(calibration, KernelFamily::conv_simt, gpu_named("k80"));
  EXPECT_EQ(kepler.entry->scope, "any");
  EXPECT_EQ(kepler.match, Match::foreign);
  EXPECT_EQ(find_entry(calibration, KernelFamily::tensor, gpu_named("t4")).entry, nullptr);
}

TEST(Calibration, PrefersABoardWithTheSameChipToItsArchitecture) {
  Calibration calibration;
  calibration.entries = {entry_for("any"), entry_for("Hopper"), entry_for("h100-sxm5-80gb"), entry_for("p4")};
  calibration.entries[2].board = board_of(gpu_named("h100-sxm5-80gb"));
  calibration.entries[3].board = board_of(gpu_named("p4"));
  const FoundEntry found = find_entry(calibration, KernelFamily::conv_simt, gpu_named("h200-sxm-141gb"));
  EXPECT_EQ(found.entry->scope, "h100-sxm5-80gb");
  EXPECT_EQ(found.match, Match::sibling);
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("h100-pcie-80gb")).entry->scope, "Hopper");
  // The same chip with as many SMs, but more than twice the power.
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("gtx-1080")).entry->scope, "any");
}

// cuDNN and cuBLAS run Volta's FP32 kernels on Turing, and the only board of it that was measured is a T4 of 70 W.
TEST(Calibration, PrefersTheArchitectureOfItsKernelsToABoardWithoutPower) {
  Calibration calibration;
  calibration.entries = {entry_for("any"), entry_for("Turing"), entry_for("Volta"), entry_for("t4")};
  calibration.entries[3].board = board_of(gpu_named("t4"));
  const FoundEntry found = find_entry(calibration, KernelFamily::conv_simt, gpu_named("rtx-2080-ti"));
  EXPECT_EQ(found.entry->scope, "Volta");
  EXPECT_EQ(found.match, Match::kin);
  calibration.entries[2].scope = "Pascal GP100";
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("rtx-2080-ti")).entry->scope, "Turing");
}

// A V100 of 300 W never falls as low as a T4 of 70 W does, whose clock its energies therefore do not tell.
TEST(Calibration, ABoardWithoutPowerTakesNothingOfOneThatHasPlenty) {
  Calibration calibration;
  calibration.entries = {entry_for("any"), entry_for("Volta"), entry_for("v100-sxm2-16gb")};
  calibration.entries[2].board = board_of(gpu_named("v100-sxm2-16gb"));
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("t4")).entry->scope, "any");
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("rtx-2080-ti")).entry->scope, "Volta");
}

// Kernels for compute capability 10.0 run on 10.3 as they are.
TEST(Calibration, BlackwellUltraRunsBlackwellsKernels) {
  Calibration calibration;
  calibration.entries = {entry_for("any"), entry_for("Blackwell B200")};
  const FoundEntry found = find_entry(calibration, KernelFamily::conv_simt, gpu_named("gb300"));
  EXPECT_EQ(found.entry->scope, "Blackwell B200");
  EXPECT_EQ(found.match, Match::kin);
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("rtx-5090")).entry->scope, "any");
}

TEST(Calibration, PrefersTheVendorToTheOneForAny) {
  Calibration calibration;
  calibration.entries = {entry_for("amd"), entry_for("any"), entry_for("CDNA 1")};
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("mi100")).entry->scope, "CDNA 1");
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("mi210")).entry->scope, "amd");
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("mi210")).match, Match::foreign);
  EXPECT_EQ(find_entry(calibration, KernelFamily::conv_simt, gpu_named("t4")).entry->scope, "any");
  calibration.harnesses.resize(2);
  calibration.harnesses[0].framework = "PyTorch";
  calibration.harnesses[0].gpu = "amd";
  calibration.harnesses[1].framework = "PyTorch/linear";
  const auto harness = [&](std::string_view framework, std::string_view gpu, std::string_view vendor) {
    return find_harness(calibration, KernelFamily::conv_simt, framework, gpu, vendor);
  };
  EXPECT_EQ(harness("PyTorch", "mi210", "amd"), &calibration.harnesses[0]);
  EXPECT_EQ(harness("PyTorch", "t4", "nvidia"), nullptr);
  EXPECT_EQ(harness("PyTorch/linear", "t4", "nvidia"), &calibration.harnesses[1]);
}

TEST(Calibration, KnowsAFrameworkByItsCallAndItsVersion) {
  using Names = std::vector<std::string_view>;
  constexpr KernelFamily kRecurrent = KernelFamily::recurrent;
  EXPECT_EQ(names_of_call(KernelFamily::tensor, "PyTorch 2.1/linear"), (Names{"PyTorch 2.1/linear", "PyTorch 2.1"}));
  EXPECT_EQ(names_of_call(kRecurrent, "PyTorch 2.1"), (Names{"PyTorch 2.1", "PyTorch"}));
  EXPECT_EQ(names_of_call(kRecurrent, "cuDNN through TVM"), (Names{"cuDNN through TVM"}));
  Calibration calibration;
  calibration.harnesses.resize(2);
  for (Harness& harness : calibration.harnesses) harness.family = kRecurrent, harness.framework = "TensorFlow";
  calibration.harnesses[0].gpu = "t4";  // not what another version takes there
  const auto harness = [&](std::string_view framework) {
    return find_harness(calibration, kRecurrent, framework, "t4", "nvidia");
  };
  EXPECT_EQ(harness("TensorFlow"), &calibration.harnesses[0]);
  EXPECT_EQ(harness("TensorFlow 2.2"), &calibration.harnesses[1]);
  EXPECT_EQ(harness("MXNet"), nullptr);
}

TEST(Calibration, UnknownCallersLaunchAsTheGpuDoesAndLibrariesCells) {
  const Seconds launch(4e-6), start(1e-6);
  EXPECT_EQ(unknown_harness(KernelFamily::gemm_simt, "", launch, start).overhead, launch);
  EXPECT_EQ(unknown_harness(KernelFamily::tensor, "", launch, start).overhead, launch - start);
  EXPECT_EQ(unknown_harness(KernelFamily::stream, "", launch, start).floor, launch);
  EXPECT_EQ(unknown_harness(KernelFamily::recurrent, "", launch, start).step_launches, 3);
}

TEST(Calibration, AFrameworkThatCallsCudnnTakesItsHostAsLongAsAnotherDoes) {
  const Seconds launch(4e-6), start(1e-6);
  for (const KernelFamily family : {KernelFamily::conv_simt, KernelFamily::conv_tensor}) {
    for (const char* framework : {"cuDNN through TVM", "TensorFlow 2.4 cuDNN 8.0", "TVM cudnn", "cuDNN, TVM"}) {
      const Harness harness = unknown_harness(family, framework, launch, start);
      EXPECT_GT(harness.overhead, Seconds(50e-6)) << framework;
      ASSERT_TRUE(range_of_unknown({}, harness)) << framework;
      EXPECT_LT(range_of_unknown({}, harness)->overhead_low, harness.overhead);
    }
    for (const char* framework : {"cuDNN", "cuDNN 9.19.0", "cuDNN v9", "cudnn cuDNN 92400 (frontend 1.27.0)",
                                  "Torch7 cuDNN 5.1.10", "CUTLASS through TVM", "", " "}) {
      EXPECT_LE(unknown_harness(family, framework, launch, start).overhead, launch) << framework;
    }
  }
  EXPECT_LE(unknown_harness(KernelFamily::tensor, "cuDNN through TVM", launch, start).overhead, launch);
}

TEST(Calibration, UnknownCallersLaunchAsFewOrAsManyKernelsAStepAsAnyThatWasMeasured) {
  Calibration calibration;
  const auto measure = [&](KernelFamily family, double micros, double launches) {
    calibration.harnesses.push_back({family, "", "", Seconds(micros * 1e-6), Seconds(0), 0, false, launches});
  };
  measure(KernelFamily::recurrent, 60, 12);
  measure(KernelFamily::recurrent, 1, 5);
  measure(KernelFamily::gemm_simt, 90, 0);
  const auto range_of = [&](KernelFamily family) {
    return range_of_unknown(calibration, unknown_harness(family, "", Seconds(4e-6), {}));
  };
  const auto range = range_of(KernelFamily::recurrent);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->launches_low, 3) << "what is taken for an unknown caller is one of them";
  EXPECT_EQ(range->launches_high, 12);
  EXPECT_DOUBLE_EQ(range->overhead_low.value(), 1e-6);
  EXPECT_DOUBLE_EQ(range->overhead_high.value(), 60e-6);
  EXPECT_FALSE(range_of(KernelFamily::gemm_simt)) << "plans say what its calls launch";
}

TEST(Calibration, NobodyKnowsTheErrorOfAVendorNeverMeasured) {
  Calibration calibration;
  calibration.entries = {entry_for("any"), entry_for("t4")};
  calibration.entries[1].spread = Spread{0.9, 1.1};
  calibration.foreign_spreads = {{KernelFamily::conv_simt, "nvidia", Spread{0.5, 2}, 1.2, 1.5}};
  const auto spread_on = [&](std::string_view id, HarnessMatch harness = HarnessMatch::known) {
    const Gpu gpu = gpu_named(id);
    return find_spread(calibration, find_entry(calibration, KernelFamily::conv_simt, gpu), gpu.vendor, harness);
  };
  EXPECT_EQ(spread_on("t4"), (Spread{0.9, 1.1}));
  EXPECT_EQ(spread_on("t4", HarnessMatch::elsewhere), widened({0.9, 1.1}, 1.2));
  EXPECT_EQ(spread_on("t4", HarnessMatch::unknown), widened({0.9, 1.1}, 1.5));
  EXPECT_EQ(spread_on("k80"), (Spread{0.5, 2}));
  EXPECT_EQ(spread_on("mi300x"), std::nullopt);
}

TEST(Calibration, MiopenOnLanesHasIntervalsOfItsOwn) {
  constexpr KernelFamily kFamily = KernelFamily::conv_miopen;
  EXPECT_EQ(spread_scope(kFamily, gpu_named("mi100")), "amd");
  EXPECT_EQ(spread_scope(kFamily, gpu_named("mi50")), "amd lanes");
  EXPECT_EQ(spread_scope(KernelFamily::tensor, gpu_named("mi50")), "amd");
  EXPECT_EQ(vendor_of("amd lanes"), "amd");
  Calibration calibration;
  calibration.entries = {entry_for("any")};
  calibration.entries[0].family = kFamily;
  calibration.foreign_spreads = {{kFamily, "amd", Spread{0.5, 2, 1.5}, 1}};
  const auto spread_on = [&](std::string_view id) {
    const Gpu gpu = gpu_named(id);
    return find_spread(calibration, find_entry(calibration, kFamily, gpu), spread_scope(kFamily, gpu),
                       HarnessMatch::unknown);
  };
  EXPECT_EQ(spread_on("mi210"), (Spread{0.5, 2, 1.5}));
  EXPECT_EQ(spread_on("mi25"), widened({0.5, 2, 1.5}, 1.5)) << "no lanes were measured";
  calibration.foreign_spreads.push_back({kFamily, "amd lanes", Spread{0.4, 3, 1.5}, 1});
  EXPECT_EQ(spread_on("mi25"), (Spread{0.4, 3, 1.5}));
}

TEST(Calibration, BadFilesAreErrorsWithTheirPlace) {
  const auto message = [](std::string_view text) {
    const auto read = parse_calibration(text, "c.toml");
    return read ? std::string("no error") : read.error().text();
  };
  EXPECT_THAT(message("[[entri]]\n"), testing::HasSubstr("unknown table 'entri'; did you mean 'entry'?"));
  EXPECT_THAT(message("[[entry]]\nfamily = \"conv_simt\"\n"), testing::HasSubstr("no 'scope'"));
  EXPECT_THAT(message("[[entry]]\nfamily = \"conv_simt\"\nscope = \"x\"\n[entry.constants]\nwide_efficiency = 1.5\n"),
              testing::HasSubstr("wide_efficiency is 1.5, which is not between 0.2 and 1"));
  EXPECT_THAT(message("[[entry]]\nfamily = \"conv_simt\"\nscope = \"x\"\n[entry.constants]\nwide_eficiency = 1\n"),
              testing::HasSubstr("did you mean 'wide_efficiency'"));
  EXPECT_THAT(message("entry = 3\n"), testing::HasSubstr("'entry' is not a list of tables"));
  EXPECT_THAT(message("[[factors]]\nclock = 1\n"), testing::HasSubstr("no 'gpu'"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\nclok = 1\n"), testing::HasSubstr("did you mean 'clock'"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\nclock = 0\n"), testing::HasSubstr("not between 0.001 and 1000"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\ncalls = 1\n"), testing::HasSubstr("calls is not a list of tables"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\ncalls = [{family = \"tensor\", weight = 0}]\n"),
              testing::HasSubstr("no number 'micros'"));
  EXPECT_THAT(message("entri = []\n"), testing::HasSubstr("'entri' is not a list of tables"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\ncalls = [{family = \"tensor\", micors = 1, weight = 0}]\n"),
              testing::HasSubstr("did you mean 'micros'?"));
  const std::string call = "[[factors]]\ngpu = \"t4\"\ncalls = [{family = \"tensor\", micros = 1, weight = 0, ";
  EXPECT_THAT(message(call + "drum = 0.5}]\n"), testing::HasSubstr("unknown key 'drum'; did you mean 'dram'?"));
  EXPECT_THAT(message(call + "wieght = 0.5}]\n"), testing::HasSubstr("did you mean 'weight'?"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\ncalls = [1]\n"), testing::HasSubstr("calls is not a list of tables"));
  EXPECT_THAT(message("[[foreign]]\nfamily = \"tensor\"\nvendor = \"nvidia\"\nspread = [1, 1000]\n"),
              testing::HasSubstr("spread is not [low, high] with 0.001 <= low <= high < 1000"));
  EXPECT_THAT(message("based_on = \"mine\"\n"), testing::HasSubstr("based_on must be \"shipped\""));
  EXPECT_THAT(message("[[entry"), testing::HasSubstr("c.toml:1"));
}

TEST(Calibration, UnknownKeysOfEveryTableAreErrorsWithTheNearest) {
  const auto message = [](std::string_view text) {
    const auto read = parse_calibration(text, "c.toml");
    return read ? std::string("no error") : read.error().text();
  };
  const std::string entry = "[[entry]]\nfamily = \"tensor\"\nscope = \"any\"\n";
  EXPECT_EQ(message(entry + "spraed = [0.9, 1.1]\n[entry.constants]\n"),
            "c.toml:4:10: unknown key 'spraed'; did you mean 'spread'?");
  EXPECT_EQ(message(entry + "[entry.constnats]\n"), "c.toml:4:1: unknown key 'constnats'; did you mean 'constants'?");
  EXPECT_THAT(
      message("[[harness]]\nfamily = \"tensor\"\noverhead_us = 1\nfloor_us = 1\nweight_sets = 0\nrotate = true\n"),
      testing::HasSubstr("unknown key 'rotate'; did you mean 'rotates'?"));
  EXPECT_THAT(message("[[foreign]]\nfamily = \"tensor\"\nvedor = \"nvidia\"\nspread = [0.5, 2]\n"),
              testing::HasSubstr("unknown key 'vedor'; did you mean 'vendor'?"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\n[factors.tensor]\neficiency = 0.9\n"),
              testing::HasSubstr("unknown key 'eficiency'; did you mean 'efficiency'?"));
  EXPECT_THAT(message("[[factors]]\ngpu = \"t4\"\n[factors.tensors]\nefficiency = 0.9\n"),
              testing::HasSubstr("unknown key 'tensors'; did you mean 'tensor'?"));
  EXPECT_EQ(
      message(entry +
              "[entry.constants]\n[[harness]]\nfamily = \"tensor\"\noverhead_us = 1\nfloor_us = 1\nweight_sets = 0\n"),
      "no error");
}

TEST(Calibration, AHarnessHasTheKeysOfItsFamily) {
  const auto message = [](const std::string& family, const std::string& keys) {
    const auto read =
        parse_calibration("[[harness]]\nfamily = \"" + family + "\"\noverhead_us = 1\nfloor_us = 1\n" + keys, "c.toml");
    return read ? std::string("no error") : read.error().text();
  };
  EXPECT_EQ(message("recurrent", "step_launches = 3\n"), "no error");
  EXPECT_EQ(message("gemm_simt", ""), "no error");
  EXPECT_THAT(message("recurrent", "step_launches = 3\nweight_sets = 1\n"),
              testing::HasSubstr("unknown key 'weight_sets'"));
  EXPECT_THAT(message("tensor", "weight_sets = 1\nstep_launches = 3\n"),
              testing::HasSubstr("unknown key 'step_launches'"));
  EXPECT_THAT(message("gemm_simt", "rotates = true\n"), testing::HasSubstr("unknown key 'rotates'"));
  EXPECT_THAT(message("recurrent", ""), testing::HasSubstr("no number 'step_launches'"));
  EXPECT_EQ(message("stream", ""), "no error");
  EXPECT_EQ(message("stream", "flushes = true\n"), "no error");
  EXPECT_EQ(message("tensor", "weight_sets = 0\nflushes = true\n"), "no error");
  EXPECT_THAT(message("attention", "flushes = true\n"), testing::HasSubstr("unknown key 'flushes'"));
}

TEST(Calibration, ValuesOfAWrongTypeAreErrorsWithTheirPlace) {
  const auto message = [](const std::string& text) {
    const auto read = parse_calibration(text, "c.toml");
    return read ? std::string("no error") : read.error().text();
  };
  const std::string harness = "[[harness]]\nfamily = \"tensor\"\noverhead_us = 1\nfloor_us = 1\nweight_sets = 0\n";
  EXPECT_EQ(message(harness + "framework = \"a\"\ngpu = \"t4\"\nrotates = true\n"), "no error");
  EXPECT_EQ(message(harness + "rotates = 1\n"), "c.toml:6:11: rotates is not true or false");
  EXPECT_EQ(message(harness + "rotates = \"yes\"\n"), "c.toml:6:11: rotates is not true or false");
  EXPECT_EQ(message(harness + "gpu = 3\n"), "c.toml:6:7: gpu is not a string in quotes");
  EXPECT_EQ(message(harness + "framework = true\n"), "c.toml:6:13: framework is not a string in quotes");
  EXPECT_EQ(message("[[harness]]\nfamily = \"tensor\"\noverhead_us = \"1\"\n"),
            "c.toml:3:15: overhead_us is not a number");
  EXPECT_EQ(message("[[harness]]\nfamily = 3\n"), "c.toml:2:10: family is not a string in quotes");
  EXPECT_EQ(message("[[foreign]]\nfamily = \"tensor\"\nvendor = [\"nvidia\"]\nspread = [0.5, 2]\n"),
            "c.toml:3:10: vendor is not a string in quotes");

  const std::string entry = "[[entry]]\nfamily = \"tensor\"\nscope = \"any\"\n", constants = "[entry.constants]\n";
  EXPECT_EQ(message(entry + "date = \"2026-01-31\"\nrows = 3\ngmae = 0.1\n" + constants), "no error");
  EXPECT_EQ(message(entry + "date = 2026-01-31\n" + constants), "c.toml:4:8: date is not a string in quotes");
  EXPECT_EQ(message(entry + "data = 1\n" + constants), "c.toml:4:8: data is not a string in quotes");
  EXPECT_EQ(message(entry + "rows = \"3\"\n" + constants), "c.toml:4:8: rows is not a number");
  EXPECT_EQ(message(entry + "gmae = false\n" + constants), "c.toml:4:8: gmae is not a number");
  EXPECT_EQ(message(entry + "choice = 1\n" + constants), "c.toml:4:10: choice is not a string in quotes");
  EXPECT_EQ(message(entry + "constants = 1\n"), "c.toml:4:13: constants is not a table");
  EXPECT_EQ(message("[[entry]]\nfamily = \"tensor\"\nscope = 1\n"), "c.toml:3:9: scope is not a string in quotes");

  const std::string factors = "[[factors]]\ngpu = \"t4\"\n";
  EXPECT_EQ(message(factors + "rows = true\n"), "c.toml:3:8: rows is not a number");
  EXPECT_EQ(message(factors + "clock = \"1\"\n"), "c.toml:3:9: clock is not a number");
  EXPECT_EQ(message("[[factors]]\ngpu = 4\n"), "c.toml:2:7: gpu is not a string in quotes");
}

TEST(Calibration, CountsAndErrorsOfAFitAreFiniteAndNotBelowZero) {
  const auto message = [](const std::string& text) {
    const auto read = parse_calibration(text, "c.toml");
    return read ? std::string("no error") : read.error().text();
  };
  const std::string entry = "[[entry]]\nfamily = \"tensor\"\nscope = \"any\"\n", constants = "\n[entry.constants]\n";
  for (const char* number : {"nan", "inf", "-inf", "-3", "1e300"}) {
    for (const char* key : {"rows", "gmae"}) {
      EXPECT_THAT(message(fmt::format("{}{} = {}{}", entry, key, number, constants)),
                  testing::MatchesRegex(fmt::format("c.toml:4:8: {} is .*, which is not between 0 and .*", key)));
    }
    EXPECT_THAT(message(std::string("[[factors]]\ngpu = \"t4\"\nrows = ") + number + "\n"),
                testing::MatchesRegex("c.toml:3:8: rows is .*, which is not between 0 and .*"));
  }
  EXPECT_EQ(message(entry + "rows = 0\ngmae = 0" + constants), "no error");
  EXPECT_EQ(message(entry + "rows = 1000000\ngmae = 3.5" + constants), "no error");
  EXPECT_EQ(message(entry + constants), "no error");
  EXPECT_EQ(message("[[factors]]\ngpu = \"t4\"\n"), "no error");
}

TEST(Calibration, FactorsOfAGpuAreReadAsTheyAreWritten) {
  Calibration calibration;
  calibration.on_shipped = true;
  calibration.factors.push_back({.gpu = "t4", .clock = 0.95, .dram_bandwidth = 1.02, .launch_overhead = 1.5});
  calibration.factors[0].of(KernelFamily::tensor) = {0.9, Spread{0.8, 1.25}};
  calibration.factors[0].calls = {
      {KernelFamily::tensor, {.micros = 12.5, .limits = {0.25, 0, 0, 0, 0, 0, 0, 1}}, -0.125}};
  calibration.factors[0].data = "mine.csv";
  calibration.factors[0].rows = 5;
  const auto read = parse_calibration(write_calibration(calibration), "test");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->on_shipped);
  EXPECT_EQ(read->factors, calibration.factors);
  ASSERT_NE(find_factors(*read, "t4"), nullptr);
  EXPECT_EQ(find_factors(*read, "p4"), nullptr);
}

TEST(Calibration, NamesOfAnotherEncodingAreWrittenSoThatTheyCanBeRead) {
  Calibration calibration;
  calibration.factors.push_back({.gpu = "t4", .data = "caf\xe9 \"1\"\n.csv"});
  const auto read = parse_calibration(write_calibration(calibration), "test");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->factors.front().data, "caf? \"1\"?.csv");
}

TEST(Calibration, WhatBuildsOnTheShippedOneHasItsConstants) {
  Calibration own;
  own.on_shipped = true;
  own.entries = {entry_for("t4")};
  const Calibration all = completed(own);
  EXPECT_EQ(all.entries.size(), builtin_calibration().entries.size());  // its own in place of theirs
  EXPECT_EQ(find_entry(all, KernelFamily::conv_simt, gpu_named("t4")).entry->constants, own.entries[0].constants);
  EXPECT_EQ(all.harnesses.size(), builtin_calibration().harnesses.size());
  own.on_shipped = false;
  EXPECT_EQ(completed(own).entries.size(), 1U);
}

TEST(Calibration, ARequestAndItsSequencesCostWhatTheFileSays) {
  const std::string host = R"([[host]]
framework = "mine"
execution = "engine"
forward_us = 3
gradient_us = 3
update_us = 3
data = "none"
)";
  const auto costs = [](const std::string& text) { return parse_calibration(text, "h.toml").value().hosts.at(0); };
  EXPECT_EQ(costs(host).request, Seconds(0));
  EXPECT_EQ(costs(host + "request_us = 2000\n").request, Seconds(2e-3));
  EXPECT_FALSE(parse_calibration(host + "request_us = -1\n", "h.toml"));
  EXPECT_EQ(costs(host).sequence, Seconds(0));
  EXPECT_DOUBLE_EQ(costs(host + "sequence_us = 60\n").sequence.value(), 60e-6);
  EXPECT_FALSE(parse_calibration(host + "sequence_us = -1\n", "h.toml"));
  EXPECT_EQ(costs(host).step, Seconds(0));
  EXPECT_DOUBLE_EQ(costs(host + "step_us = 900\n").step.value(), 900e-6);
}

TEST(Calibration, NoMeasuredCallsAreAList) {
  const auto read = parse_calibration("[[factors]]\ngpu = \"t4\"\ncalls = []\n", "c.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->factors.front().calls.empty());
}

TEST(Calibration, ManyTablesAndCallsOnALineAreNotDeep) {
  Calibration calibration;
  calibration.factors.push_back({.gpu = "t4"});
  for (int i = 0; i < 200; ++i) {
    calibration.factors[0].data += "../a.b/[c]{\".csv, ";
    calibration.factors[0].calls.push_back(
        {KernelFamily::tensor, {.micros = 12.5, .limits = {0.25, 0, 0, 0, 0, 0, 0, 0.5}}, -0.125});
  }
  std::string text = write_calibration(calibration);
  for (std::size_t at = text.find("\n  {"); at != std::string::npos; at = text.find("\n  {")) text[at] = ' ';
  const auto read = parse_calibration(text, "c.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->factors, calibration.factors);
}

TEST(Calibration, DeepNestingIsAnErrorAndNoCrash) {
  const auto many = [](int times, std::string_view what) {
    std::string text;
    for (int i = 0; i < times; ++i) text += what;
    return text;
  };
  const std::string keys = "a" + many(300000, ".a"), brackets = many(100000, "["), tables = many(100000, "{a=");
  // What stands before the brackets looks like an open string or a comment, and is none.
  for (const std::string& text :
       {keys + " = 1\n", "[" + keys + "]\n", "[[" + keys + "]]\n", "\"x\"." + keys + " = 1\n", "x = " + brackets,
        "x = " + tables, "x = [1, " + brackets, "x = " + many(100000, "[\n"), "x = {y = 1, " + keys + " = 1}\n",
        R"(x = ["\"", )" + brackets, R"(x = ['\', )" + brackets, R"(x = ["", '', )" + brackets,
        R"(x = ["#", )" + brackets, R"(x = ["""a"b\"""" , )" + brackets, R"(x = ["""a""""", )" + brackets,
        R"(x = ['''a'b''''', )" + brackets, "x = ['''\n'''\n, " + brackets, "# it's \"\"\"\nx = " + brackets}) {
    const auto read = parse_calibration(text, "c.toml");
    ASSERT_FALSE(read) << text.substr(0, 40);
    EXPECT_THAT(read.error().message, testing::HasSubstr(": not a calibration")) << text.substr(0, 40);
  }
}

TEST(Calibration, EveryFileThatShipsIsGood) {
  for (const EmbeddedText& file : embedded_calibrations()) {
    const auto read = parse_calibration(file.text, file.path);
    EXPECT_TRUE(read) << read.error().text();
  }
}

}  // namespace
}  // namespace rooftile
