#include "rooftile/planning/data_parallel.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/link.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

const std::string kMeasurements = "../shared/measurements/";

// Rows of a table as maps from column to cell; empty where the table is absent.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& path) {
  if (!std::filesystem::exists(kMeasurements + path)) return {};
  const auto table = parse_csv(read_text_file(kMeasurements + path).value(), path).value();
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t i = 1; i < table.size(); ++i) {
    auto& row = rows.emplace_back();
    for (std::size_t c = 0; c < table[i].cells.size(); ++c) row[table[0].cells[c]] = table[i].cells[c];
  }
  return rows;
}

struct Errors {
  int rows = 0;
  double absolute = 0, square = 0;  // sums of the logarithm of predicted / measured
  int inside = 0;                   // of the interval

  void add(double predicted, double measured, bool within = false) {
    const double log = std::log(predicted / measured);
    ++rows;
    absolute += std::abs(log);
    square += log * log;
    inside += within ? 1 : 0;
  }
  double gmae() const { return std::exp(absolute / rows) - 1; }
  double rms() const { return std::sqrt(square / rows); }
};

TEST(Link, OfAModuleOfACardAndOfACardWithABridge) {
  const auto link = [](const char* id, int gpus) { return link_of(find_gpu(id).value(), gpus).value(); };
  EXPECT_EQ(link("h100-sxm5-80gb", 8).name, "NVLink");
  EXPECT_DOUBLE_EQ(link("h100-sxm5-80gb", 8).bandwidth.value(), 450e9);  // 900 GB/s both ways
  EXPECT_EQ(link("rtx-3090", 2).name, "NVLink");
  EXPECT_EQ(link("rtx-3090", 4).name, "PCIe 4");
  EXPECT_NEAR(link("t4", 2).bandwidth.value(), 15.754e9, 1e6);  // 16 lanes x 8 GT/s x 128/130 / 8
  EXPECT_EQ(link("mi300x", 8).name, "Infinity Fabric");
}

// Every board of the catalogue that has a vendor's link is here, so that a new one is looked at: how many it joins.
TEST(Link, ReachesAsManyBoardsAsTheFormOfEachAllows) {
  const std::map<std::string, int> reaches = {
      {"a100-pcie-40gb", 2},
      {"a100-pcie-80gb", 2},
      {"a100-sxm4-40gb", 8},
      {"a100-sxm4-80gb", 8},
      {"a40", 2},
      {"b200-sxm-180gb", 8},
      {"b300-sxm-288gb", 8},
      {"gb200", 8},
      {"gb300", 8},
      {"gh200-96gb-hbm3", 8},
      {"h100-nvl-94gb", 2},
      {"h100-pcie-80gb", 2},
      {"h100-sxm5-80gb", 8},
      {"h20", 8},
      {"h200-sxm-141gb", 8},
      {"h800-sxm5-80gb", 8},
      {"mi100", 4},
      {"mi250", 2},
      {"mi250x", 2},
      {"mi300x", 8},
      {"mi325x", 8},
      {"p100-sxm2-16gb", 8},
      {"rtx-2080-ti", 2},
      {"rtx-3090", 2},
      {"v100-sxm2-16gb", 8},
      {"v100-sxm2-32gb", 8},
      {"v100-sxm3-32gb", 8},
  };
  for (const std::string& id : gpu_ids()) {
    const Gpu gpu = find_gpu(id).value();
    const auto known = [&](const char* key) {
      return std::any_of(gpu.facts.begin(), gpu.facts.end(), [&](const Fact& fact) { return fact.key == key; });
    };
    const bool linked = known("link.nvlink") || known("link.infinity_fabric");
    EXPECT_EQ(linked, reaches.contains(id)) << id;
    for (const int gpus : {2, 4, 8}) {
      const auto link = link_of(gpu, gpus);
      if (linked && gpus <= reaches.at(id)) {
        ASSERT_TRUE(link) << id;
        EXPECT_EQ(link->name, known("link.nvlink") ? "NVLink" : "Infinity Fabric") << id;
      } else {
        EXPECT_EQ(link.has_value(), known("link.pcie_generation")) << id;
        EXPECT_TRUE(!link || link->name.starts_with("PCIe ")) << id;
      }
    }
  }
}

TEST(DataParallel, OneGpuAddsNothing) {
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  const AddedTime added = added_time(Seconds(1), Bytes(1e9), 1, gpu, link_of(gpu, 2).value(), Scaling::host_memory);
  EXPECT_EQ(added.time, Seconds(0));
  EXPECT_EQ(added.range.high, Seconds(0));
}

RC_GTEST_PROP(DataParallel, GrowsWithBytesAndSlowerLinks, ()) {
  const Gpu gpu = find_gpu(*rc::gen::element<std::string>("a100-sxm4-80gb", "h100-sxm5-80gb", "t4", "mi300x")).value();
  const Bytes bytes(*rc::gen::inRange(1, 1000000000));
  const int gpus = *rc::gen::inRange(2, 64);
  const Link link = {"a link", BytesPerSecond(1e3 * *rc::gen::inRange(1000000, 1000000000))};
  const Link slower = {"slower", link.bandwidth / 2};
  for (const Scaling scaling : {Scaling::host_memory, Scaling::links}) {
    const AddedTime added = added_time(Seconds(0.1), bytes, gpus, gpu, link, scaling);
    RC_ASSERT(added.range.low < added.time && added.time < added.range.high);
    RC_ASSERT(added_time(Seconds(0.1), bytes * 2, gpus, gpu, link, scaling).time > added.time);
    RC_ASSERT(added_time(Seconds(0.1), bytes, gpus, gpu, slower, scaling).time >= added.time);
  }
}

