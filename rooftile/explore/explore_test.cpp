#include "rooftile/explore/explore.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/axis_notes.hpp"
#include "rooftile/explore/delta_batch.hpp"
#include "rooftile/explore/rows.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

WeightedWorkload alexnet() {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == "alexnet") return {.workload = entry.build(16)};
  }
  ADD_FAILURE();
  return {};
}

DesignAxis multiples(Parameter parameter, const Gpu& base, const std::vector<double>& factors) {
  DesignAxis axis;
  axis.parameter = parameter;
  for (const double factor : factors) axis.values.push_back(at(design_of(base), parameter) * factor);
  return axis;
}

// 5 x 20 x 20 x 3 designs, three blocks; a third of them have too few registers for a CTA.
DesignSpace small_space() {
  DesignSpace space;
  space.gpu = "titan-xp-delta";
  space.base = find_gpu(space.gpu).value();
  std::vector<double> fine;
  for (int i = 0; i < 20; ++i) fine.push_back(1 + i / 4.0);
  space.axes = {multiples(Parameter::sm_count, space.base, {1, 2, 3, 4, 5}),
                multiples(Parameter::dram_bandwidth, space.base, fine),
                multiples(Parameter::mac_per_sm, space.base, fine),
                multiples(Parameter::registers, space.base, {0.25, 1, 2})};
  return space;
}

std::unique_ptr<const Evaluator> alexnet_evaluator(const DesignSpace& space, Method method = Method::delta) {
  return std::move(make_evaluator(space, {alexnet()}, {.method = method}).value());
}

ExploreOptions everything(unsigned threads = 1) {
  ExploreOptions options;
  options.threads = threads;
  options.results = {.best = 7,
                     .pareto = {metric_of(Parameter::sm_count), metric_of(Parameter::dram_bandwidth)},
                     .heat_map = std::pair(0, 1)};
  return options;
}

// All designs, one at a time.
std::vector<RankedDesign> one_by_one(const DesignSpace& space, const Evaluator& evaluator) {
  std::vector<RankedDesign> designs;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const DesignPoint point = design_at(space, i);
    const DesignOutcome outcome = evaluate_one(evaluator, point);
    if (outcome.unfit == Unfit::none) designs.push_back({i, outcome.time, outcome.shares, outcome.costs, point});
  }
  return designs;
}

TEST(Explore, KeepsTheBestTheFrontAndTheHeatMapOfAllDesigns) {
  const DesignSpace space = small_space();
  const auto evaluator = alexnet_evaluator(space);
  const ExploreResults results = explore(space, *evaluator, everything()).value();
  std::vector<RankedDesign> all = one_by_one(space, *evaluator);
  EXPECT_EQ(results.designs, 6000U);
  EXPECT_EQ(results.unfit[static_cast<std::size_t>(Unfit::registers)], 2000U);
  EXPECT_EQ(results.unfit[0], all.size());

  std::vector<std::uint64_t> front;
  for (const RankedDesign& a : all) {
    const bool beaten = std::any_of(all.begin(), all.end(), [&](const RankedDesign& b) {
      const auto key = [](const RankedDesign& d) {
        return std::array{d.time, at(d.point, Parameter::sm_count), at(d.point, Parameter::dram_bandwidth)};
      };
      for (std::size_t k = 0; k < 3; ++k) {
        if (key(b)[k] > key(a)[k]) return false;
      }
      return key(a) != key(b) || b.index < a.index;
    });
    if (!beaten) front.push_back(a.index);
  }
  std::vector<RankedDesign> best = all;  // ties stand in the order of their indices; the first is for all of them
  std::stable_sort(best.begin(), best.end(), [](const auto& a, const auto& b) { return better(a, b); });
  best.erase(std::unique(best.begin(), best.end(), [](const auto& a, const auto& b) { return !better(a, b); }),
             best.end());
  ASSERT_LT(best.size(), all.size());
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(results.best.designs()[i].index, best[i].index);
  std::vector<std::uint64_t> found;
  for (const RankedDesign& design : results.pareto.designs()) found.push_back(design.index);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, front);
  ASSERT_TRUE(results.heat_map);
  for (std::size_t y = 0; y < 20; y += 7) {
    double least = INFINITY;
    for (const RankedDesign& design : all) {
      const bool here = at(design.point, Parameter::sm_count) == results.heat_map->xs()[2] &&
                        at(design.point, Parameter::dram_bandwidth) == results.heat_map->ys()[y];
      if (here) least = std::min(least, design.time);
    }
    EXPECT_EQ(results.heat_map->least(2, y), least);
  }
}

