// What a kernel launch does on a GPU, counted before any clock: CTAs, multiply-accumulates, bytes.
#pragma once

#include <array>
#include <cstddef>

#include "rooftile/base/units.hpp"
#include "rooftile/calibration/constants.hpp"
#include "rooftile/plan/plan.hpp"

namespace rooftile {

// A kernel that only moves bytes: a transform, a reduction.
struct MemoryKernel {
  Bytes load = {}, store = {};
  double elements = 0;   // that change their place
  bool unfolds = false;  // of conv_miopen: copies the windows of an image, or adds them up again
};

// One kernel; without CTAs a MemoryKernel.
struct Launch {
  // What its operands and results are in memory, each element once, and what the tiles of its CTAs load from the L2.
  // traffic/launch_traffic.hpp counts the bytes of every level from these.
  Bytes dram_load = {}, dram_store = {};
  Bytes l1_load = {};  // that warps ask for, where it was counted apart; else as l2_load
  Bytes l2_load = {}, l2_store = {};
  double ctas = 0;
  double macs_per_step = 0;  // of one CTA for one step of k: tile m x n
  double steps = 0;          // of k, one CTA; padded to whole main-loop steps
  double warps = 4;          // of a CTA
  double resident = 1;       // CTAs an SM holds at once
  ConvConstant efficiency = ConvConstant::middle_efficiency;
  ConvConstant prologue = ConvConstant::prologue;
  bool gradient = false;      // a backward kernel
  double rate_share = 1;      // of the FP32 rate, beside its efficiency
  bool aligned_store = true;  // rows of the output start on 32-byte sectors
  double atomics = 0;         // additions into memory

  // Of a GEMM, or a convolution as such: what its own forms of the time model start from.
  struct Product {
    double m = 1, n = 1, k = 1, batch = 1;
    double tile_m = 1, tile_n = 1, tile_k = 1;
    double split = 1;  // CTAs that share one tile of C
    Bytes element{4};
    Bytes weight = {};                 // of one element of B, where it is narrower; 0: as of A
    Bytes result = {};                 // of one element of C; 0: as of the operands
    bool on_lanes = false;             // of conv_tensor: no kernel for tensor cores takes it
    bool shares_loads = true;          // CTAs of a cluster, where the GPU has them, load together
    bool asynchronous = false;         // its tensor cores run beside the threads, which load meanwhile
    bool chosen_alone = false;         // a batch is run by the kernel that would suit one product of it
    double rate_share = 1;             // of the tensor cores' rate, that loads of less than 16 bytes keep up with
    bool transposes = false;           // its operands in shared memory, which it waits for
    Bytes a_bytes = {}, b_bytes = {};  // operands in memory, all of the batch
    bool b_weights = true;             // B changes from layer to layer, A is what the layer before left
    bool k_contiguous_a = true;        // A is stored m x k
    bool k_contiguous_b = false;       // B is stored n x k, as the weights of a linear layer are
    bool bias = false;                 // C starts from a bias
    bool old_kernel = false;           // of gemm_simt: for Pascal and before
    SimtGemmConstant efficiency = SimtGemmConstant::efficiency_128x128;

    Bytes b_element() const { return weight > Bytes(0) ? weight : element; }
  } product = {};

  // Of conv_miopen.
  struct Miopen {
    MiopenConstant efficiency = MiopenConstant::matrix_efficiency;
    double peak_share = 1;    // rate of the unit that multiplies, relative to the precision's peak
    double row_loads = 0;     // for each element of a row, where they do not lie side by side; else 0
    double column_loads = 0;  // the same of a column
    bool blas = false;        // rocBLAS's kernel, called by the host for each product
    bool direct = false;      // adds up the parts of a split in the kernel
    double kernels = 1;       // equal ones, a share of the CTAs each: classes of a strided gradient

    bool gathers() const { return row_loads > 0; }
  } miopen = {};
};

// A way to run an operator: a kernel that multiplies, and some that move bytes before and after it.
struct LaunchPlan {
  static constexpr std::size_t kMostMoves = 4;

  Algorithm algorithm = Algorithm::implicit_gemm;
  Tile tile;
  double split_k = 1;
  double images = 1;  // of conv_miopen: all kernels run once for each of so many images
  Launch main;
  std::array<MemoryKernel, kMostMoves> moves{};  // as they run
  std::size_t move_count = 0;
  std::size_t before = 0;  // of them run before `main`

  void add_before(Bytes load, Bytes store, double elements = 0) {
    add_after(load, store, elements);
    before = move_count;
  }
  void add_after(Bytes load, Bytes store, double elements = 0) { moves[move_count++] = {load, store, elements}; }

  // Different kernels, and launches of them.
  std::size_t count() const { return move_count + 1; }
  double launches() const { return images * (static_cast<double>(move_count) + main.miopen.kernels); }

  bool unfolds() const { return move_count > 0 && moves[0].unfolds; }

  // The i-th kernel that runs.
  Launch launch(std::size_t i) const {
    if (i == before) return main;
    const MemoryKernel& move = moves[i < before ? i : i - 1];
    Launch launch;
    launch.dram_load = launch.l2_load = move.load;
    launch.dram_store = launch.l2_store = move.store;
    return launch;
  }
};

}  // namespace rooftile
