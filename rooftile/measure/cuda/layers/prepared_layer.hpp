// A layer made ready to run: which library call on which operands. The families (convolution, GEMM, …) implement it;
// the harness owns the memory, rotates sets of operands through it and times it.
#pragma once

#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/layers/tensor.hpp"
#include "rooftile/measure/layer_case.hpp"
#include "rooftile/measure/refused.hpp"

namespace rooftile::measure {

// One set of operands; the workspace is shared by all sets.
struct OperandSet {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<void*> state;  // what a run keeps for a later pass
  void* workspace = nullptr;
};

class PreparedLayer {
 public:
  virtual ~PreparedLayer() = default;

  // Once for each set, after its inputs are filled: what earlier passes leave behind.
  virtual Outcome<void> prepare(const OperandSet& /*set*/, cudaStream_t /*stream*/) { return {}; }

  // Queues one run; neither allocates nor waits, so that it can be captured into a graph.
  virtual Outcome<void> run(const OperandSet& set, cudaStream_t stream) = 0;

  // ||out - reference|| / ||reference|| after the first run of a set; waits for the stream.
  virtual Outcome<double> error(const OperandSet& set, cudaStream_t stream) = 0;

  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<std::size_t> state_bytes;
  std::size_t workspace_bytes = 0;
  std::string algorithm;
  double error_limit = 0;
};

using Prepared = std::unique_ptr<PreparedLayer>;

// The error of an output where `reference(positions, count, out)` queues the computation of its elements at `positions`
// in double precision.
template <class Reference>
Outcome<double> sampled_error(const Tensor& output, cudaStream_t stream, const Reference& reference);

// ||out - reference|| / ||reference||; 0 where both are zero.
double relative_error(const std::vector<double>& out, const std::vector<double>& reference);
std::vector<std::int64_t> compared_positions(std::int64_t count);

template <class Reference>
Outcome<double> sampled_error(const Tensor& output, cudaStream_t stream, const Reference& reference) {
  const auto positions = upload(compared_positions(output.spec.count), stream);
  if (!positions) {
    return tl::unexpected(positions.error());
  }
  const auto expected = Buffer<double>::make(positions->count());
  if (!expected) {
    return tl::unexpected(expected.error());
  }
  reference(positions->get(), static_cast<std::int64_t>(positions->count()), expected->get());
  if (auto done = check_launch("computing the reference"); !done) {
    return tl::unexpected(done.error());
  }
  const auto right = download(*expected, stream);
  if (!right) {
    return tl::unexpected(right.error());
  }
  return gather(output, *positions, stream).map([&](const std::vector<double>& out) {
    return relative_error(out, *right);
  });
}

}  // namespace rooftile::measure
