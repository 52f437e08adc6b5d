#include "rooftile/measure/cuda/layers/backend_graph.hpp"

#include <algorithm>

namespace rooftile::measure {
namespace {

constexpr std::int64_t kAlignment = 16;       // bytes that every tensor is aligned to at least
constexpr std::int64_t kConfigurations = 16;  // looked at in each mode of the heuristic

}  // namespace

Dims packed_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * dims[i];
  }
  return strides;
}

cudnnBackendDescriptor_t BackendGraph::make(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t raw = nullptr;
  if (status_) {
    status_ = check(cudnnBackendCreateDescriptor(type, &raw), "making a part of cuDNN's graph");
    owned_.emplace_back(raw);
  }
  return raw;
}

void BackendGraph::set(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                       cudnnBackendAttributeType_t type, std::int64_t count, const void* values) {
  if (status_) {
    status_ =
        check(cudnnBackendSetAttribute(descriptor, name, type, count, values), "describing a part of cuDNN's graph");
  }
}

void BackendGraph::link(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                        cudnnBackendDescriptor_t other) {
  set(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other);
}

void BackendGraph::finish(cudnnBackendDescriptor_t descriptor) {
  if (status_) {
    status_ = check(cudnnBackendFinalize(descriptor), "putting cuDNN's graph together");
  }
}

