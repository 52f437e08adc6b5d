#include "rooftile/plan/planes.hpp"

#include <utility>

namespace rooftile {

Planes planes_of(const OpShape& op) {
  const Im2col& forward = op.gemm;
  Planes planes{forward.batch,
                forward.in_channels,
                forward.out_channels,
                forward.in[1] * forward.in[2],
                forward.out[1] * forward.out[2],
                forward.out[1],
                forward.out[2],
                forward.filter[1],
                forward.filter[2],
                op.element};
  if (op.pass == Pass::bwd_data) {
    std::swap(planes.in_channels, planes.out_channels);
    std::swap(planes.in, planes.out);
    planes.height = forward.in[1];
    planes.width = forward.in[2];
  }
  return planes;
}

Bytes input_bytes(const Planes& planes) { return planes.element * (planes.batch * planes.in_channels * planes.in); }
Bytes output_bytes(const Planes& planes) { return planes.element * (planes.batch * planes.out_channels * planes.out); }

bool has_unit_planes(const Im2col& gemm) {
  const bool flat = gemm.in[0] == 1 && gemm.filter[0] == 1;
  const bool unit = gemm.stride[1] == 1 && gemm.stride[2] == 1 && gemm.dilation[1] == 1 && gemm.dilation[2] == 1;
  return flat && unit && gemm.groups == 1;
}

}  // namespace rooftile