TEST(BestDesigns, TheCheapestStandsForAllThatTakeEqualTime) {
  const RankedDesign dear = {.index = 1, .time = 2, .costs = {30, 1, 1, 1}},
                     cheap = {.index = 2, .time = 2, .costs = {20}};
  const RankedDesign later = {.index = 3, .time = 2, .costs = {20}}, slow = {.index = 0, .time = 3, .costs = {10}};
  for (const auto& order : {std::array{dear, cheap, later, slow}, std::array{slow, later, cheap, dear}}) {
    BestDesigns best(10);
    for (const RankedDesign& design : order) best.add(design);
    ASSERT_EQ(best.designs().size(), 2U);
    EXPECT_EQ(best.designs()[0].index, 2U);
    EXPECT_EQ(best.designs()[1].index, 0U);
  }
}

TEST(Explore, GivesTheSameBitsOnAnyNumberOfThreads) {
  const DesignSpace space = small_space();
  const auto evaluator = alexnet_evaluator(space);
  const ExploreResults one = explore(space, *evaluator, everything(1)).value();
  for (const unsigned threads : {2U, 3U, 8U}) {
    const ExploreResults many = explore(space, *evaluator, everything(threads)).value();
    EXPECT_EQ(many.share_sums, one.share_sums);
    EXPECT_EQ(many.limited, one.limited);
    EXPECT_EQ(many.unfit, one.unfit);
    ASSERT_EQ(many.pareto.size(), one.pareto.size());
    for (std::size_t i = 0; i < one.pareto.size(); ++i) {
      EXPECT_EQ(many.pareto.designs()[i].index, one.pareto.designs()[i].index);
      EXPECT_EQ(many.pareto.designs()[i].time, one.pareto.designs()[i].time);
    }
  }
}

// Bins would lie between them, and most stay empty.
TEST(Explore, AHeatMapOverFewWholeNumbersHasEachOfThem) {
  DesignSpace space = small_space();
  space.sampling = Sampling::random;
  space.samples = 3000;
  space.axes[0] = {.parameter = Parameter::sm_count, .values = {10, 20}, .range = true};
  space.axes[1] = {.parameter = Parameter::registers, .values = {65536, 262144}, .range = true};
  space.axes.resize(2);
  const auto evaluator = alexnet_evaluator(space);
  const ExploreResults results = explore(space, *evaluator, everything()).value();
  ASSERT_EQ(results.heat_map->xs().size(), 11U);
  EXPECT_EQ(results.heat_map->ys().size(), HeatMap::kBins) << "many whole numbers";
  for (std::size_t x = 0; x < 11; ++x) {
    EXPECT_EQ(results.heat_map->xs()[x], 10 + static_cast<double>(x));
    double least = results.heat_map->least(x, 0);
    for (std::size_t y = 1; y < HeatMap::kBins; ++y) least = std::min(least, results.heat_map->least(x, y));
    EXPECT_TRUE(std::isfinite(least)) << x;
  }
}

TEST(Explore, ConstraintsExcludeDesigns) {
  DesignSpace space = small_space();
  space.constraints = {"sm_count * mac_per_sm <= 8000 and registers > 20000",
                       "dram_bandwidth < 1e12 || sm_count == 30"};
  const auto evaluator = alexnet_evaluator(space);
  const ExploreResults results = explore(space, *evaluator, everything()).value();
  std::uint64_t allowed = 0;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const DesignPoint p = design_at(space, i);
    const double sms = at(p, Parameter::sm_count);
    if (sms * at(p, Parameter::mac_per_sm) <= 8000 && at(p, Parameter::registers) > 20000 &&
        (at(p, Parameter::dram_bandwidth) < 1e12 || sms == 30)) {
      ++allowed;
    }
  }
  EXPECT_GT(allowed, 100U);
  EXPECT_EQ(results.unfit[0], allowed);
  EXPECT_EQ(results.unfit[static_cast<std::size_t>(Unfit::constraint)], space.size() - allowed);
}

// small_space() with manufacturing_cost, area and energy weighed: 4,000 designs are possible.
ExploreOptions weighing_costs(const CostTable& costs, unsigned threads = 1) {
  ExploreOptions options;
  options.threads = threads;
  options.costs = &costs;
  options.results = {
      .best = 7, .rank_by = Metric::manufacturing_cost, .pareto = {Metric::manufacturing_cost, Metric::energy}};
  return options;
}

