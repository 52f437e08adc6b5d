// A workload of one op, for tests.
#pragma once

#include <utility>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Inputs first, one output; the last `weights` of the inputs are constants.
struct StreamOneOp {
  StreamOneOp(OpKind kind, std::vector<Shape> inputs, Shape output, std::size_t weights = 0) {
    Op op{"op", std::move(kind), {}, {}};
    for (Shape& shape : inputs) {
      const bool constant = op.inputs.size() + weights >= inputs.size();
      op.inputs.push_back(workload.tensors.size());
      workload.tensors.push_back({"in", std::move(shape), DType::fp32, constant});
    }
    op.outputs = {workload.tensors.size()};
    workload.tensors.push_back({"out", std::move(output)});
    workload.ops = {std::move(op)};
  }

  const Op& op() const { return workload.ops[0]; }

  Workload workload;
};

}  // namespace rooftile
