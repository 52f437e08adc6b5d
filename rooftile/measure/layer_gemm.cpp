#include "rooftile/measure/layer_gemm.hpp"

namespace rooftile::measure {
namespace {

// dA = dC op(B)^T, or its transpose op(B) dC^T where A is stored transposed.
Gemm data_gradient(const Gemm& f) {
  if (f.trans_a) {
    return {.batch = f.batch, .m = f.k, .n = f.m, .k = f.n, .trans_a = f.trans_b, .trans_b = true};
  }
  return {.batch = f.batch, .m = f.m, .n = f.k, .k = f.n, .trans_a = false, .trans_b = !f.trans_b};
}

// dB = op(A)^T dC, or its transpose dC^T op(A) where B is stored transposed.
Gemm weight_gradient(const Gemm& f) {
  if (f.trans_b) {
    return {.batch = f.batch, .m = f.n, .n = f.k, .k = f.m, .trans_a = true, .trans_b = f.trans_a};
  }
  return {.batch = f.batch, .m = f.k, .n = f.n, .k = f.m, .trans_a = !f.trans_a, .trans_b = false};
}

}  // namespace

Gemm gemm_of(const Gemm& forward, Pass pass) {
  switch (pass) {
    case Pass::fwd:
      return forward;
    case Pass::bwd_data:
      return data_gradient(forward);
    case Pass::bwd_weight:
      return weight_gradient(forward);
  }
  return forward;
}

}  // namespace rooftile::measure