TEST(Explore, RanksAndTradesByCosts) {
  DesignSpace space = small_space();
  space.constraints = {"area < 900 and time < 0.01"};
  const CostTable costs = load_costs("").value();
  const auto evaluator = alexnet_evaluator(space);
  const ExploreResults results = explore(space, *evaluator, weighing_costs(costs)).value();

  DesignEvaluation evaluation = std::move(DesignEvaluation::make(*evaluator, space.base, {}, &costs).value());
  std::vector<RankedDesign> all;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const DesignPoint point = design_at(space, i);
    const DesignOutcome outcome = evaluate_one(evaluation, point);
    const RankedDesign design = {i, outcome.time, outcome.shares, outcome.costs, point};
    if (outcome.unfit == Unfit::none && value_of(Metric::area, design) < 900 && outcome.time < 0.01) {
      all.push_back(design);
    }
  }
  ASSERT_GT(all.size(), 200U);
  ASSERT_LT(all.size(), 3500U);
  EXPECT_EQ(results.unfit[0], all.size());

  std::vector<std::uint64_t> front;
  for (const RankedDesign& a : all) {
    const auto key = [](const RankedDesign& d) {
      return std::array{d.time, value_of(Metric::manufacturing_cost, d), value_of(Metric::energy, d)};
    };
    const bool beaten = std::any_of(all.begin(), all.end(), [&](const RankedDesign& b) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (key(b)[k] > key(a)[k]) return false;
      }
      return key(a) != key(b) || b.index < a.index;
    });
    if (!beaten) front.push_back(a.index);
  }
  EXPECT_GT(front.size(), 10U);
  std::vector<std::uint64_t> found;
  for (const RankedDesign& design : results.pareto.designs()) found.push_back(design.index);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, front);

  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return better(a, b, Metric::manufacturing_cost); });
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(results.best.designs()[i].index, all[i].index);
    EXPECT_EQ(results.best.designs()[i].costs, all[i].costs);
  }
}

TEST(Explore, CostsAreTheSameBitsOnAnyNumberOfThreads) {
  const DesignSpace space = small_space();
  const CostTable costs = load_costs("").value();
  const auto evaluator = alexnet_evaluator(space);
  const ExploreResults one = explore(space, *evaluator, weighing_costs(costs, 1)).value();
  for (const unsigned threads : {2U, 5U}) {
    const ExploreResults many = explore(space, *evaluator, weighing_costs(costs, threads)).value();
    ASSERT_EQ(many.pareto.size(), one.pareto.size());
    const auto front = one.pareto.designs(), other = many.pareto.designs();
    for (std::size_t i = 0; i < front.size(); ++i) {
      EXPECT_EQ(other[i].index, front[i].index);
      EXPECT_EQ(other[i].time, front[i].time);
      EXPECT_EQ(other[i].costs, front[i].costs);
    }
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(many.best.designs()[i].costs, one.best.designs()[i].costs);
  }
}

TEST(Explore, NotesNameAxesThatMislead) {
  DesignSpace space = small_space();
  for (const Parameter p : {Parameter::l2_capacity, Parameter::dram_latency, Parameter::clock}) {
    space.axes.push_back(multiples(p, space.base, {1, 2}));
  }
  const auto evaluator = alexnet_evaluator(space);
  const std::string unread = "no effect on times by this method: l2_capacity";
  const std::string free = "free in the cost model, so the fastest is always chosen: ";
  const auto notes = [&](std::vector<Metric> weighed) { return axis_notes(space, *evaluator, weighed); };
  EXPECT_EQ(notes({Metric::time}), std::vector{unread});
  EXPECT_EQ(notes({Metric::time, Metric::manufacturing_cost}), (std::vector{unread, free + "dram_latency"}));
  EXPECT_EQ(notes({Metric::area}), (std::vector{unread, free + "dram_latency, clock"}));
  space.axes.erase(space.axes.begin() + 4, space.axes.end());
  EXPECT_EQ(notes({Metric::area}), std::vector<std::string>{});
}

