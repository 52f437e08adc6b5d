// Kernels that stream their tensors, as counts: bytes, CTAs, arithmetic, and how often a thread waits for memory. Never
// looks at a clock.
#pragma once

#include "rooftile/base/units.hpp"

namespace rooftile {

// Arithmetic of all threads of a launch. Work whose cost per element is a constant of the calibration is counted in
// elements; lanes of CTAs that have no element left are counted with the others.
struct StreamWork {
  double operations = 0;   // of the operator's definition, an instruction each
  double activations = 0;  // error functions and the like, which software computes
  double gates = 0;        // products with a sigmoid
  double softmaxes = 0;    // elements of rows that a softmax normalises
  double visits = 0;       // elements that pooling windows look at
  double searches = 0;     // inputs for which a pooling gradient looks for its windows
  double column_sums = 0;  // elements that a gradient of weights adds up along the columns

  bool operator==(const StreamWork&) const = default;
};

struct StreamKernel {
  Bytes read, write;  // each tensor once
  Bytes reread;       // what later passes over a row read again
  Bytes row;          // that a CTA comes back to in later passes
  double ctas = 1;
  double handed_out = 0;  // CTAs so short that the SMs wait for more
  double threads = 1;     // of a CTA
  double steps = 1;       // loads of a thread that wait for one another
  double resteps = 0;     // the same in later passes, with the barriers between passes
  double fetches = 1;     // of each sector, by threads that use a part of it each
  bool overlaps = false;  // has so many instructions that CTAs which wait leave the SM to those that compute
  StreamWork work;

  bool operator==(const StreamKernel&) const = default;
};

// One thread for every few elements, none of which needs another: element-wise operators, copies, sums. `elements` is
// that of the largest tensor.
StreamKernel flat_kernel(Bytes read, Bytes write, double elements, const StreamWork& work);

// The same of threads that take one element each, with CTAs of `threads`, as llama.cpp's kernels do.
StreamKernel scalar_kernel(Bytes read, Bytes write, double elements, double threads, const StreamWork& work);

// A Move of weights of less than a byte to FP16, in which each CTA is a warp that unpacks 256 of them (llama.cpp:
// convert.cu, dequantize_block_q4_K).
inline constexpr const char* kUnpack = "unpack";
StreamKernel unpacking_kernel(Bytes read, Bytes write, double weights);

// One CTA a row, which it goes through `passes` times.
struct RowStream {
  double rows = 1, columns = 1;
  double inputs = 1;  // as wide as the output each
  double passes = 1;
  double per_load = 1;  // elements that a thread loads at once
  double most_threads = 1024;
  Bytes element{4};
};
// `work` is that of one element of the output.
StreamKernel row_kernel(const RowStream& stream, const StreamWork& work);

// Many rows that fit the registers of a warp each: a CTA has a few of them.
StreamKernel short_row_kernel(const RowStream& stream, const StreamWork& work);

StreamWork operator*(const StreamWork& work, double count);

}  // namespace rooftile
