// What a row of a layer table computes, by the columns of its kind.
#pragma once

#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// N,C,H,W,K,R,S,… and, if stated, out_h,out_w, which must agree.
Conv read_conv(TableRow& row);

// M,N,K,…
Gemm read_gemm(TableRow& row);

}  // namespace rooftile