// A method reads no parameter that reads() denies: twice as much of it leaves the time as it is.
TEST(Explore, MethodsSayWhatTheyRead) {
  DesignSpace space = small_space();
  for (const Method method : {Method::delta, Method::prior, Method::roofline, Method::rooftile}) {
    const auto evaluator = alexnet_evaluator(space, method);
    const double time = evaluate_one(*evaluator, design_of(space.base)).time;
    for (std::size_t p = 0; p < kParameters; ++p) {
      const auto parameter = static_cast<Parameter>(p);
      DesignPoint point = design_of(space.base);
      if (point[p] == 0 || evaluator->reads(parameter)) continue;
      point[p] *= 2;
      EXPECT_EQ(evaluate_one(*evaluator, point).time, time) << name_of(method) << name_of(parameter);
      point[p] /= 8;
      EXPECT_EQ(evaluate_one(*evaluator, point).time, time) << name_of(method) << name_of(parameter);
    }
  }
}

TEST(Explore, StopsWithTheDesignsDoneKept) {
  const DesignSpace space = small_space();
  const auto evaluator = alexnet_evaluator(space);
  std::atomic<bool> stop = false;
  ExploreOptions options = everything();
  options.stop = &stop;
  options.progress = [&](std::uint64_t) { stop = true; };
  const ExploreResults results = explore(space, *evaluator, options).value();
  EXPECT_EQ(results.designs, kBlockDesigns);
}

TEST(Explore, OtherMethodsAreThoseOfPredict) {
  DesignSpace space = small_space();
  space.axes.resize(2);
  const auto evaluator = alexnet_evaluator(space, Method::rooftile);
  for (const std::uint64_t index : {0U, 37U, 99U}) {
    const DesignPoint point = design_at(space, index);
    const Prediction prediction = predict(alexnet().workload, with_design(space.base, point), {.host = false}).value();
    EXPECT_NEAR(evaluate_one(*evaluator, point).time / prediction.time.value(), 1, 1e-12);
  }
  space.axes.push_back({.parameter = Parameter::cta_tile, .values = {128, 256}});
  EXPECT_FALSE(make_evaluator(space, {alexnet()}, {.method = Method::rooftile}));
}

class Rows : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("rooftile-rows-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path& folder() const { return folder_; }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Rows, HoldEveryDesignInOrderWhateverTheThreads) {
  const DesignSpace space = small_space();
  const auto evaluator = alexnet_evaluator(space);
  std::string first;
  for (const unsigned threads : {1U, 4U}) {
    WholeFile csv_file = WholeFile::create(path("rows.csv")).value();
    WholeFile binary_file = WholeFile::create(path("rows.bin")).value();
    CsvRows csv(csv_file, space, evaluator->layers(), true, 1);
    BinaryRows binary(binary_file, space, evaluator->layers());
    ASSERT_TRUE(csv_file.write(csv.header()) && binary_file.write(binary.header()));
    ExploreOptions options = everything(threads);
    options.sinks = {&csv, &binary};
    ASSERT_TRUE(explore(space, *evaluator, options));
    ASSERT_TRUE(csv_file.finish() && binary_file.finish());
    const std::string both = text_of(path("rows.csv")) + text_of(path("rows.bin"));
    if (first.empty()) first = both;
    EXPECT_EQ(both, first);
  }
  const auto rows = parse_csv(text_of(path("rows.csv")), "rows.csv").value();
  ASSERT_EQ(rows.size(), 6001U);
  const std::size_t columns = 1 + 4 + 3 + kBottlenecks + 1 + evaluator->layers().size();
  for (const CsvRow& row : rows) ASSERT_EQ(row.cells.size(), columns) << row.line;
  const DesignOutcome outcome = evaluate_one(*evaluator, design_at(space, 4321));
  EXPECT_EQ(rows[4322].cells[0], "4321");
  EXPECT_EQ(std::stod(rows[4322].cells[5]), outcome.time);
  EXPECT_EQ(std::stod(rows[4322].cells.back()), outcome.layers.back());
  EXPECT_EQ(rows[1].cells[5], "");
  EXPECT_EQ(rows[1].cells[8 + kBottlenecks], "registers");

  // The binary file: header, then blocks of first, count and columns.
  const std::string binary = text_of(path("rows.bin"));
  const std::size_t header = binary.find('\n') + 1;
  EXPECT_EQ(header % 8, 0U);
  const std::size_t numbers = 4 + 2 + kBottlenecks + evaluator->layers().size();
  EXPECT_EQ(binary.size(), header + 3 * 16 + 6000 * numbers * 8);
  const auto number = [&](std::size_t block, std::size_t column, std::size_t row) {
    double value = 0;
    const std::size_t at = header + block * (16 + kBlockDesigns * numbers * 8) + 16;
    const std::size_t count = block < 2 ? kBlockDesigns : 6000 - 2 * kBlockDesigns;
    std::memcpy(&value, binary.data() + at + (column * count + row) * 8, sizeof value);
    return value;
  };
  EXPECT_EQ(number(2, 5, 4321 - 2 * kBlockDesigns), outcome.time);
  EXPECT_EQ(number(2, numbers - 1, 4321 - 2 * kBlockDesigns), outcome.layers.back());
}

