// GEMMs by cuBLASLt.
#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/layers/product.hpp"
#include "rooftile/measure/cuda/layers/reference.hpp"
#include "rooftile/measure/layer_check.hpp"
#include "rooftile/measure/layer_gemm.hpp"

namespace rooftile::measure {
namespace {

class GemmJob : public PreparedLayer {
 public:
  GemmJob(const Gemm& gemm, DType precision, Product product) : gemm_(gemm), product_(std::move(product)) {
    inputs = {{.type = precision, .count = gemm.batch * gemm.m * gemm.k},
              {.type = precision, .count = gemm.batch * gemm.k * gemm.n}};
    outputs = {{.type = result_type(precision), .count = gemm.batch * gemm.m * gemm.n}};
    if (gemm.bias) {
      inputs.push_back({.type = result_type(precision), .count = gemm.n});
    }
    workspace_bytes = product_.workspace_bytes();
    error_limit = measure::error_limit(precision);
  }

  Outcome<void> run(const OperandSet& set, cudaStream_t stream) override {
    return product_.run(set.inputs[0].data, set.inputs[1].data, bias(set).data, set.outputs[0].data, set.workspace,
                        stream);
  }

  Outcome<double> error(const OperandSet& set, cudaStream_t stream) override {
    return sampled_error(set.outputs[0], stream, [&](const std::int64_t* positions, std::int64_t count, double* out) {
      reference_gemm(gemm_, operand(set.inputs[0]), operand(set.inputs[1]), bias(set), {positions, count, out}, stream);
    });
  }

 private:
  static Operand operand(const Tensor& tensor) { return {tensor.data, tensor.spec.type}; }
  Operand bias(const OperandSet& set) const { return gemm_.bias ? operand(set.inputs[2]) : Operand{}; }

  Gemm gemm_;
  Product product_;
};

}  // namespace

Outcome<Prepared> prepare_gemm(const Gemm& gemm, const LayerCase& layer, const LayerContext& context) {
  if (auto able = check_all({check_tensor({gemm.batch, gemm.m, gemm.k}), check_tensor({gemm.batch, gemm.k, gemm.n}),
                             check_tensor({gemm.batch, gemm.m, gemm.n})});
      !able) {
    return tl::unexpected(able.error());
  }
  const Gemm product = gemm_of(gemm, layer.pass);
  auto made = Product::make(product, layer.precision, 1, context);
  if (!made) {
    return tl::unexpected(made.error());
  }
  return std::make_unique<GemmJob>(product, layer.precision, std::move(*made));
}

}  // namespace rooftile::measure
