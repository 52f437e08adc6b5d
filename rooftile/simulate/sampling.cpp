#include "rooftile/simulate/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/simulate/whole.hpp"

namespace rooftile {
namespace {

// A cyclic sweep over this many times the L2's capacity leaves nothing of the last round: exactly so for LRU beyond 1;
// with random replacement the share h that is left solves h = exp(-(1 - h) 4), 2 %.
constexpr double kSweepsPast = 4;
// Bytes that pass through the L2 before a window counts, over its capacity.
constexpr double kFill = 1.25;
constexpr std::int64_t kWindows = 8;  // a stratum
constexpr double kWorthwhile = 0.7;   // of the waves: a sample of more is not
constexpr double kMostColumns = 1e9;  // of CTAs

double input_bytes(const Im2col& gemm, Bytes element) {
  double inputs = gemm.batch * gemm.in_channels;
  for (const double positions : gemm.in) inputs *= positions;
  return (inputs + gemm.k * gemm.n) * element.value();
}

// Requests of all warps, padding included.
double warp_requests(const Plan& plan) {
  constexpr double kWarp = 32;
  const Tile& tile = plan.kernel.tile;
  const double step = std::ceil(tile.m / kWarp) * tile.k + std::ceil(static_cast<double>(tile.n) * tile.k / kWarp);
  return plan.ctas * plan.loops * step;
}

// A part of the way through [0, count), spread evenly for successive i: multiples of the golden ratio.
std::int64_t spread(std::int64_t i, std::int64_t count) {
  constexpr double kGolden = 0.6180339887498949;
  const double at = 0.5 + static_cast<double>(i) * kGolden;
  return whole((at - std::floor(at)) * static_cast<double>(count));
}

// `parts` positions in [0, count), each in the middle of its part; all of them if there are no more.
std::vector<std::int64_t> evenly(std::int64_t count, std::int64_t parts) {
  parts = std::min(parts, count);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < parts; ++i) result.push_back((2 * i + 1) * count / (2 * parts));
  return result;
}

void square_into(LevelBytes& sum, const LevelBytes& value, double weight) {
  sum += {.l1 = value.l1 * value.l1 * weight,
          .l1_lines = value.l1_lines * value.l1_lines * weight,
          .l2 = value.l2 * value.l2 * weight,
          .dram = value.dram * value.dram * weight,
          .store_l2 = value.store_l2 * value.store_l2 * weight,
          .store_dram = value.store_dram * value.store_dram * weight};
}

LevelBytes root(const LevelBytes& sum) {
  return {.l1 = std::sqrt(sum.l1),
          .l1_lines = std::sqrt(sum.l1_lines),
          .l2 = std::sqrt(sum.l2),
          .dram = std::sqrt(sum.dram),
          .store_l2 = std::sqrt(sum.store_l2),
          .store_dram = std::sqrt(sum.store_dram)};
}

}  // namespace

Sampler::Sampler(const Im2col& gemm, const Plan& plan, const Gpu& gpu, const ReplayOptions& options)
    : replay_(gemm, plan, gpu, options),
      rows_(whole(plan.rows)),
      columns_(whole(plan.columns)),
      ctas_(whole(plan.ctas)),
      wave_(whole(gpu.sm_count * plan.active_ctas_per_sm)),
      waves_((ctas_ + wave_ - 1) / wave_),
      full_waves_(ctas_ / wave_),
      last_column_partial_(columns_ > 1 && whole(gemm.n) % plan.kernel.tile.n != 0),
      requests_(warp_requests(plan)),
      inputs_(input_bytes(gemm, options.element) * gemm.groups),
      l2_capacity_(gpu.level("L2").capacity.value()) {
  columns_share_ = input_bytes(gemm, options.element) <= kSweepsPast * l2_capacity_;
}

bool Sampler::small_enough(double exact_up_to) const {
  return requests_ <= exact_up_to || inputs_ <= kSweepsPast * l2_capacity_;
}

