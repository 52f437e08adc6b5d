#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/cost/cost.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/cost/cost_fit.hpp"
#include "rooftile/cost/energy.hpp"
#include "rooftile/cost/validation.hpp"
#include "rooftile/explore/parameter.hpp"
#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

static_assert(std::is_trivially_copyable_v<CostModel> && std::is_trivially_copyable_v<HardwareCost>,
              "a design's cost must need no allocation");

CostTable loaded_costs() {
  auto table = load_costs("");
  EXPECT_TRUE(table) << table.error().text();
  return *table;
}

Gpu found_gpu(const std::string& id) {
  auto gpu = find_gpu(id);
  EXPECT_TRUE(gpu) << gpu.error().text();
  return *gpu;
}

std::vector<Gpu> catalogue() {
  std::vector<Gpu> gpus;
  for (const std::string& id : gpu_ids()) {
    if (!id.ends_with("-delta")) gpus.push_back(found_gpu(id));
  }
  return gpus;
}

// 2 SMs of 1 + 3 x 0.5 + 10 x 0.1 + 100 x 0.01 = 4.5 mm2, 200 bytes of L2, 3 channels of 4 mm2, 7 mm2 fixed.
TEST(Cost, AreaByHand) {
  const DieCounts die = {.sms = 2, .lanes = 3, .tensor_macs = 10, .sm_sram = 100, .l2 = 200, .channels = 3};
  const DieRates rates = {.lane = 0.5, .tensor_mac = 0.1, .sm = 1, .sram_byte = 0.01, .channel = 4, .fixed = 7};
  const DieArea area = area_of(die, rates);
  EXPECT_DOUBLE_EQ(area.sms, 9);
  EXPECT_DOUBLE_EQ(area.l2, 2);
  EXPECT_DOUBLE_EQ(area.memory, 12);
  EXPECT_DOUBLE_EQ(area.fixed, 7);
}

// A TITAN Xp has the whole of its GP102, 471 mm2: no SM is spare, so a die is good if none of it is broken:
// (1 + 471 x 0.001 / 3)^-3 over the parts, 30 SMs and the rest, that fail apart. 3984 USD a wafer of 70,686 mm2:
// 70,686 / 471 - pi 300 / sqrt(942) = 119.4 dies.
TEST(Cost, SiliconByHand) {
  const Gpu gpu = found_gpu("titan-xp");
  const auto model = cost_model_of(loaded_costs(), gpu);
  ASSERT_TRUE(model);
  const HardwareCost cost = cost_of(gpu, *model);
  EXPECT_NEAR(cost.area.total(), 471, 0.01);  // lanes from a peak of four digits
  EXPECT_NEAR(cost.dies_per_wafer, 119.37, 0.01);
  const auto intact = [](double mm2) { return std::pow(1 + mm2 * 0.001 / 3, -3); };
  const double yield = intact(471 - cost.area.sms) * std::pow(intact(cost.area.sms / 30), 30);
  EXPECT_NEAR(cost.yield, yield, 1e-5);
  EXPECT_NEAR(cost.silicon.value(), 3984 / (119.37 * yield), 0.01);
  EXPECT_NEAR(cost.memory.value(), 12 * 10, 1e-6);  // 12 GB of GDDR5X at 10 USD
}

// 3840 lanes at the base clock of 1.405 GHz, 43.19 pJ at 1.5 GHz each: 218.3 W. 547.7 GB/s at 11 pJ a bit: 48.2 W.
// With 30 W and a tenth of the whole for the rest: 329.4 W. The board is sold with 250 W.
TEST(Cost, PowerByHand) {
  const Gpu gpu = found_gpu("titan-xp");
  const auto model = cost_model_of(loaded_costs(), gpu);
  ASSERT_TRUE(model);
  const HardwareCost cost = cost_of(gpu, *model);
  const double lanes = gpu.peak(Peak::fp32).value() / 2 / gpu.clock.value();
  EXPECT_NEAR(cost.arithmetic.value(), lanes * 1.405e9 * 43.19e-12 * 1.405 / 1.5, 0.01);
  EXPECT_NEAR(cost.dram.value(), 48.2, 0.05);
  EXPECT_NEAR(cost.power().value(), (cost.arithmetic + cost.dram + Watts(30)).value() / 0.9, 1e-6);
}

// SMs that are spare make up for defects: half of the SMs unused, nearly every die has enough of them.
TEST(Cost, SpareSmsRaiseTheYield) {
  const CostTable table = loaded_costs();
  Gpu gpu = found_gpu("titan-xp");
  const auto model = cost_model_of(table, gpu);
  ASSERT_TRUE(model);
  CostModel spare = *model;
  const double full = cost_of(gpu, spare).yield;
  gpu.sm_count /= 2;
  spare.sms_on_die = 2;
  EXPECT_GT(cost_of(gpu, spare).yield, full + 0.1);
}

