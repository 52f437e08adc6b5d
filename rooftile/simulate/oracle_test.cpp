// The simulator against one that is as slow and plain as possible: thread by thread, sets of sectors, lists as caches.
#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/simulate/simulate.hpp"
#include "rooftile/simulate/test_gpu.hpp"

namespace rooftile {
namespace {

using Sectors = std::set<std::int64_t>;

// Fully associative, LRU, four sectors a line.
class PlainCache {
 public:
  explicit PlainCache(std::size_t lines) : lines_(lines) {}
  bool load(std::int64_t sector) {
    const std::int64_t line = sector / 4;
    const auto found = std::find_if(used_.begin(), used_.end(), [&](const auto& entry) { return entry.first == line; });
    std::pair<std::int64_t, Sectors> entry(line, {});
    if (found != used_.end()) {
      entry = *found;
      used_.erase(found);
    }
    const bool missed = entry.second.insert(sector).second;
    used_.push_front(entry);
    if (used_.size() > lines_) used_.pop_back();
    return missed;
  }

 private:
  std::size_t lines_;
  std::list<std::pair<std::int64_t, Sectors>> used_;
};

struct Layer {
  Conv conv;
  Im2col gemm;
  Tile tile;
  std::int64_t sms = 1, active = 1;
};

std::int64_t round_up(std::int64_t value) { return (value + 255) / 256 * 256; }

// The element of the activations that row m of the GEMM meets at step k; nothing in the padding.
std::optional<std::int64_t> activation(const Conv& conv, std::int64_t group, std::int64_t m, std::int64_t k) {
  const std::int64_t channels = conv.in_channels / conv.groups;
  std::int64_t at[3] = {0, 0, 0};
  for (std::size_t i = 3; i-- > 0;) {
    const ConvAxis& axis = conv.axes[i];
    const std::int64_t outputs = out_positions(axis, false);
    at[i] = m % outputs * axis.stride - axis.pad_begin + k % axis.filter * axis.dilation;
    if (at[i] < 0 || at[i] >= axis.in) return std::nullopt;
    m /= outputs;
    k /= axis.filter;
  }
  std::int64_t element = (m * conv.groups + group) * channels + k;
  for (std::size_t i = 0; i < 3; ++i) element = element * conv.axes[i].in + at[i];
  return element;
}

// What the threads of one CTA load in one step: a set of sectors for each warp, in order.
std::vector<Sectors> warps_of(const Layer& layer, std::int64_t group, std::int64_t column, std::int64_t row,
                              std::int64_t step) {
  const auto m_all = static_cast<std::int64_t>(layer.gemm.m), n_all = static_cast<std::int64_t>(layer.gemm.n);
  const auto k_all = static_cast<std::int64_t>(layer.gemm.k);
  std::int64_t inputs = layer.conv.batch * layer.conv.in_channels;
  for (const ConvAxis& axis : layer.conv.axes) inputs *= axis.in;
  std::map<std::pair<int, std::int64_t>, Sectors> warps;
  const Tile& tile = layer.tile;
  const bool along_k = m_all == layer.conv.batch;
  for (std::int64_t k = 0; k < tile.k; ++k) {
    for (std::int64_t i = 0; i < tile.m; ++i) {
      const std::int64_t m = row * tile.m + i, at = step * tile.k + k;
      const std::int64_t warp = along_k ? (i * tile.k + k) / 32 : k * 1000 + i / 32;
      if (m >= m_all || at >= k_all) continue;
      if (const auto element = activation(layer.conv, group, m, at)) warps[{0, warp}].insert(*element / 8);
    }
    for (std::int64_t j = 0; j < tile.n; ++j) {
      const std::int64_t n = column * tile.n + j, at = step * tile.k + k;
      if (n >= n_all || at >= k_all) continue;
      const std::int64_t element = round_up(inputs) + (group * n_all + n) * k_all + at;
      warps[{1, (j * tile.k + k) / 32}].insert(element / 8);
    }
  }
  std::vector<Sectors> result;
  for (auto& [key, sectors] : warps) result.push_back(std::move(sectors));
  return result;
}

LevelBytes plain(const Layer& layer, std::size_t l1_lines, std::size_t l2_lines) {
  const Plan plan = test::plan_of(layer.gemm, layer.tile);
  const auto rows = static_cast<std::int64_t>(plan.rows), columns = static_cast<std::int64_t>(plan.columns);
  const auto ctas = static_cast<std::int64_t>(plan.ctas), wave = layer.sms * layer.active;
  std::vector<PlainCache> l1(static_cast<std::size_t>(layer.sms), PlainCache(l1_lines));
  PlainCache l2(l2_lines);
  LevelBytes counted;
  for (std::int64_t first = 0; first < ctas; first += wave) {
    for (std::int64_t step = 0; step < static_cast<std::int64_t>(plan.loops); ++step) {
      for (std::int64_t cta = first; cta < std::min(first + wave, ctas); ++cta) {
        const std::int64_t group = cta / (rows * columns), column = cta / rows % columns, row = cta % rows;
        for (const Sectors& warp : warps_of(layer, group, column, row, step)) {
          for (const std::int64_t sector : warp) {
            counted.l1 += 32;
            if (!l1[static_cast<std::size_t>((cta - first) % layer.sms)].load(sector)) continue;
            counted.l2 += 32;
            counted.dram += l2.load(sector) ? 32 : 0;
          }
        }
      }
    }
  }
  return counted;
}

Layer any_layer() {
  Layer layer;
  const auto number = [](int from, int to) { return static_cast<std::int64_t>(*rc::gen::inRange(from, to + 1)); };
  layer.conv.groups = number(1, 2);
  layer.conv.batch = number(1, 4);
  layer.conv.in_channels = layer.conv.groups * number(1, 5);
  layer.conv.out_channels = layer.conv.groups * number(1, 40);
  for (ConvAxis& axis : layer.conv.axes) {
    axis.filter = number(1, 3);
    axis.dilation = number(1, 2);
    axis.stride = number(1, 3);
    axis.pad_begin = number(0, 2);
    axis.pad_end = number(0, 2);
    axis.in = std::max<std::int64_t>(1, filter_extent(axis) - axis.pad_begin - axis.pad_end) + number(0, 9);
  }
  layer.conv.axes[0].in = std::max<std::int64_t>(1, filter_extent(layer.conv.axes[0]));
  layer.gemm = im2col(layer.conv);
  layer.tile = {*rc::gen::element(32, 64, 128), *rc::gen::element(32, 64), *rc::gen::element(1, 3, 4, 8, 12)};
  layer.sms = number(1, 3);
  layer.active = number(1, 2);
  return layer;
}

TEST(Oracle, EveryByteAgrees) {
  EXPECT_TRUE(rc::check([] {
    const Layer layer = any_layer();
    const auto l1_lines = static_cast<std::size_t>(*rc::gen::element(1, 3, 16, 200));
    const auto l2_lines = static_cast<std::size_t>(*rc::gen::element(1, 16, 64, 5000));
    const Gpu gpu =
        test::gpu_of(static_cast<double>(layer.sms), static_cast<double>(l1_lines), static_cast<double>(l2_lines));
    const Plan plan = test::plan_of(layer.gemm, layer.tile, static_cast<double>(layer.active));
    // Stores evict from the real L2 and not from the plain one: give it room for them where it has room at all.
    const auto simulated =
        simulate(layer.gemm, plan, gpu, {.l1_capacity = gpu.level("L1").capacity, .ways = 0, .exact_up_to = 1e18});
    RC_ASSERT(simulated.has_value());
    const LevelBytes expected = plain(layer, l1_lines, l2_lines);
    RC_ASSERT(simulated->bytes.l1 == expected.l1);
    RC_ASSERT(simulated->bytes.l2 == expected.l2);
    const bool stores_matter = plan.ctas > plan.active_ctas_per_sm * gpu.sm_count && l2_lines < 5000;
    if (!stores_matter) RC_ASSERT(simulated->bytes.dram == expected.dram);
  }));
}

TEST(Properties, EachLevelAsksNoMoreThanTheOneBefore) {
  EXPECT_TRUE(rc::check([] {
    const Layer layer = any_layer();
    const Plan plan = test::plan_of(layer.gemm, layer.tile, static_cast<double>(layer.active));
    const auto sms = static_cast<double>(layer.sms);
    const Replacement policy = *rc::gen::element(Replacement::lru, Replacement::random);
    const auto bytes = simulate(layer.gemm, plan, test::gpu_of(sms, 16, 64), {.policy = policy})->bytes;
    const auto all = simulate(layer.gemm, plan, test::gpu_of(sms, 16, 1e5), {.ways = 0})->bytes;
    RC_ASSERT(bytes.l1_lines >= bytes.l1);
    RC_ASSERT(bytes.l1 >= bytes.l2);
    RC_ASSERT(bytes.l2 >= bytes.dram);
    RC_ASSERT(bytes.dram >= all.dram);  // each sector once
    RC_ASSERT(all.dram >= compulsory_elements(layer.gemm) * 4);
    RC_ASSERT(bytes.store_l2 >= bytes.store_dram);
    RC_ASSERT(all.store_dram >= layer.gemm.m * layer.gemm.n * layer.gemm.groups * 4);
  }));
}

// LRU keeps the lines of a smaller cache among its own, so that a larger one never misses more.
TEST(Properties, ALargerL2NeverReadsMoreFromDram) {
  EXPECT_TRUE(rc::check([] {
    const Layer layer = any_layer();
    const Plan plan = test::plan_of(layer.gemm, layer.tile, static_cast<double>(layer.active));
    double before = 0;
    for (const double lines : {1000.0, 100.0, 30.0, 10.0, 3.0, 1.0}) {
      const Gpu gpu = test::gpu_of(static_cast<double>(layer.sms), 8, lines);
      const double dram = simulate(layer.gemm, plan, gpu, {.ways = 0})->bytes.dram;
      RC_ASSERT(dram >= before);
      before = dram;
    }
  }));
}

}  // namespace
}  // namespace rooftile
