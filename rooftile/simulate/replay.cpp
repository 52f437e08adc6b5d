#include "rooftile/simulate/replay.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rooftile/simulate/whole.hpp"

namespace rooftile {
namespace {

unsigned log2_of(double value) { return static_cast<unsigned>(std::lround(std::log2(value))); }

Granularity granularity(const MemoryLevel& level, Bytes element) {
  return {.sector_shift = log2_of(level.sector / element), .line_shift = log2_of(level.line / level.sector)};
}

CacheShape shape(Bytes capacity, const MemoryLevel& level, const ReplayOptions& options) {
  return {.lines = static_cast<std::uint64_t>(capacity / level.line),
          .ways = options.ways.value_or(static_cast<unsigned>(level.ways)),
          .policy = options.policy};
}

// Requests of `sectors` neighbouring sectors that cover the mask.
unsigned requests(unsigned mask, unsigned sectors) {
  const unsigned one = (1U << sectors) - 1;
  unsigned count = 0;
  for (; mask != 0; mask >>= sectors) count += (mask & one) != 0 ? 1 : 0;
  return count;
}

}  // namespace

LevelBytes& LevelBytes::operator+=(const LevelBytes& other) {
  l1 += other.l1;
  l1_lines += other.l1_lines;
  l2 += other.l2;
  dram += other.dram;
  store_l2 += other.store_l2;
  store_dram += other.store_dram;
  return *this;
}

LevelBytes LevelBytes::operator*(double factor) const {
  return {.l1 = l1 * factor,
          .l1_lines = l1_lines * factor,
          .l2 = l2 * factor,
          .dram = dram * factor,
          .store_l2 = store_l2 * factor,
          .store_dram = store_dram * factor};
}

LevelBytes LevelBytes::operator-(const LevelBytes& other) const {
  LevelBytes result = *this;
  result += other * -1;
  return result;
}

Replay::Replay(const Im2col& gemm, const Plan& plan, const Gpu& gpu, const ReplayOptions& options)
    : addresses_(gemm, plan.kernel.tile, granularity(gpu.level("L1"), options.element)),
      rows_(whole(plan.rows)),
      columns_(whole(plan.columns)),
      steps_(whole(plan.loops)),
      wave_(whole(gpu.sm_count * plan.active_ctas_per_sm)),
      use_l1_(options.l1),
      stop_(options.stop),
      replayed_(options.replayed),
      l1_sector_(gpu.level("L1").sector.value()),
      l2_sector_(gpu.level("L2").sector.value()),
      l1_request_(gpu.l1_request.value()),
      sectors_a_request_(static_cast<unsigned>(std::max(1.0, l1_request_ / l1_sector_))),
      l1_line_shift_(log2_of(gpu.level("L1").line.value())),
      l2_line_shift_(log2_of(gpu.level("L2").line.value())),
      l1_sector_shift_(log2_of(l1_sector_)),
      l2_sector_shift_(log2_of(l2_sector_)),
      equal_lines_(l1_line_shift_ == l2_line_shift_ && l1_sector_shift_ == l2_sector_shift_),
      l1_(static_cast<std::size_t>(gpu.sm_count), SectoredCache(shape(options.l1_capacity, gpu.level("L1"), options))),
      l2_(shape(gpu.level("L2").capacity, gpu.level("L2"), options)),
      ctas_(static_cast<std::size_t>(wave_)) {}

void Replay::start_kernel() {
  for (SectoredCache& cache : l1_) cache.clear();
  l2_.write_back();
}

void Replay::clear() {
  start_kernel();
  l2_.clear();
}

// The same bytes, in lines and sectors of the L2.
Accesses Replay::in_l2_lines(const Access& access) const {
  Accesses result;
  const unsigned step = std::min(l1_sector_shift_, l2_sector_shift_);
  const std::uint64_t first = access.line << (l1_line_shift_ - step);
  const std::uint64_t parts = std::uint64_t{1} << (l1_line_shift_ - step);
  for (std::uint64_t part = first; part < first + parts; ++part) {
    const std::uint64_t sector = (part - first) >> (l1_sector_shift_ - step);
    if ((access.mask >> sector & 1U) == 0) continue;
    const std::uint64_t line = part >> (l2_line_shift_ - step);
    const std::uint64_t in_line = part - (line << (l2_line_shift_ - step));
    if (result.empty() || result.back().line != line) result.push_back({line, 0});
    result.back().mask |= 1U << (in_line >> (l2_sector_shift_ - step));
  }
  return result;
}

CtaPlace Replay::place_of(std::int64_t cta) const {
  const std::int64_t of_group = rows_ * columns_;
  return {.group = cta / of_group, .column = cta % of_group / rows_, .row = cta % rows_};
}

void Replay::run(std::int64_t first, std::int64_t last) {
  for (std::int64_t cta = first; cta < last && !stopped(); cta += wave_) run_wave(cta, std::min(cta + wave_, last));
}

void Replay::run_wave(std::int64_t first, std::int64_t last) {
  const auto count = static_cast<std::size_t>(last - first);
  for (std::size_t i = 0; i < count; ++i) {
    ctas_[i].place = place_of(first + static_cast<std::int64_t>(i));
    ctas_[i].sm = i % l1_.size();
    addresses_.stretches(ctas_[i].place, ctas_[i].stretches);
  }
  for (std::int64_t step = 0; step < steps_ && !stopped(); ++step) {
    addresses_.taps(step, taps_);
    for (std::size_t i = 0; i < count; ++i) {
      addresses_.load_activations(ctas_[i].stretches, taps_, accesses_);
      load(ctas_[i].sm, accesses_);
      addresses_.load_filters(ctas_[i].place, step, accesses_);
      load(ctas_[i].sm, accesses_);
    }
    if (replayed_) replayed_(static_cast<double>(count) / static_cast<double>(steps_));
  }
  for (std::size_t i = 0; i < count; ++i) store(ctas_[i].place);
}

void Replay::load(std::size_t sm, const Accesses& accesses) {
  unsigned asked = 0, lines = 0, missed = 0, absent = 0;
  for (const Access& access : accesses) {
    asked += static_cast<unsigned>(std::popcount(access.mask));
    lines += requests(access.mask, sectors_a_request_);
    const unsigned missing = use_l1_ ? l1_[sm].load(access.line, access.mask) : access.mask;
    if (missing == 0) continue;
    missed += static_cast<unsigned>(std::popcount(missing));
    for_each_l2_line({access.line, missing}, [&](const Access& in_l2) {
      absent += static_cast<unsigned>(std::popcount(l2_.load(in_l2.line, in_l2.mask)));
    });
  }
  counted_.l1 += asked * l1_sector_;
  counted_.l1_lines += lines * l1_request_;
  counted_.l2 += missed * l1_sector_;
  counted_.dram += absent * l2_sector_;
}

// Stores write through the L1 without a place in it.
void Replay::store(const CtaPlace& place) {
  addresses_.store_outputs(place, accesses_);
  for (const Access& access : accesses_) {
    counted_.store_l2 += l1_sector_ * std::popcount(access.mask);
    for_each_l2_line(access, [&](const Access& in_l2) {
      counted_.store_dram += l2_sector_ * std::popcount(l2_.store(in_l2.line, in_l2.mask));
    });
  }
}

}  // namespace rooftile