// A die beyond the reticle becomes several.
TEST(Cost, DiesBeyondTheReticle) {
  Gpu gpu = found_gpu("h100-sxm5-80gb");
  const auto model = cost_model_of(loaded_costs(), gpu);
  ASSERT_TRUE(model);
  EXPECT_EQ(cost_of(gpu, *model).dies, 1);
  DesignPoint point = design_of(gpu);
  at(point, Parameter::sm_count) *= 2;
  const HardwareCost twice = cost_of(with_design(gpu, point), *model);
  EXPECT_EQ(twice.dies, 2);
  EXPECT_GT(twice.yield, 0.5);
}

// Every resource of a design takes its silicon.
TEST(Cost, ResourcesTakeArea) {
  const Gpu gpu = found_gpu("v100-sxm2-16gb");
  const auto model = cost_model_of(loaded_costs(), gpu);
  ASSERT_TRUE(model);
  const double base = cost_of(gpu, *model).area.total();
  for (const Parameter parameter :
       {Parameter::sm_count, Parameter::mac_per_sm, Parameter::tensor_mac_per_sm, Parameter::registers,
        Parameter::l1_capacity, Parameter::l2_capacity, Parameter::smem_bandwidth, Parameter::l1_bandwidth,
        Parameter::l2_bandwidth, Parameter::dram_bandwidth}) {
    DesignPoint point = design_of(gpu);
    at(point, parameter) *= 2;
    EXPECT_GT(cost_of(with_design(gpu, point), *model).area.total(), base + 1) << name_of(parameter);
  }
  EXPECT_EQ(cost_of(with_design(gpu, design_of(gpu)), *model).area.total(), base);
}

// 84 SMs of 30.1 million transistors at 28.9 a mm2 are 87.5 mm2 of ports to the L2 on a GV100; scaled as the chip is,
// by 815 / 938, twice the bandwidth adds 76 mm2.
TEST(Cost, L2BandwidthTakesPorts) {
  const Gpu gpu = found_gpu("v100-sxm2-16gb");
  const auto model = cost_model_of(loaded_costs(), gpu);
  ASSERT_TRUE(model);
  DesignPoint point = design_of(gpu);
  at(point, Parameter::l2_bandwidth) *= 2;
  const double more = cost_of(with_design(gpu, point), *model).area.total() - cost_of(gpu, *model).area.total();
  EXPECT_NEAR(more, 87.5 * 815 / 938, 0.2);
}

// The constants of data/costs are what their fits give.
TEST(Cost, ConstantsAreTheirFits) {
  const CostTable table = loaded_costs();
  const AreaCosts fitted = fit_area(table);
  EXPECT_NEAR(table.area.lane_mtr / fitted.lane_mtr, 1, 1e-3);
  EXPECT_NEAR(table.area.sm_mtr / fitted.sm_mtr, 1, 1e-3);
  EXPECT_NEAR(table.area.tensor_mac_mtr / fitted.tensor_mac_mtr, 1, 1e-3);
  EXPECT_NEAR(table.area.fixed_mm2 / fitted.fixed_mm2, 1, 1e-3);
  EXPECT_NEAR(table.energy.tensor_mac_pj / fit_tensor_mac_pj(table, catalogue()), 1, 1e-3);
}

// 20 chips of nine generations, 28 to 4 nm: the constants of the others give a generation's areas within 12 %
// typically. Worst: GV100 +20 %, GA100 -19 %.
TEST(Cost, HeldOutAreas) {
  std::vector<double> ratios;
  for (const ChipArea& chip : chip_areas(loaded_costs())) {
    if (!chip.fit) continue;
    ratios.push_back(chip.held_out_mm2 / chip.die_mm2);
    EXPECT_NEAR(std::log(ratios.back()), 0, 0.22) << chip.chip;
  }
  EXPECT_EQ(ratios.size(), 20u);
  EXPECT_LT(miss_of(ratios).factor.value(), 0.12);
}

TEST(Cost, AMissHasNoFactorWhereAPredictionIsNotAboveZero) {
  EXPECT_NEAR(miss_of(std::vector{2.0, 0.5}).factor.value(), 1, 1e-12);
  EXPECT_FALSE(miss_of(std::vector{2.0, -0.5}).factor);
  EXPECT_FALSE(miss_of(std::vector<double>{}).factor);
}

