// The cache simulator: bytes that an im2col implicit GEMM moves at each memory level, by replaying its addresses.
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const Gpu gpu = find_gpu("titan-xp-delta").value();
//     Conv conv{.in_channels = 16, .out_channels = 32};
//     conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
//     const Im2col gemm = im2col(conv);
//     const Simulation simulation = simulate(gemm, delta_plan(gemm, gpu), gpu).value();
//     assert(simulation.bytes.dram >= simulation.compulsory.value());
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/simulate/replay.hpp"

namespace rooftile {

// What the L2 holds at the start: nothing, or what an earlier run of the same kernel left.
enum class Start { cold, warm };
std::string_view name_of(Start start);
std::string_view name_of(Replacement policy);

struct SimulateOptions {
  Replacement policy = Replacement::lru;
  Start start = Start::cold;
  bool l1 = true;                         // false: loads bypass the L1
  std::optional<Bytes> l1_capacity = {};  // of one SM; else usable_l1() of the GPU
  std::optional<unsigned> ways = {};      // of both caches, 0: fully associative; else those of the GPU's levels
  Bytes element{4};
  // Warp requests to replay before sampling begins; about 10 to 50 million a second.
  double exact_up_to = 3e7;
  // Warp requests beyond which a layer is refused: that would take hours.
  double most_requests = 1e11;
  const std::atomic<bool>* stop = nullptr;          // once true, simulate() ends within milliseconds
  std::function<void(double share)> progress = {};  // how far it is, from 0 to 1
};

struct Simulation {
  LevelBytes bytes;           // of the whole kernel
  LevelBytes standard_error;  // of `bytes` from sampling; zero where every CTA was replayed
  Bytes compulsory;           // loads that no cache avoids, in whole elements
  Bytes l1_capacity;
  double replayed_share = 1;  // CTAs whose traffic was counted / all
};

// Errors: a size of elements, sectors or lines that is no power of two, more than eight sectors a line, tensors beyond
// 2^50 elements, more to replay than the options allow; ErrorCode::interrupted once `stop` is true.
Result<Simulation> simulate(const Im2col& gemm, const Plan& plan, const Gpu& gpu, const SimulateOptions& options = {});

}  // namespace rooftile