GraphTensor BackendGraph::tensor(Kind kind, cudnnDataType_t type, const Dims& dims, const Dims& strides) {
  const GraphTensor tensor{next_id_++, make(CUDNN_BACKEND_TENSOR_DESCRIPTOR)};
  const auto count = static_cast<std::int64_t>(dims.size());
  const bool inner = kind == Kind::inner;
  const bool by_value = kind == Kind::by_value;
  set(tensor.descriptor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  set(tensor.descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, count, dims.data());
  set(tensor.descriptor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, count, strides.data());
  set(tensor.descriptor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &tensor.id);
  set(tensor.descriptor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &kAlignment);
  set(tensor.descriptor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &inner);
  set(tensor.descriptor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
  finish(tensor.descriptor);
  return tensor;
}

void BackendGraph::matmul(GraphTensor a, GraphTensor b, GraphTensor c) {
  const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnBackendDescriptor_t const how = make(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  set(how, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
  finish(how);
  cudnnBackendDescriptor_t const operation = make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  link(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a.descriptor);
  link(operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b.descriptor);
  link(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c.descriptor);
  link(operation, CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
  finish(operation);
  operations_.push_back(operation);
}

void BackendGraph::reduce(cudnnReduceTensorOp_t function, GraphTensor x, GraphTensor y) {
  const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnBackendDescriptor_t const how = make(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  set(how, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
  set(how, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &function);
  finish(how);
  cudnnBackendDescriptor_t const operation = make(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  link(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x.descriptor);
  link(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y.descriptor);
  link(operation, CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
  finish(operation);
  operations_.push_back(operation);
}

void BackendGraph::pointwise(const Pointwise& p) {
  cudnnBackendDescriptor_t const how = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set(how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &p.mode);
  set(how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &p.compute);
  if (p.axis) {
    set(how, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &*p.axis);
  }
  finish(how);
  cudnnBackendDescriptor_t const operation = make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  link(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  link(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, p.x.descriptor);
  if (p.b.descriptor != nullptr) {
    link(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, p.b.descriptor);
  }
  if (p.selector.descriptor != nullptr) {
    link(operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, p.selector.descriptor);
  }
  link(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, p.y.descriptor);
  finish(operation);
  operations_.push_back(operation);
}

cudnnBackendDescriptor_t BackendGraph::make_graph(const cudnnHandle_t* handle) {
  cudnnBackendDescriptor_t const graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
      static_cast<std::int64_t>(operations_.size()), operations_.data());
  if (handle != nullptr) {
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, handle);
  }
  finish(graph);
  return graph;
}

std::vector<cudnnBackendDescriptor_t> BackendGraph::configurations(cudnnBackendDescriptor_t graph,
                                                                   cudnnBackendDescriptor_t device) {
  constexpr cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  std::vector<cudnnBackendDescriptor_t> list;
  cudnnBackendDescriptor_t const heuristic = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  link(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
#if CUDNN_VERSION >= 90800
  if (device != nullptr) {
    link(heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
  }
#else
  static_cast<void>(device);
#endif
  set(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  finish(heuristic);
  for (std::int64_t i = 0; i < kConfigurations; ++i) {
    list.push_back(make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  }
  std::int64_t count = 0;
  if (status_) {
    status_ = check(cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                             kConfigurations, &count, list.data()),
                    "asking cuDNN for kernels");
  }
  list.resize(status_ ? static_cast<std::size_t>(std::min(count, kConfigurations)) : 0);
  return list;
}

bool BackendGraph::try_plan(cudnnBackendDescriptor_t configuration, cudnnHandle_t handle) {
  cudnnBackendDescriptor_t raw = nullptr;
  if (cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &raw) != CUDNN_STATUS_SUCCESS) {
    return false;
  }
  Backend plan(raw);
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  const bool made =
      cudnnBackendSetAttribute(raw, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                               &configuration) == CUDNN_STATUS_SUCCESS &&
      cudnnBackendSetAttribute(raw, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle) ==
          CUDNN_STATUS_SUCCESS &&
      cudnnBackendFinalize(raw) == CUDNN_STATUS_SUCCESS &&
      cudnnBackendGetAttribute(raw, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes) ==
          CUDNN_STATUS_SUCCESS;
  if (made) {
    plan_ = std::move(plan);
    workspace_bytes_ = static_cast<std::size_t>(bytes);
  }
  static_cast<void>(cudaGetLastError());  // of a configuration that could not be built; others are tried
  return made;
}

void BackendGraph::plan(cudnnHandle_t handle) {
  for (cudnnBackendDescriptor_t const configuration : configurations(make_graph(&handle), nullptr)) {
    if (try_plan(configuration, handle)) {
      return;
    }
  }
  if (status_) {
    status_ = unsupported("cuDNN has no kernel for this graph");
  }
}

Outcome<std::size_t> BackendGraph::kernels_on(const std::string& device) {
#if CUDNN_VERSION >= 90800
  cudnnBackendDescriptor_t const properties = make(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  set(properties, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, static_cast<std::int64_t>(device.size()),
      device.data());
  if (status_ && cudnnBackendFinalize(properties) != CUDNN_STATUS_SUCCESS) {
    status_ = unsupported("this is not how cuDNN describes a GPU");
  }
  const std::size_t count = configurations(make_graph(nullptr), properties).size();
  return status_.map([&] { return count; });
#else
  static_cast<void>(device);
  return unsupported("cuDNN before 9.8 knows only the GPU that is there");
#endif
}

Outcome<Backend> BackendGraph::bind(const std::vector<std::int64_t>& ids, std::vector<void*> pointers,
                                    void* workspace) const {
  cudnnBackendDescriptor_t raw = nullptr;
  constexpr std::string_view kBinding = "giving cuDNN's graph its data";
  if (auto done = check(cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &raw), kBinding); !done) {
    return tl::unexpected(done.error());
  }
  Backend binding(raw);
  const auto count = static_cast<std::int64_t>(ids.size());
  return check_all(
             {cudnnBackendSetAttribute(raw, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
                                       pointers.data()),
              cudnnBackendSetAttribute(raw, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, ids.data()),
              cudnnBackendSetAttribute(raw, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace),
              cudnnBackendFinalize(raw)},
             kBinding)
      .map([&] { return std::move(binding); });
}

Outcome<void> BackendGraph::run(cudnnHandle_t handle, const Backend& binding) const {
  return check(cudnnBackendExecute(handle, plan_.get(), binding.get()), "a graph by cuDNN");
}

}  // namespace rooftile::measure
