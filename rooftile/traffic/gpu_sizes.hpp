// What counting bytes needs of a GPU: how many CTAs run at once and what the L2 holds. No clock, no bandwidth.
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/calibration/calibration.hpp"

namespace rooftile {

struct GpuSizes {
  KernelFamily family = KernelFamily::conv_simt;
  double sms = 1;
  double sm_threads = 1, sm_ctas = 1;  // that an SM holds at once
  Bytes l2_capacity{1};
  Bytes l2_line{128}, l2_sector{32};
  double l2_partitions = 1;  // each with a copy of what its SMs read
  double shared_loads = 1;   // CTAs that one load from the L2 can serve: those along a side of a square cluster
  double weight_sets = 0;    // Harness::weight_sets, rotates: what of the operands is in the L2 when a kernel starts
  bool rotates = false;
  bool flushed = false;  // Harness::flushes
  Bytes pass_bytes{};    // PredictOptions::pass_bytes
  Constants constants;

  // That serves one SM.
  Bytes l2_copy() const { return l2_capacity / l2_partitions; }
};

}  // namespace rooftile