// The boards of listed NVIDIA chips whose base clock is known: power within 27 % of the TDP typically.
TEST(Cost, Powers) {
  const std::vector<Gpu> gpus = catalogue();
  const auto rows = board_costs(loaded_costs(), gpus, gpus);
  ASSERT_TRUE(rows) << rows.error().text();
  std::vector<double> ratios;
  for (const BoardCost& row : *rows) {
    if (row.tdp && row.base_clock && !row.chip.empty()) ratios.push_back(row.cost.power() / *row.tdp);
  }
  EXPECT_GE(ratios.size(), 30u);
  EXPECT_LT(miss_of(ratios).factor.value(), 0.27);
}

// 1e12 FLOPs on the lanes of a TITAN Xp at 1582 MHz: 0.5e12 x 43.19 pJ x 1582 / 1500 = 22.77 J; 1e9 bytes of DRAM at 88
// pJ: 0.088 J.
TEST(Cost, EnergyByHand) {
  const Gpu gpu = found_gpu("titan-xp");
  const auto model = cost_model_of(loaded_costs(), gpu);
  ASSERT_TRUE(model);
  const HardwareCost cost = cost_of(gpu, *model);
  Prediction prediction;
  prediction.time = Seconds(0.1);
  LayerEstimate& layer = prediction.layers.emplace_back();
  layer.flops = Flops(1e12);
  layer.traffic.dram = Bytes(0.6e9);
  layer.traffic.store_dram = Bytes(0.4e9);
  const RunEnergy energy = energy_of(prediction, gpu, *model, cost);
  EXPECT_NEAR(energy.arithmetic.value(), 0.5 * 43.19 * gpu.clock.value() / 1.5e9, 1e-6);
  EXPECT_NEAR(energy.dram.value(), 0.088, 1e-9);
  EXPECT_NEAR(energy.idle.value(), 0.1 * cost.idle.value(), 1e-12);
}

TEST(CostFile, AUsersNumberGoesOver) {
  const CostTable table = loaded_costs();
  const auto changed = with_costs(table, R"([sources]
own = "a quote"
[[process]]
nm = 16
wafer = { value = "3000 USD", source = "own" }
)",
                                  "own.toml");
  ASSERT_TRUE(changed) << changed.error().text();
  EXPECT_EQ(changed->process(16)->wafer_usd, 3000);
  EXPECT_EQ(changed->process(16)->defects_per_cm2, table.process(16)->defects_per_cm2);
  EXPECT_EQ(changed->processes.size(), table.processes.size());
  EXPECT_EQ(changed->facts.size(), table.facts.size());
}

TEST(CostFile, Errors) {
  const CostTable table = loaded_costs();
  const auto message = [&](const std::string& toml) {
    const auto read = with_costs(table, "sources = { a = \"b\" }\n" + toml, "x.toml");
    return read ? std::string("fine") : read.error().text();
  };
  EXPECT_EQ(message("[aria]"), "x.toml:2:2: unknown key 'aria'; did you mean 'area'?");
  EXPECT_EQ(message("[area]\nlan = 1"), "x.toml:3:1: unknown key 'lan' in [area]; did you mean 'lane'?");
  EXPECT_EQ(message("[area]\nlane = { value = \"2 mm2\", source = \"a\" }"),
            "x.toml:3:18: area.lane must be a number in MTr in quotes, as in \"12.5 MTr\"");
  EXPECT_EQ(message("[area]\nlane = { value = \"-2 MTr\", source = \"a\" }"),
            "x.toml:3:18: area.lane = -2 MTr is out of range: 0 to 1000");
  EXPECT_EQ(message("[area]\nlane = { value = \"2 MTr\" }"), "x.toml:3:8: area.lane has no source");
  EXPECT_EQ(message("[area]\nlane = { value = \"2 MTr\", source = \"a\", kind = \"assumed\" }"),
            "x.toml:3:8: area.lane is assumed: its note must say why, and the range");
  EXPECT_EQ(message("[[process]]\nnm = 1\nname = \"N1\""), "x.toml:2:1: a new [[process]] needs logic_density");
  EXPECT_EQ(message("[[memory]]\nprice = 1"), "x.toml:2:1: type is missing");
  EXPECT_EQ(message("[process]\nnm = 3"), "x.toml:2:1: 'process' is written [[process]], with two brackets");
}

TEST(Cost, WhatTheTableLacks) {
  Gpu gpu = found_gpu("titan-xp");
  gpu.process_nm = 1;
  const auto model = cost_model_of(loaded_costs(), gpu);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().text(), "titan-xp: the costs have no [[process]] with nm = 1");
}

}  // namespace
}  // namespace rooftile
