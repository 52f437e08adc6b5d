// What of the `delta` method does not depend on the design: a layer's CTAs, loops and bytes, once per unique layer.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cost/run_work.hpp"
#include "rooftile/explore/tile_kernel.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// One unique layer of a workload, as an implicit GEMM or as bytes that stream.
struct UniqueLayer {
  std::string workload, name;  // name of the first of its equals
  std::string op;              // "conv", "gemm", …
  double count = 1;            // equal kernels in the workload
  double weight = 1;           // of the workload
  bool streams = false;
  Im2col gemm;       // unless it streams
  double bytes = 0;  // else: read and written
  double flops = 0;
  RunWork work;  // of all its equals; of an implicit GEMM without the bytes, which go with the tile
};

// The layers of a workload that takes time, in order of first appearance; `weight` and `convolutions_only` as in
// WorkloadChoice. Errors: nothing is left; a layer of more CTAs than are counted exactly.
Result<std::vector<UniqueLayer>> unique_layers(const Workload& workload, double weight, bool convolutions_only);

// Of a kernel, for one CTA and main-loop step: bytes and FLOPs (Eqs 12 to 15).
struct KernelConstants {
  Kernel kernel;
  double inputs = 0, warp_inputs = 0, outputs = 0, work = 0, depth = 1;
};

// Of a layer (Eqs 4, 9, 10): bytes of a CTA and step at each level.
struct LayerConstants {
  std::size_t kernel = 0;  // of NetworkConstants::kernels
  double ctas = 1, loops = 1;
  double l1 = 0, l2 = 0, dram = 0;
  double count = 1;  // count x weight
};

// A layer that streams: bytes against DRAM, FLOPs against arithmetic, one launch at least.
struct StreamConstants {
  double bytes = 0, flops = 0, count = 1;
};

// All layers with CTA tiles of one size. `order` says where each unique layer is: first the GEMMs, then the streams.
struct NetworkConstants {
  std::vector<KernelConstants> kernels;
  std::vector<LayerConstants> layers;
  std::vector<StreamConstants> streams;
  std::vector<std::size_t> layer_of, stream_of;  // place in the list of unique layers
  RunWork work;                                  // of all of them; the same on every design (Eqs 2 to 10)
};
NetworkConstants network_constants(const std::vector<UniqueLayer>& layers, const Gpu& gpu, double tile_rows);

}  // namespace rooftile
