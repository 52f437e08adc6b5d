#include "rooftile/calibration/calibration.hpp"

#include <algorithm>

#include "rooftile/base/cudnn_version.hpp"
#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/parse_number.hpp"
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
  if (architecture == "Turing TU11x") return shares ? "Volta" : "Turing";
  return shares && architecture == "Turing" ? "Volta" : "";
}

// What a network does to the L2: a layer finds the activations that the one before left, and weights that were last
// used a whole pass ago.
constexpr double kNetworkWeightSets = 1000;

// Launches of a step by a library's cell: the product, what adds the input's part and the bias, and the gates. Fitted
// are 3 for PyTorch.
constexpr double kLibraryStepLaunches = 3;

// Seconds of the host for one convolution that a framework has cuDNN run: before it launches, it sets descriptors, asks
// for the workspace's size and looks up a plan (tvm, src/runtime/contrib/cudnn/conv_backward.cc; PaddlePaddle/Paddle
// pull request 30512 and alibaba/BladeDISC pull request 1039 found the workspace's size the slowest part since cuDNN
// 8). What PyTorch 2.1 adds on a T4 and on a P100 (neusight/conv.csv), and their middle.
constexpr double kCudnnCall = 68e-6, kCudnnCallLeast = 53e-6, kCudnnCallMost = 88e-6;

// Of "v9", "8.2" and "92400" 9, 8 and 9; 0 where a word is no version.
int major_version(std::string_view word) {
  if (word.starts_with('v')) word.remove_prefix(1);
  if (word.starts_with('-')) return 0;
  return split_cudnn_version(take_number<int>(word).value_or(0)).first;
}

// Whether a framework calls cuDNN 8 or later: "cuDNN" is a word of its name beside the framework's own. Who names the
// library alone, or its front end, timed it by itself.
bool calls_cudnn(std::string_view framework) {
  constexpr std::string_view kBetween = " ,;()/";
  constexpr int kFirst = 8;
  bool cudnn = false, caller = false, after = false;
  for (std::size_t begin = framework.find_first_not_of(kBetween); begin != std::string_view::npos;
       begin = framework.find_first_not_of(kBetween, begin)) {
    const std::size_t end = std::min(framework.find_first_of(kBetween, begin), framework.size());
    const std::string word = lower_case(framework.substr(begin, end - begin));
    const int version = major_version(word);
    if (after && version > 0 && version < kFirst) return false;
    after = word == "cudnn";
    (after ? cudnn : caller) |= version == 0 && word != "frontend";
    begin = end;
  }
  return cudnn && caller;
}

constexpr double kAlike = 1.5;

// Boards of one chip run alike where power lets them: an H200 as an H100, but no GTX 1080 as a P4 of 75 W.
bool is_sibling(const std::optional<Board>& board, const Board& other) {
  if (!board || board->architecture != other.architecture || board->sms != other.sms) return false;
  return board->power <= other.power * kAlike && other.power <= board->power * kAlike;
}

bool has_more_for_an_sm(const Board& board, const Board& than) {
  return board.power * than.sms > than.power * board.sms * kAlike;
}

// Whether `differs` from all boards of an architecture that were measured, whose power is known.
template <class Differs>
bool is_unlike(const Calibration& calibration, KernelFamily family, std::string_view architecture,
               const Differs& differs) {
  bool unlike = false;
  for (const CalibrationEntry& entry : calibration.entries) {
    if (entry.family != family || !entry.board || entry.board->architecture != architecture) continue;
    if (entry.board->power == Watts(0) || !differs(*entry.board)) return false;
    unlike = true;
  }
  return unlike;
}

// Whether all boards of its architecture have less power for an SM: the clocks that a T4 of 70 W loses are in its
// constants.
bool starved_when_measured(const Calibration& calibration, KernelFamily family, const Board& board) {
  return is_unlike(calibration, family, board.architecture,
                   [&](const Board& measured) { return has_more_for_an_sm(board, measured); });
}

