// Fitted constants with what they were fitted on, by kernel family and by GPU or architecture (data/calibration/).
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const FoundEntry found = find_entry(builtin_calibration(), KernelFamily::conv_simt, find_gpu("t4").value());
//     assert(found.match == Match::gpu);  // fitted to measurements of this very GPU
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/calibration/constants.hpp"
#include "rooftile/calibration/gpu_factors.hpp"
#include "rooftile/calibration/host.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// How a library picks a kernel where several would do.
enum class TileChoice {
  least_time,   // as if it had timed them
  by_channels,  // by a table over the output channels (DeLTA, Fig 6): cuDNN up to 6
};
std::string_view name_of(TileChoice choice);

inline constexpr std::string_view kAnyGpu = "any";

// What boards with the same chip have in common.
struct Board {
  std::string architecture;
  int sms = 0;
  Watts power;  // rated; 0: not known
  bool operator==(const Board&) const = default;
};
Board board_of(const Gpu& gpu);

struct CalibrationEntry {
  KernelFamily family = KernelFamily::conv_simt;
  std::string scope;           // a GPU's id, an architecture or a vendor as a GPU file names it, or "any"
  std::optional<Board> board;  // where it is a GPU's
  Constants constants;
  TileChoice choice = TileChoice::least_time;
  std::optional<Spread> spread;  // of this scope's own GPUs
  std::string data;              // tables and GPUs it was fitted on
  std::string date;
  double rows = 0, gmae = 0;  // of the fit: rows, and geometric mean absolute error on them
};

// What calls of one framework take on different machines, at least and at most.
struct OverheadRange {
  Seconds overhead_low, overhead_high;
  Seconds floor_low, floor_high;
  double launches_low = 0, launches_high = 0;  // recurrent: Harness::step_launches
};

// What a framework adds to the kernels it calls, and the state in which it leaves the L2.
struct Harness {
  KernelFamily family = KernelFamily::conv_simt;
  std::string framework;     // as names_of_call() has it
  std::string gpu;           // its id, or a vendor; empty: any
  Seconds overhead;          // of a call, after or before its kernels
  Seconds floor;             // of a call, beside its kernels: no call is shorter
  double weight_sets = 0;    // tensor: used in turn, before the first comes again; 0: the L2 holds nothing of an
                             // earlier call
  bool rotates = false;      // tensor: the activations too have as many sets; else they stay the same
  double step_launches = 0;  // recurrent: kernels launched for a step
  bool flushes = false;      // stream, tensor: the L2 is full of other lines, just written, when a call starts
  // Of a harness for several GPUs, whose overhead is the middle one: how far they lie apart.
  std::optional<OverheadRange> range = {};
};

// The spread of GPUs of a vendor that no entry was fitted on.
struct ForeignSpread {
  KernelFamily family = KernelFamily::conv_simt;
  std::string vendor;
  std::optional<Spread> spread;  // none: only `harness` is known
  double harness = 1;            // what a harness that was measured elsewhere changes, either way, on a GPU of an entry
  double unknown_harness = 1;    // the same of one that was measured nowhere
  bool operator==(const ForeignSpread&) const = default;
};

struct Calibration {
  std::vector<CalibrationEntry> entries;
  std::vector<Harness> harnesses;
  std::vector<ForeignSpread> foreign_spreads;
  std::vector<GpuFactors> factors;
  std::vector<HostCosts> hosts;
  bool on_shipped = false;  // what it does not name is that of the program: see completed()
};

// How an entry was found for a GPU.
enum class Match {
  gpu,
  sibling,       // another board with the same chip, as many SMs and about as much power
  architecture,  // others of it
  kin,           // an architecture whose kernels its libraries run
  foreign,       // an entry for any GPU, or any of the vendor
};

struct FoundEntry {
  const CalibrationEntry* entry = nullptr;
  Match match = Match::foreign;
};

// The GPU's own entry, that of a sibling (of several the one with the most rows), its architecture's, that of the
// architecture whose kernels its libraries run (before its own if boards of its own were measured with much less power
// for each SM), its vendor's, else the one for any GPU; entry is null if the family has none of them.
FoundEntry find_entry(const Calibration& calibration, KernelFamily family, const Gpu& gpu);

// The names under which a framework's call is known, the nearest first: the call itself, the framework whatever it
// calls, and, in family recurrent, the framework of any version ("TensorFlow" of "TensorFlow 2.2"): it decides how many
// kernels a step is, while what a call takes beside its kernels is up to who timed it.
std::vector<std::string_view> names_of_call(KernelFamily family, std::string_view framework);

// The harness of the nearest name that one is known for: of the framework itself on this GPU, else on any of the
// vendor's, else on any. Null if the framework is not known.
const Harness* find_harness(const Calibration& calibration, KernelFamily family, std::string_view framework,
                            std::string_view gpu, std::string_view vendor);

// What is taken for whoever is not known: the GPU's overhead of a launch, of which a kernel counts `start` itself, a
// library's recurrent cells, and of a framework that has cuDNN run a convolution what that takes its host.
Harness unknown_harness(KernelFamily family, std::string_view framework, Seconds launch, Seconds start);

// How far callers may lie from it: in family recurrent from the fewest launches a step to the most, and from the least
// overhead to the most, that anybody was measured to need. Elsewhere, where plans say what a call launches, only its
// own.
std::optional<OverheadRange> range_of_unknown(const Calibration& calibration, const Harness& unknown);

// Who measured the rows that an interval is for, as far as a fit knows: on this GPU, on others, or nowhere.
enum class HarnessMatch { known, elsewhere, unknown };

// The interval factors for a match: the entry's own spread, wider for an unknown harness, or the foreign one of the
// family and of spread_scope(). None where no GPU of that scope's vendor was measured.
std::optional<Spread> find_spread(const Calibration& calibration, const FoundEntry& found, std::string_view scope,
                                  HarnessMatch harness);

// What few measurements of the GPU said; null if there were none.
const GpuFactors* find_factors(const Calibration& calibration, std::string_view gpu);

// The constants that ship with the program.
const Calibration& builtin_calibration();

// A calibration that builds on the one that ships (`based_on = "shipped"`), with what it leaves out taken from there.
Calibration completed(Calibration calibration);

Result<Calibration> parse_calibration(std::string_view toml, std::string_view where);
std::string write_calibration(const Calibration& calibration);

}  // namespace rooftile