double Sampler::least_requests(bool warm, double exact_up_to) const {
  const double all = requests_ * (warm ? 2 : 1);
  if (small_enough(exact_up_to)) return all;
  const double waves = static_cast<double>(waves_), of_wave = requests_ / waves;
  // Columns are walked over one by one to choose among them.
  const double walk = static_cast<double>(ctas_) / static_cast<double>(rows_);
  if (walk > kMostColumns) return all;
  constexpr std::int64_t kLeastFill = 1;
  const double replayed = replayed_waves(strata(kWindows), kLeastFill);
  return replayed > kWorthwhile * waves ? all : replayed * of_wave;
}

double Sampler::replayed_waves(const std::vector<Stratum>& strata, std::int64_t fill) {
  double replayed = 0;
  for (const Stratum& stratum : strata) {
    replayed += static_cast<double>(stratum.windows.size()) * static_cast<double>(stratum.waves + fill);
  }
  return replayed;
}

Simulation Sampler::run(bool warm, double exact_up_to) {
  const double ctas = static_cast<double>(ctas_), of_wave = ctas / static_cast<double>(waves_);
  expected_ = ctas * least_requests(warm, exact_up_to) / requests_;
  if (small_enough(exact_up_to)) return run_all(warm);
  const std::int64_t fill = waves_to_fill();
  const std::vector<Stratum> chosen = strata(kWindows);
  expected_ = of_wave * (static_cast<double>(fill) + replayed_waves(chosen, fill));
  if (replayed_waves(chosen, fill) > kWorthwhile * static_cast<double>(waves_)) {
    expected_ = of_wave * static_cast<double>(fill) + ctas * (warm ? 2 : 1);
    return run_all(warm);
  }
  Simulation result;
  result.replayed_share = 0;
  for (const Stratum& stratum : chosen) add_stratum(stratum, fill, warm, result);
  result.standard_error = root(result.standard_error);
  return result;
}

Simulation Sampler::run_all(bool warm) {
  replay_.clear();
  if (warm) {
    replay_.run(0, ctas_);
    replay_.start_kernel();
  }
  Simulation result;
  result.bytes = run_waves(0, waves_);
  return result;
}

std::vector<Sampler::Stratum> Sampler::strata(std::int64_t windows) const {
  const bool long_columns = rows_ >= 2 * wave_ && !columns_share_;
  std::vector<Stratum> result = long_columns ? column_strata(windows) : periodic_strata(windows);
  if (full_waves_ < waves_) {  // the last wave leaves SMs with fewer CTAs that share filters
    result.push_back({.ctas = static_cast<double>(ctas_ - full_waves_ * wave_), .windows = {full_waves_}, .waves = 1});
  }
  return result;
}

// One stratum but for the first window: windows of a few periods, so that where they begin in one matters little.
std::vector<Sampler::Stratum> Sampler::periodic_strata(std::int64_t windows) const {
  constexpr std::int64_t kPeriods = 4;
  const std::int64_t period = kPeriods * (columns_share_ ? rows_ * columns_ : rows_);
  const std::int64_t length =
      std::clamp<std::int64_t>((period + wave_ - 1) / wave_, 1, std::max<std::int64_t>(full_waves_, 1));
  const std::int64_t places = full_waves_ / length;
  std::vector<Stratum> result;
  result.push_back({.ctas = static_cast<double>(start_of(length)), .windows = {0}, .waves = length});
  Stratum rest = {.ctas = static_cast<double>((full_waves_ - length) * wave_), .windows = {}, .waves = length};
  for (const std::int64_t place : evenly(places - 1, windows)) rest.windows.push_back((place + 1) * length);
  if (!rest.windows.empty()) result.push_back(rest);
  return result;
}

std::vector<Sampler::Stratum> Sampler::column_strata(std::int64_t windows) const {
  std::vector<Stratum> result;
  result.push_back({.ctas = static_cast<double>(wave_), .windows = {0}, .waves = 1});
  const std::int64_t partial = last_column_partial_ ? 1 : 0;
  add_columns(0, columns_ - partial, windows, result);
  if (last_column_partial_) add_columns(columns_ - 1, 1, windows, result);
  return result;
}

