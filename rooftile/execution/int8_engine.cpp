#include "rooftile/execution/int8_engine.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rooftile {
namespace {

constexpr DType kStream = DType::fp16;

bool is_sum(const Op& op) {
  const auto* elementwise = std::get_if<Elementwise>(&op.kind);
  return elementwise != nullptr && elementwise->function == "add";
}

class Int8Engine {
 public:
  Int8Engine(Workload workload, bool wide_sums)
      : workload_(std::move(workload)), wide_sums_(wide_sums), readers_(workload_.tensors.size()) {
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      for (const TensorId id : workload_.ops[i].inputs) readers_[id].push_back(i);
    }
  }

  Workload run() {
    std::vector<Op> ops;
    ops.reserve(workload_.ops.size());
    for (Op& op : workload_.ops) {
      const TensorId result = op.outputs.front();
      ops.push_back(op);
      if (is_sum(op) && readers_[result].size() > 1) workload_.tensors[result].dtype = kStream;
      if (std::holds_alternative<Attention>(op.kind)) {
        const TensorId rows = copy_of(result, ".rows");
        ops.back().outputs.front() = rows;
        ops.push_back({op.name + ".order", Move{.function = "order"}, {rows}, {result}});
      }
      if (!wide_sums_) continue;
      if (std::holds_alternative<Gemm>(op.kind)) workload_.tensors[result].dtype = DType::int32;
      if (std::holds_alternative<Normalize>(op.kind) && is_stream(result)) ops.push_back(quantised(op));
    }
    workload_.ops = std::move(ops);
    return std::move(workload_);
  }

 private:
  TensorId copy_of(TensorId id, const std::string& suffix) {
    Tensor copy = workload_.tensors[id];
    copy.name += suffix;
    workload_.tensors.push_back(std::move(copy));
    return workload_.tensors.size() - 1;
  }

  bool is_stream(TensorId id) const {
    return std::any_of(readers_[id].begin(), readers_[id].end(),
                       [&](std::size_t i) { return is_sum(workload_.ops[i]); });
  }

  // The kernel whose result all products that come later read in place of a norm's.
  Op quantised(const Op& norm) {
    const TensorId result = norm.outputs.front(), narrow = copy_of(result, ".quantised");
    workload_.tensors[result].dtype = kStream;
    for (const std::size_t reader : readers_[result]) {
      Op& op = workload_.ops[reader];
      if (std::holds_alternative<Gemm>(op.kind)) std::replace(op.inputs.begin(), op.inputs.end(), result, narrow);
    }
    return {norm.name + ".quantised", Move{.function = "quantise"}, {result}, {narrow}};
  }

  Workload workload_;
  bool wide_sums_;
  std::vector<std::vector<std::size_t>> readers_;
};

}  // namespace

Workload as_int8_engine(Workload workload, bool wide_sums) { return Int8Engine(std::move(workload), wide_sums).run(); }

}  // namespace rooftile
