#include <algorithm>

#include "rooftile/measure/cuda/layers/element.cuh"
#include "rooftile/measure/cuda/layers/tensor.hpp"

namespace rooftile::measure {
namespace {

constexpr unsigned kThreads = 256;

// Enough CTAs to fill any GPU; each thread strides over the rest.
unsigned ctas(std::int64_t count) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + kThreads - 1) / kThreads, 1, 16384));
}

__global__ void rooftile_setup_fill(void* data, DType type, std::int64_t count, float scale, std::uint64_t seed) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const std::uint64_t bits = hash(hash(seed) + static_cast<std::uint64_t>(i));
    const float unit = static_cast<float>(static_cast<std::int32_t>(bits >> 40) - (1 << 23)) * 0x1p-23F;
    set_element(data, type, i, scale * unit);
  }
}

__global__ void rooftile_check_finite(const void* data, DType type, std::int64_t count, unsigned long long* found) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine += isfinite(element(data, type, i)) ? 0 : 1;
  }
  if (mine > 0) {
    atomicAdd(found, mine);
  }
}

__global__ void rooftile_check_gather(const void* data, DType type, const std::int64_t* positions, std::int64_t count,
                                      double* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] = element(data, type, positions[i]);
  }
}

}  // namespace

std::size_t bytes_of(const TensorSpec& spec) {
  return static_cast<std::size_t>(static_cast<double>(spec.count) * size_of(spec.type).value());
}

Outcome<void> fill(const Tensor& tensor, std::uint64_t seed, cudaStream_t stream) {
  const TensorSpec& spec = tensor.spec;
  if (spec.count == 0) {
    return {};
  }
  rooftile_setup_fill<<<ctas(spec.count), kThreads, 0, stream>>>(tensor.data, spec.type, spec.count,
                                                                 static_cast<float>(spec.scale), seed);
  return check_launch("filling an operand");
}

Outcome<void> poison(const Tensor& tensor, cudaStream_t stream) {
  return check(cudaMemsetAsync(tensor.data, 0xff, bytes_of(tensor.spec), stream), "poisoning a result");
}

Outcome<std::uint64_t> count_not_finite(const Tensor& tensor, cudaStream_t stream) {
  if (tensor.spec.count == 0) {
    return 0;
  }
  const auto counter = Buffer<unsigned long long>::make(1);
  if (!counter) {
    return tl::unexpected(counter.error());
  }
  if (auto done = check(cudaMemsetAsync(counter->get(), 0, counter->bytes(), stream), "clearing a counter"); !done) {
    return tl::unexpected(done.error());
  }
  rooftile_check_finite<<<ctas(tensor.spec.count), kThreads, 0, stream>>>(tensor.data, tensor.spec.type,
                                                                          tensor.spec.count, counter->get());
  if (auto done = check_launch("checking for NaN"); !done) {
    return tl::unexpected(done.error());
  }
  unsigned long long found = 0;
  for (const cudaError_t code : {cudaMemcpyAsync(&found, counter->get(), sizeof(found), cudaMemcpyDeviceToHost, stream),
                                 cudaStreamSynchronize(stream)}) {
    if (auto done = check(code, "checking for NaN"); !done) {
      return tl::unexpected(done.error());
    }
  }
  return found;
}

Outcome<std::vector<double>> download(const Buffer<double>& values, cudaStream_t stream) {
  std::vector<double> host(values.count());
  for (const cudaError_t code :
       {cudaMemcpyAsync(host.data(), values.get(), values.bytes(), cudaMemcpyDeviceToHost, stream),
        cudaStreamSynchronize(stream)}) {
    if (auto done = check(code, "copying a result"); !done) {
      return tl::unexpected(done.error());
    }
  }
  return host;
}

Outcome<Buffer<std::int64_t>> upload(const std::vector<std::int64_t>& values, cudaStream_t stream) {
  auto buffer = Buffer<std::int64_t>::make(values.size());
  if (!buffer) {
    return buffer;
  }
  for (const cudaError_t code :
       {cudaMemcpyAsync(buffer->get(), values.data(), buffer->bytes(), cudaMemcpyHostToDevice, stream),
        cudaStreamSynchronize(stream)}) {
    if (auto done = check(code, "copying positions"); !done) {
      return tl::unexpected(done.error());
    }
  }
  return buffer;
}

Outcome<std::vector<double>> gather(const Tensor& tensor, const Buffer<std::int64_t>& positions, cudaStream_t stream) {
  const auto out = Buffer<double>::make(positions.count());
  if (!out) {
    return tl::unexpected(out.error());
  }
  const auto count = static_cast<std::int64_t>(positions.count());
  rooftile_check_gather<<<ctas(count), kThreads, 0, stream>>>(tensor.data, tensor.spec.type, positions.get(), count,
                                                              out->get());
  if (auto done = check_launch("reading a result"); !done) {
    return tl::unexpected(done.error());
  }
  return download(*out, stream);
}

}  // namespace rooftile::measure
