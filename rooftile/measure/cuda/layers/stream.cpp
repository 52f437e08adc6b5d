// Streaming layers by own kernels.
#include <cmath>
#include <limits>
#include <string>

#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/layers/reference.hpp"
#include "rooftile/measure/cuda/layers/stream_kernels.hpp"
#include "rooftile/measure/layer_check.hpp"

namespace rooftile::measure {
namespace {

class StreamJob : public PreparedLayer {
 public:
  StreamJob(const StreamLayer& layer, DType precision) : layer_(layer), precision_(precision) {
    const std::int64_t count = layer.rows * layer.columns;
    const bool gated = layer.kind == StreamKind::gated_activation;
    inputs = {{.type = precision, .count = gated ? 2 * count : count}};
    if (layer.kind == StreamKind::add) {
      inputs.push_back({.type = precision, .count = count});
    }
    if (layer.kind == StreamKind::norm || layer.kind == StreamKind::layernorm) {
      inputs.resize(3, {.type = precision, .count = layer.columns});  // weight and bias
    }
    outputs = {{.type = precision, .count = count}};
    error_limit = measure::error_limit(precision);
  }

  Outcome<void> run(const OperandSet& set, cudaStream_t stream) override {
    launch_stream(layer_, precision_, data(set, 0), data(set, 1), data(set, 2), set.outputs[0].data, stream);
    return check_launch("a streaming kernel");
  }

  Outcome<double> error(const OperandSet& set, cudaStream_t stream) override {
    return sampled_error(set.outputs[0], stream, [&](const std::int64_t* positions, std::int64_t count, double* out) {
      reference_stream(layer_, {data(set, 0), precision_}, {data(set, 1), precision_}, {data(set, 2), precision_},
                       {positions, count, out}, stream);
    });
  }

 private:
  static const void* data(const OperandSet& set, std::size_t input) {
    return input < set.inputs.size() ? set.inputs[input].data : nullptr;
  }

  StreamLayer layer_;
  DType precision_;
};

}  // namespace

Outcome<Prepared> prepare_stream(const StreamLayer& stream, const LayerCase& layer, const LayerContext& /*context*/) {
  const DType precision = layer.precision;
  if (precision != DType::fp32 && precision != DType::tf32 && precision != DType::fp16 && precision != DType::bf16) {
    return unsupported("streaming layers run in fp32, fp16 or bf16, not " + std::string(name_of(precision)));
  }
  if (layer.pass != Pass::fwd) {
    return unsupported("streaming layers are measured forward only");
  }
  if (auto able = check_tensor({stream.rows, stream.columns}); !able) {
    return tl::unexpected(able.error());
  }
  constexpr double kMostCtas = std::numeric_limits<std::int32_t>::max();
  if (static_cast<double>(stream.rows) * static_cast<double>(stream.columns) > 256 * kMostCtas ||
      static_cast<double>(stream.rows) > kMostCtas) {
    return unsupported("more rows or elements than one grid has CTAs for");
  }
  return std::make_unique<StreamJob>(stream, precision);
}

}  // namespace rooftile::measure