// Of each group the `width` columns from `first`, which are alike: the waves in which they begin, and those inside
// them.
void Sampler::add_columns(std::int64_t first, std::int64_t width, std::int64_t windows,
                          std::vector<Stratum>& result) const {
  const std::int64_t all = ctas_ / rows_;
  const auto begin = [&](std::int64_t column) { return column < all ? column * rows_ / wave_ : full_waves_; };
  Stratum begins, insides;
  for (std::int64_t column = 0; column < all; ++column) {
    if (column % columns_ < first || column % columns_ >= first + width) continue;
    if (column > 0) begins.ctas += static_cast<double>(wave_);
    insides.ctas += static_cast<double>((begin(column + 1) - begin(column) - 1) * wave_);
  }
  std::vector<std::int64_t> picked;
  for (const std::int64_t at : evenly(width * (all / columns_), windows)) {
    picked.push_back(at / width * columns_ + first + at % width);
    if (picked.back() > 0) begins.windows.push_back(begin(picked.back()));
  }
  for (std::int64_t i = 0; i < windows; ++i) {
    const std::int64_t column = picked[static_cast<std::size_t>(i) % picked.size()];
    const std::int64_t inside = begin(column + 1) - begin(column) - 1;
    if (inside > 0) insides.windows.push_back(begin(column) + 1 + spread(i, inside));
  }
  std::sort(insides.windows.begin(), insides.windows.end());
  insides.windows.erase(std::unique(insides.windows.begin(), insides.windows.end()), insides.windows.end());
  if (!begins.windows.empty()) result.push_back(begins);
  if (!insides.windows.empty()) result.push_back(insides);
}

// How many waves it takes until more than its capacity has passed through the L2; tried in the middle of the kernel.
std::int64_t Sampler::waves_to_fill() {
  replay_.clear();
  const LevelBytes before = replay_.counted();
  const std::int64_t begin = waves_ / 2;
  for (std::int64_t wave = begin; wave < waves_ && !stopped(); ++wave) {
    replay_.run(start_of(wave), start_of(wave + 1));
    const LevelBytes passed = replay_.counted() - before;
    if (passed.dram + passed.store_dram >= kFill * l2_capacity_) return wave - begin + 1;
  }
  return waves_ - begin;
}

LevelBytes Sampler::run_waves(std::int64_t first, std::int64_t last) {
  const LevelBytes before = replay_.counted();
  replay_.run(start_of(first), start_of(last));
  return replay_.counted() - before;
}

// The state in which the window that begins with `wave` finds the caches.
void Sampler::fill_before(std::int64_t wave, std::int64_t fill, bool warm) {
  replay_.clear();
  if (wave == 0 && !warm) return;
  const std::int64_t end = wave == 0 ? waves_ : wave;
  run_waves(std::max<std::int64_t>(0, end - fill), end);
  if (wave == 0) replay_.start_kernel();
}

void Sampler::add_stratum(const Stratum& stratum, std::int64_t fill, bool warm, Simulation& result) {
  std::vector<LevelBytes> means;  // bytes per CTA of each window
  LevelBytes mean;
  double counted = 0;
  const auto windows = static_cast<double>(stratum.windows.size());
  for (const std::int64_t window : stratum.windows) {
    fill_before(window, fill, warm);
    const std::int64_t last = std::min(waves_, window + stratum.waves);
    const auto ctas = static_cast<double>(start_of(last) - start_of(window));
    means.push_back(run_waves(window, last) * (1 / ctas));
    mean += means.back() * (1 / windows);
    counted += ctas;
  }
  result.bytes += mean * stratum.ctas;
  result.replayed_share += counted / static_cast<double>(ctas_);
  if (windows < 2) return;
  // Variance of the mean of a simple random sample without replacement, which systematic windows do not exceed unless
  // their pitch resonates with the layer's.
  const double left_out = std::max(0.0, 1 - counted / stratum.ctas);
  const double weight = stratum.ctas * stratum.ctas * left_out / (windows * (windows - 1));
  for (const LevelBytes& one : means) square_into(result.standard_error, one - mean, weight);
}

}  // namespace rooftile
