// cuDNN's graph API: operations over tensors, put together, planned and run as one. Only what attention needs.
#pragma once

#include <cstdint>
#include <cudnn.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/layers/cudnn_handle.hpp"

namespace rooftile::measure {

using Backend = CudnnOwned<cudnnBackendDescriptor_t, cudnnBackendDestroyDescriptor>;

// A tensor of the graph: its descriptor, and the name by which data are given for it.
struct GraphTensor {
  std::int64_t id = 0;
  cudnnBackendDescriptor_t descriptor = nullptr;
};

// Four dimensions, outermost first.
using Dims = std::vector<std::int64_t>;
Dims packed_strides(const Dims& dims);

class BackendGraph {
 public:
  enum class Kind {
    data,      // in device memory, given at each run
    by_value,  // a number in host memory, given at each run
    inner,     // between two operations; never in memory
  };

  // The first error of any call below; later calls do nothing.
  const Outcome<void>& status() const { return status_; }

  GraphTensor tensor(Kind kind, cudnnDataType_t type, const Dims& dims, const Dims& strides);

  void matmul(GraphTensor a, GraphTensor b, GraphTensor c);
  void reduce(cudnnReduceTensorOp_t function, GraphTensor x, GraphTensor y);
  // y = mode(x, b, selector); `axis` is of GEN_INDEX.
  struct Pointwise {
    cudnnPointwiseMode_t mode = CUDNN_POINTWISE_ADD;
    cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    GraphTensor x, b, selector, y;
    std::optional<std::int64_t> axis = {};
  };
  void pointwise(const Pointwise& operation);

  // A plan for all operations so far, the heuristic's first that can run; NOT_SUPPORTED where there is none.
  void plan(cudnnHandle_t handle);
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  // How many kernels cuDNN has for all operations so far on a GPU that need not be here: `device` is what cuDNN tells
  // of a GPU as JSON ("Deviceless ahead-of-time compilation" in the documentation of cudnn-frontend). cuDNN 9.8 or
  // newer.
  Outcome<std::size_t> kernels_on(const std::string& device);

  // What a run reads and writes, made ahead so that a run itself only launches.
  Outcome<Backend> bind(const std::vector<std::int64_t>& ids, std::vector<void*> pointers, void* workspace) const;
  Outcome<void> run(cudnnHandle_t handle, const Backend& binding) const;

 private:
  cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t type);
  void finish(cudnnBackendDescriptor_t descriptor);
  void set(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
           std::int64_t count, const void* values);
  void link(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name, cudnnBackendDescriptor_t other);
  cudnnBackendDescriptor_t make_graph(const cudnnHandle_t* handle);
  // `device` is null where the graph has a handle.
  std::vector<cudnnBackendDescriptor_t> configurations(cudnnBackendDescriptor_t graph, cudnnBackendDescriptor_t device);
  bool try_plan(cudnnBackendDescriptor_t configuration, cudnnHandle_t handle);

  Outcome<void> status_;
  std::vector<Backend> owned_;  // in the order of making: later ones refer to earlier ones
  std::vector<cudnnBackendDescriptor_t> operations_;
  std::int64_t next_id_ = 1;
  Backend plan_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace rooftile::measure