TEST(DataParallel, ThroughTheHostIsNoFasterThanOverTheLinks) {
  for (const char* id : {"a100-sxm4-80gb", "rtx-3090", "t4"}) {
    const Gpu gpu = find_gpu(id).value();
    const Link link = link_of(gpu, 8).value();
    const auto time = [&](Scaling scaling) { return added_time(Seconds(0.1), Bytes(1e9), 8, gpu, link, scaling).time; };
    EXPECT_GE(time(Scaling::host_memory), time(Scaling::links)) << id;
  }
}

// The all-reduces of `links`, on the rows that collectives/ was fitted to beside others.
TEST(AllReduce, FitsNcclOnA100AndH100) {
  Errors errors;
  for (const auto& row : rows_of("aiconfigurator/collective.csv")) {
    if (row.at("kind") != "all_reduce" || row.at("precision") != "fp16") continue;
    const Gpu gpu = find_gpu(row.at("gpu")).value();
    const int gpus = std::stoi(row.at("gpus"));
    const Bytes bytes(std::stod(row.at("bytes")));
    const AddedTime added = added_time(Seconds(0), bytes, gpus, gpu, link_of(gpu, gpus).value(), Scaling::links);
    errors.add(added.time.value() * 1e6, std::stod(row.at("time_us")));
  }
  if (errors.rows == 0) GTEST_SKIP() << "no " << kMeasurements << "aiconfigurator";
  EXPECT_EQ(errors.rows, 126);
  EXPECT_LT(errors.rms(), 0.2);
}

struct MeasuredRun {
  double step = 0;  // seconds
  int batch = 1;    // of all GPUs
};

// One of each model, GPU, precision and number: the table has some twice.
std::map<std::tuple<std::string, std::string, std::string, int>, MeasuredRun> lambda_runs() {
  std::map<std::tuple<std::string, std::string, std::string, int>, MeasuredRun> runs;
  for (const auto& row : rows_of("lambda/network.csv")) {
    const int batch = std::stoi(row.at("batch"));
    runs.emplace(std::tuple(row.at("model"), row.at("gpu"), row.at("precision"), std::stoi(row.at("gpus"))),
                 MeasuredRun{batch / std::stod(row.at("throughput")), batch});
  }
  return runs;
}

// Lambda's training benchmark, the measured step of one GPU beside that of 2, 4 and 8 (V100 SXM2, A100 SXM4 and PCIe,
// RTX 3090; ResNet-50, BERT base and large, NCF), of the same batch a GPU. Left out: runs in which several GPUs took
// less a step than 1. Its scripts keep GPUs from reaching one another (NCCL_P2P_DISABLE=1). The rate of the host's
// memory is fitted to these rows; tools/fit_data_parallel.py prints its errors on rows held out.
TEST(DataParallel, ThroughTheHostFitsLambdasTrainingRuns) {
  const auto runs = lambda_runs();
  if (runs.empty()) GTEST_SKIP() << "no " << kMeasurements << "lambda";
  Errors host, links;
  for (const auto& entry : runs) {
    const auto& [model, id, precision, gpus] = entry.first;
    const bool known =
        model == "resnet50" || model == "bert_base_squad" || model == "bert_large_squad" || model == "ncf";
    if (!known || gpus == 1) continue;
    const MeasuredRun alone = runs.at({model, id, precision, 1}), several = entry.second;
    if (several.step < alone.step || several.batch != gpus * alone.batch) continue;
    const Seconds one(alone.step);
    const Gpu gpu = find_gpu(id).value();
    const DType stored = precision == "fp16" ? DType::fp16 : DType::fp32;
    Workload workload;
    for (const ZooEntry& zoo_entry : zoo()) {
      if (zoo_entry.name == model) workload = zoo_entry.build(1);
    }
    const Bytes gradients = gradient_bytes(stored_as(workload, stored));
    const Link link = link_of(gpu, gpus).value();
    const AddedTime added = added_time(one, gradients, gpus, gpu, link, Scaling::host_memory);
    const bool within =
        several.step >= (one + added.range.low).value() && several.step <= (one + added.range.high).value();
    host.add((one + added.time).value(), several.step, within);
    links.add((one + added_time(one, gradients, gpus, gpu, link, Scaling::links).time).value(), several.step);
  }
  RecordProperty("gmae_host_memory", fmt::format("{:.4f}", host.gmae()));
  RecordProperty("gmae_links", fmt::format("{:.4f}", links.gmae()));
  RecordProperty("inside", host.inside);
  EXPECT_EQ(host.rows, 52);
  EXPECT_LT(host.gmae(), 0.05);
  EXPECT_GT(links.gmae(), 0.12);  // NVLink would lose far less
  EXPECT_EQ(host.inside, 51);     // as the script prints
}

}  // namespace
}  // namespace rooftile
