#include "rooftile/ops/stream_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {
namespace {

// As PyTorch launches its element-wise kernels.
constexpr double kFlatThreads = 128, kFlatElements = 4;  // elements of a thread

constexpr double kWarp = 32;  // CTAs are made of whole warps

}  // namespace

StreamWork operator*(const StreamWork& work, double count) {
  return {.operations = work.operations * count,
          .activations = work.activations * count,
          .gates = work.gates * count,
          .softmaxes = work.softmaxes * count,
          .visits = work.visits * count,
          .searches = work.searches * count,
          .column_sums = work.column_sums * count};
}

StreamKernel flat_kernel(Bytes read, Bytes write, double elements, const StreamWork& work) {
  StreamKernel kernel;
  kernel.read = read;
  kernel.write = write;
  kernel.threads = kFlatThreads;
  kernel.ctas = std::max(1.0, std::ceil(elements / (kFlatThreads * kFlatElements)));
  kernel.work = work;
  return kernel;
}

StreamKernel scalar_kernel(Bytes read, Bytes write, double elements, double threads, const StreamWork& work) {
  StreamKernel kernel;
  kernel.read = read;
  kernel.write = write;
  kernel.threads = threads;
  kernel.ctas = std::max(1.0, std::ceil(elements / threads));
  kernel.work = work;
  return kernel;
}

StreamKernel unpacking_kernel(Bytes read, Bytes write, double weights) {
  constexpr double kWeights = 8;
  StreamKernel kernel = scalar_kernel(read, write, weights / kWeights, kWarp, {});
  kernel.handed_out = kernel.ctas;
  return kernel;
}

StreamKernel row_kernel(const RowStream& stream, const StreamWork& work) {
  StreamKernel kernel;
  const double loads = std::ceil(stream.columns / stream.per_load);
  kernel.threads = std::min(stream.most_threads, kWarp * std::ceil(loads / kWarp));
  kernel.steps = std::ceil(loads / kernel.threads);
  kernel.resteps = (stream.passes - 1) * (kernel.steps + 1);
  kernel.ctas = stream.rows;
  const Bytes output = stream.element * (stream.rows * stream.columns);
  kernel.read = output * stream.inputs;
  kernel.write = output;
  kernel.reread = kernel.read * (stream.passes - 1);
  kernel.row = kernel.read / stream.rows;
  kernel.work = work * (stream.rows * kernel.steps * kernel.threads * stream.per_load);
  return kernel;
}

StreamKernel short_row_kernel(const RowStream& stream, const StreamWork& work) {
  constexpr double kRows = 4;
  StreamKernel kernel = row_kernel(stream, {});
  kernel.ctas = std::ceil(stream.rows / kRows);
  kernel.threads = kRows * kWarp;
  kernel.steps = 1;
  kernel.work = work * (stream.rows * stream.columns);
  return kernel;
}

}  // namespace rooftile