// Whether all boards of its kin have more: of the energies that are fitted, on the lanes, a V100 of 300 W says little.
bool is_starved(const Calibration& calibration, KernelFamily family, std::string_view kin, const Board& board) {
  const bool fitted = family == KernelFamily::conv_simt || family == KernelFamily::gemm_simt;
  return fitted && board.power > Watts(0) && is_unlike(calibration, family, kin, [&](const Board& measured) {
           return has_more_for_an_sm(measured, board);
         });
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
  for (const CalibrationEntry& entry : calibration.entries) {
    if (entry.family == family && entry.scope == gpu.id) return {&entry, match_of(Nearness::gpu)};
  }
  const Board board = board_of(gpu);
  std::string_view kin = kin_of(gpu.architecture, family);
  if (is_starved(calibration, family, kin, board)) kin = {};
  const bool starved = starved_when_measured(calibration, family, board);
  const auto nearness_of = [&](const CalibrationEntry& entry) {
    if (entry.scope != gpu.architecture && is_sibling(entry.board, board)) return Nearness::sibling;
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

std::vector<std::string_view> names_of_call(KernelFamily family, std::string_view framework) {
  const std::string_view caller = framework.substr(0, framework.find('/'));
  const std::size_t word = std::min(caller.find(' '), caller.size());
  const bool has_version = family == KernelFamily::recurrent && word + 1 < caller.size() && caller[word + 1] >= '0' &&
                           caller[word + 1] <= '9';
  std::vector<std::string_view> names;
  for (const std::string_view name : {framework, caller, has_version ? caller.substr(0, word) : caller}) {
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

const Harness* find_harness(const Calibration& calibration, KernelFamily family, std::string_view framework,
                            std::string_view gpu, std::string_view vendor) {
  const std::string_view same = framework.substr(0, framework.find('/'));  // whose own harness a shorter name is not
  for (const std::string_view name : names_of_call(family, framework)) {
    const Harness *any = nullptr, *of_vendor = nullptr;
    for (const Harness& harness : calibration.harnesses) {
      if (harness.family != family || harness.framework != name) continue;
      if (harness.gpu == gpu && name.starts_with(same)) return &harness;
      if (harness.gpu.empty()) any = &harness;
      if (harness.gpu == vendor) of_vendor = &harness;
    }
    if (of_vendor != nullptr || any != nullptr) return of_vendor != nullptr ? of_vendor : any;
  }
  return nullptr;
}

Harness unknown_harness(KernelFamily family, std::string_view framework, Seconds launch, Seconds start) {
  Harness harness{.family = family, .framework = "", .gpu = "", .overhead = launch, .floor = Seconds(0)};
  if (family == KernelFamily::stream) {  // launches queue up while other kernels run
    harness.overhead = Seconds(0);
    harness.floor = launch;
  }
  if (on_tensor_cores(family)) {
    harness.overhead = std::max(Seconds(0), launch - start);  // which the form counts
    harness.weight_sets = kNetworkWeightSets;
  }
  if (family == KernelFamily::recurrent) harness.step_launches = kLibraryStepLaunches;
  const bool convolves = family == KernelFamily::conv_simt || family == KernelFamily::conv_tensor;
  if (convolves && calls_cudnn(framework)) {
    harness.overhead = Seconds(kCudnnCall);
    harness.range = OverheadRange{Seconds(kCudnnCallLeast), Seconds(kCudnnCallMost), Seconds(0), Seconds(0), 0, 0};
  }
  return harness;
}

std::optional<OverheadRange> range_of_unknown(const Calibration& calibration, const Harness& unknown) {
  if (unknown.family != KernelFamily::recurrent) return unknown.range;
  OverheadRange range{unknown.overhead, unknown.overhead,      unknown.floor,
                      unknown.floor,    unknown.step_launches, unknown.step_launches};
  for (const Harness& harness : calibration.harnesses) {
    if (harness.family != unknown.family) continue;
    range.overhead_low = std::min(range.overhead_low, harness.overhead);
    range.overhead_high = std::max(range.overhead_high, harness.overhead);
    range.launches_low = std::min(range.launches_low, harness.step_launches);
    range.launches_high = std::max(range.launches_high, harness.step_launches);
  }
  return range;
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
    const bool elsewhere = harness == HarnessMatch::elsewhere;
    return widened(*found.entry->spread, elsewhere ? foreign->harness : foreign->unknown_harness);
  }
  if (foreign == all.end() || !foreign->spread) return std::nullopt;
  if (foreign == same_unit) return foreign->spread;
  return widened(*foreign->spread, foreign->spread->common);  // units differ at least as GPUs with the same one do
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
