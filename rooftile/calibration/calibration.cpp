#include "rooftile/calibration/calibration.hpp"

#include <algorithm>

#include "rooftile/calibration/spread_scope.hpp"

namespace rooftile {
namespace {

// Adds those of `base` that no item of `own` is the same as.
template <class Item, class Same>
void add_missing(std::vector<Item>& own, const std::vector<Item>& base, const Same& same) {
  const std::size_t count = own.size();
  for (const Item& item : base) {
    const auto end = own.begin() + static_cast<std::ptrdiff_t>(count);
    const bool there = std::any_of(own.begin(), end, [&](const Item& other) { return same(other, item); });
    if (!there) own.push_back(item);
  }
}

}  // namespace

std::string_view name_of(TileChoice choice) {
  switch (choice) {
    case TileChoice::least_time:
      return "least_time";
    case TileChoice::by_channels:
      return "by_channels";
  }
  return "";
}

namespace {

// Whose kernels a GPU's library runs: cuDNN and cuBLAS have Volta's convolutions and FP32 products for Turing as well
// (kernel names volta_scudnn, volta_sgemm and volta_fp16_s884cudnn in profiles of both), and kernels of Blackwell's for
// compute capability 10.0 run on 10.3 as they are (CUDA's target sm_100f).
std::string_view kin_of(std::string_view architecture, KernelFamily family) {
  if (architecture == "Blackwell Ultra B300") return "Blackwell B200";
  const bool shares =
      family == KernelFamily::conv_simt || family == KernelFamily::gemm_simt || family == KernelFamily::conv_tensor;
  return shares && architecture == "Turing" ? "Volta" : "";
}

constexpr double kAlike = 1.5;

// Boards of one chip run alike where power lets them: an H200 as an H100, but no GTX 1080 as a P4 of 75 W.
bool is_sibling(const std::optional<Board>& board, const Board& other) {
  if (!board || board->architecture != other.architecture || board->sms != other.sms) return false;
  return board->power <= other.power * kAlike && other.power <= board->power * kAlike;
}

// Whether all boards of an architecture that were measured have less power for an SM: the clocks that a T4 of 70 W
// loses are in its constants.
bool starved_when_measured(const Calibration& calibration, KernelFamily family, const Board& board) {
  bool starved = false;
  for (const CalibrationEntry& entry : calibration.entries) {
    if (entry.family != family || !entry.board || entry.board->architecture != board.architecture) continue;
    if (entry.board->power == Watts(0)) return false;  // not known
    if (board.power * entry.board->sms <= entry.board->power * board.sms * kAlike) return false;
    starved = true;
  }
  return starved;
}

// How much an entry says of a GPU, from least to most.
enum class Nearness { none, any, vendor, starved, kin, architecture, sibling, gpu };

Match match_of(Nearness nearness) {
  switch (nearness) {
    case Nearness::gpu:
      return Match::gpu;
    case Nearness::sibling:
      return Match::sibling;
    case Nearness::architecture:
    case Nearness::starved:
      return Match::architecture;
    case Nearness::kin:
      return Match::kin;
    case Nearness::vendor:
    case Nearness::any:
    case Nearness::none:
      break;
  }
  return Match::foreign;
}

}  // namespace

Board board_of(const Gpu& gpu) {
  return {gpu.architecture, static_cast<int>(gpu.sm_count), gpu.tdp.value_or(Watts(0))};
}

FoundEntry find_entry(const Calibration& calibration, KernelFamily family, const Gpu& gpu) {
  const Board board = board_of(gpu);
  const std::string_view kin = kin_of(gpu.architecture, family);
  const bool starved = starved_when_measured(calibration, family, board);
  const auto nearness_of = [&](const CalibrationEntry& entry) {
    if (entry.scope == gpu.id) return Nearness::gpu;
    if (is_sibling(entry.board, board)) return Nearness::sibling;
    if (entry.scope == gpu.architecture) return starved ? Nearness::starved : Nearness::architecture;
    if (!kin.empty() && entry.scope == kin) return Nearness::kin;
    if (entry.scope == gpu.vendor) return Nearness::vendor;
    return entry.scope == kAnyGpu ? Nearness::any : Nearness::none;
  };
  const CalibrationEntry* nearest = nullptr;
  Nearness nearness = Nearness::none;
  for (const CalibrationEntry& entry : calibration.entries) {
    if (entry.family != family) continue;
    const Nearness one = nearness_of(entry);
    const bool more_rows = one == Nearness::sibling && one == nearness && nearest->rows < entry.rows;
    if (one <= nearness && !more_rows) continue;
    nearest = &entry;
    nearness = one;
  }
  return {nearest, match_of(nearness)};
}

const Harness* find_harness(const Calibration& calibration, KernelFamily family, std::string_view framework,
                            std::string_view gpu, std::string_view vendor) {
  const Harness *any = nullptr, *of_vendor = nullptr;
  for (const Harness& harness : calibration.harnesses) {
    if (harness.family != family || harness.framework != framework) continue;
    if (harness.gpu == gpu) return &harness;
    if (harness.gpu.empty()) any = &harness;
    if (harness.gpu == vendor) of_vendor = &harness;
  }
  if (of_vendor != nullptr) return of_vendor;
  const std::size_t slash = framework.find('/');
  if (any != nullptr || slash == std::string_view::npos) return any;
  return find_harness(calibration, family, framework.substr(0, slash), gpu, vendor);
}

std::optional<Spread> find_spread(const Calibration& calibration, const FoundEntry& found, std::string_view scope,
                                  HarnessMatch harness) {
  if (found.entry == nullptr) return std::nullopt;
  const auto& all = calibration.foreign_spreads;
  const auto of_scope = [&](std::string_view wanted) {
    return std::find_if(all.begin(), all.end(), [&](const ForeignSpread& one) {
      return one.family == found.entry->family && one.vendor == wanted;
    });
  };
  const auto same_unit = of_scope(scope);
  const auto foreign = same_unit != all.end() ? same_unit : of_scope(vendor_of(scope));
  if (found.match == Match::gpu && found.entry->spread) {
    if (harness == HarnessMatch::known || foreign == all.end()) return found.entry->spread;
    return widened(*found.entry->spread, foreign->harness);
  }
  if (foreign == all.end()) return std::nullopt;
  if (foreign == same_unit) return foreign->spread;
  return widened(foreign->spread, foreign->spread.common);  // units differ at least as GPUs with the same one do
}

const GpuFactors* find_factors(const Calibration& calibration, std::string_view gpu) {
  for (const GpuFactors& factors : calibration.factors) {
    if (factors.gpu == gpu) return &factors;
  }
  return nullptr;
}

Calibration completed(Calibration calibration) {
  if (!calibration.on_shipped) return calibration;
  const Calibration& base = builtin_calibration();
  add_missing(calibration.entries, base.entries, [](const CalibrationEntry& a, const CalibrationEntry& b) {
    return a.family == b.family && a.scope == b.scope;
  });
  add_missing(calibration.harnesses, base.harnesses, [](const Harness& a, const Harness& b) {
    return a.family == b.family && a.framework == b.framework && a.gpu == b.gpu;
  });
  add_missing(calibration.foreign_spreads, base.foreign_spreads, [](const ForeignSpread& a, const ForeignSpread& b) {
    return a.family == b.family && a.vendor == b.vendor;
  });
  add_missing(calibration.factors, base.factors,
              [](const GpuFactors& a, const GpuFactors& b) { return a.gpu == b.gpu; });
  return calibration;
}

}  // namespace rooftile
