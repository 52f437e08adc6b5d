// One number that a microbenchmark found, or one point of a curve. What there is:
//
//   benchmark       variant                                   parameter                    value
//   latency         l1 (ld.ca), global (ld.cg), smem          working set, B               cycles a dependent load
//   line_latency    global: one L2 line, again and again,     index of the line            cycles a dependent load
//                   from SM 0
//   sector          l1: a second load at an offset            offset, B                    cycles of the second load
//   request         load_4, load_8, load_16 (bytes a lane)    lanes' stride, in accesses   cycles of the SM a warp's
//                                                                                          request (L1 hits)
//   bandwidth       l1                                        working set of one SM, B     B/s of the chip
//                   l2_read, l2_write                         working set, B               B/s of the chip
//                   dram_read, dram_write, dram_copy          bytes touched                B/s (copy: read + written)
//                   smem_load, smem_store                     bytes a lane                 B/s of the chip
//   loaded_latency  bandwidth; latency (two points each)      pause between loads, cycles  B/s; cycles
//   rate            fp64, fp32, fp16, bf16, int32;            -                            FLOP/s (an integer multiply-
//                   mma_TYPE, wgmma_TYPE; library_TYPE                                     add is two as well)
//   clock           the benchmark during which it was         -                            Hz of the SMs
//                   measured: "latency", "bandwidth", …
//   sustained       clock, memory_clock, power, temperature   seconds into a long load     Hz, Hz, W, degrees Celsius
//   launch          eager, graph: queued back to back;        kernels queued               s a kernel
//                   round_trip: launched and waited for       1                            s
//
// TYPE is fp16, bf16, tf32, fp8, int8. A clock is there where a kernel of the benchmark ran for a millisecond: the
// global timer, which it is measured against, ticks in steps of up to a microsecond.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/summary.hpp"

namespace rooftile::measure {

struct Point {
  std::string benchmark;
  std::string variant;
  double parameter = 0;
  Summary value;
  std::string unit;  // of the value: "cycles", "B/s", "FLOP/s", "Hz", "W", "s", "C"

  bool operator==(const Point&) const = default;
};

// microbench.csv: benchmark,variant,parameter,value,low,high,repeats,unit.
std::string point_header();
std::string write_point(const Point& point);
// Errors name file, line and column.
Result<std::vector<Point>> parse_points(std::string_view csv, std::string_view where);

}  // namespace rooftile::measure