TEST_F(Rows, HoldCostsWhereAskedFor) {
  const DesignSpace space = small_space();
  const CostTable costs = load_costs("").value();
  const auto evaluator = alexnet_evaluator(space);
  WholeFile csv_file = WholeFile::create(path("rows.csv")).value();
  WholeFile binary_file = WholeFile::create(path("rows.bin")).value();
  CsvRows csv(csv_file, space, evaluator->layers(), false, 1, true);
  BinaryRows binary(binary_file, space, evaluator->layers(), true);
  ASSERT_TRUE(csv_file.write(csv.header()) && binary_file.write(binary.header()));
  ExploreOptions options = weighing_costs(costs, 2);
  options.sinks = {&csv, &binary};
  ASSERT_TRUE(explore(space, *evaluator, options));
  ASSERT_TRUE(csv_file.finish() && binary_file.finish());
  DesignEvaluation evaluation = std::move(DesignEvaluation::make(*evaluator, space.base, {}, &costs).value());
  const DesignOutcome outcome = evaluate_one(evaluation, design_at(space, 4321));

  const auto rows = parse_csv(text_of(path("rows.csv")), "rows.csv").value();
  const std::size_t first = 1 + 4 + 3 + kBottlenecks;
  EXPECT_EQ(rows[0].cells[first], "area_mm2");
  EXPECT_EQ(rows[0].cells[first + 3], "energy_j");
  EXPECT_EQ(rows[0].cells[first + 4], "unfit");
  for (const CsvRow& row : rows) ASSERT_EQ(row.cells.size(), first + 5) << row.line;
  for (std::size_t c = 0; c < kCosts; ++c) EXPECT_EQ(std::stod(rows[4322].cells[first + c]), outcome.costs[c]);
  EXPECT_EQ(rows[1].cells[first], "");

  const std::string bytes = text_of(path("rows.bin"));
  const std::size_t header = bytes.find('\n') + 1;
  EXPECT_NE(bytes.find("\"area_mm2\",\"power_w\",\"manufacturing_cost_usd\",\"energy_j\"]"), std::string::npos);
  const std::size_t before = 4 + 2 + kBottlenecks, numbers = before + kCosts + evaluator->layers().size();
  ASSERT_EQ(bytes.size(), header + 3 * 16 + 6000 * numbers * 8);
  const std::size_t block = header + 2 * (16 + kBlockDesigns * numbers * 8) + 16;
  const std::size_t last = 6000 - 2 * kBlockDesigns;
  for (std::size_t c = 0; c < kCosts; ++c) {
    double value = 0;
    std::memcpy(&value, bytes.data() + block + ((before + c) * last + 4321 - 2 * kBlockDesigns) * 8, sizeof value);
    EXPECT_EQ(value, outcome.costs[c]);
  }
}

TEST_F(Rows, AFullDiskIsAnErrorThatNamesTheFile) {
  const DesignSpace space = small_space();
  const auto evaluator = alexnet_evaluator(space);
  WholeFile file = WholeFile::create("/dev/full").value();
  CsvRows csv(file, space, evaluator->layers(), false, 1);
  ExploreOptions options = everything(3);
  options.sinks = {&csv};
  const auto results = explore(space, *evaluator, options);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().text(), "/dev/full: No space left on device");
}

// Of an ONNX file, whose names may be any bytes.
TEST_F(Rows, ANameThatIsNoUtf8IsWrittenAllTheSame) {
  const DesignSpace space = small_space();
  WholeFile file = WholeFile::create(path("rows.bin")).value();
  const std::vector<LayerColumn> layers = {{.workload = "own", .name = "conv\xff", .op = "conv"}};
  const std::string header = BinaryRows(file, space, layers).header();
  EXPECT_NE(header.find("conv\xef\xbf\xbd"), std::string::npos) << header;
}

}  // namespace
}  // namespace rooftile
