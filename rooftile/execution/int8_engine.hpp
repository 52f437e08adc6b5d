// FasterTransformer's networks of 8-bit integers (src/fastertransformer/models/bert_int8, vit_int8, swin_int8).
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Sums that several operators read, the residual stream of networks that normalise first, stay FP16. What fused
// attention writes is brought into the order of cuBLASLt's operands (invokeRowMajorToCOL32). Where products write
// INT32 (`wide_sums`: int8 mode 1), they do, and a norm whose result is itself the residual stream writes FP16, which a
// kernel quantises for the products (BertLayerINT8.cc, invokeQuantization). Of a workload in int8.
Workload as_int8_engine(Workload workload, bool wide_sums);

}  // namespace rooftile
