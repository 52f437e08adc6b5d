// DeLTA's time model (Lym et al., ISPASS 2019, Eqs 11 to 18), in the readings of docs/theory/delta.md.
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/traffic/delta.hpp"

namespace rooftile {

// What the time model takes from a GPU, per SM and in seconds; made once per GPU.
struct DeltaRates {
  FlopsPerSecond arithmetic;    // of one SM
  BytesPerSecond l1, l2, dram;  // share of one SM
  BytesPerSecond smem_load, smem_store;
  Seconds l1_latency, l2_latency, dram_latency, smem_latency;
};
DeltaRates delta_rates(const Gpu& gpu);

// Every term of the time model. Times are of one CTA and main-loop step unless said otherwise.
struct DeltaTiming {
  Seconds l1_transfer, l2_transfer, dram_transfer;  // bytes of one step / share of bandwidth
  Seconds t_gls;                                    // Eq 11
  Seconds t_sas;                                    // Eq 12
  Seconds t_cs;                                     // Eq 13
  Seconds prologue;                                 // Eq 14, once
  Seconds epilogue;                                 // Eq 15, a CTA
  Seconds epilogue_l1, epilogue_l2, epilogue_dram;  // Eq 15 at a level's own bandwidth
  TimeBounds cases;                                 // Eqs 16 to 18, whole kernel
  Bottleneck bottleneck = Bottleneck::compute;
  Seconds time;  // the largest case
};

DeltaTiming delta_time(const Plan& plan, const DeltaTraffic& traffic, const DeltaRates& rates);

}  // namespace rooftile
