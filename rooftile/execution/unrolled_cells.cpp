#include "rooftile/execution/unrolled_cells.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

class Unrolling {
 public:
  explicit Unrolling(Workload workload) : workload_(std::move(workload)), ops_(std::move(workload_.ops)) {
    workload_.ops.clear();
  }

  Workload run() {
    for (Op& op : ops_) {
      if (const auto* layer = std::get_if<Recurrent>(&op.kind)) {
        unroll(op, *layer);
      } else {
        workload_.ops.push_back(std::move(op));
      }
    }
    return std::move(workload_);
  }

 private:
  TensorId tensor(std::string name, Shape shape, bool constant = false) {
    const DType dtype = workload_.tensors[dtype_of_].dtype;
    workload_.tensors.push_back({std::move(name), std::move(shape), dtype, constant});
    return workload_.tensors.size() - 1;
  }
  TensorId add(const std::string& name, OpKind kind, std::vector<TensorId> inputs, Shape shape) {
    const TensorId result = tensor(name, std::move(shape));
    workload_.ops.push_back({name, std::move(kind), std::move(inputs), {result}});
    return result;
  }
  // Parts of equal size, in one kernel.
  std::vector<TensorId> split(const std::string& name, TensorId whole, std::int64_t parts, const Shape& shape) {
    std::vector<TensorId> results;
    for (std::int64_t i = 0; i < parts; ++i) results.push_back(tensor(fmt::format("{}/{}", name, i), shape));
    workload_.ops.push_back({name, Move{.function = "split"}, {whole}, results});
    return results;
  }
  TensorId elementwise(const std::string& name, const char* function, std::vector<TensorId> inputs) {
    return add(name + "/" + function, Elementwise{function}, std::move(inputs), state_);
  }

  void unroll(const Op& op, const Recurrent& layer) {
    dtype_of_ = op.inputs.front();
    state_ = {layer.batch, layer.hidden};
    for (const TensorId input : op.inputs) workload_.tensors[input].constant = false;  // weights: those of cells, below
    TensorId x = op.inputs.front();
    std::int64_t width = layer.input;
    for (std::int64_t depth = 0; depth < layer.layers; ++depth) {
      std::vector<TensorId> directions;
      for (std::int64_t i = 0; i < layer.directions; ++i) {
        directions.push_back(run_steps(fmt::format("{}/{}.{}", op.name, depth, i), layer, x, width));
      }
      width = layer.directions * layer.hidden;
      const bool both = directions.size() > 1;
      x = both ? add(fmt::format("{}/{}/concat", op.name, depth), Move{.function = "concat"}, directions,
                     {layer.batch, layer.steps, width})
               : directions.front();
    }
    workload_.ops.back().outputs = op.outputs;  // of the last layer: what the network goes on with
  }

  TensorId run_steps(const std::string& name, const Recurrent& layer, TensorId x, std::int64_t width) {
    const std::int64_t gates = gates_of(layer) * layer.hidden;
    const TensorId input_weights = tensor(name + "/weights", {gates, width}, true);
    const TensorId state_weights = tensor(name + "/recurrent_weights", {gates, layer.hidden}, true);
    const std::vector<TensorId> inputs = split(name + "/steps", x, layer.steps, {layer.batch, width});
    std::vector<TensorId> states;
    std::optional<TensorId> cell;
    const Gemm product{.m = layer.batch, .n = gates, .k = width, .trans_b = true, .bias = true};
    Gemm of_state = product;
    of_state.k = layer.hidden;
    for (std::size_t step = 0; step < inputs.size(); ++step) {
      const std::string at = fmt::format("{}/{}", name, step);
      const Shape shape = {layer.batch, gates};
      TensorId sums = add(at + "/input", product, {inputs[step], input_weights}, shape);
      if (!states.empty()) {
        const TensorId other = add(at + "/state", of_state, {states.back(), state_weights}, shape);
        sums = add(at + "/add", Elementwise{"add"}, {sums, other}, shape);
      }
      const TensorId* state = states.empty() ? nullptr : &states.back();
      states.push_back(step_of(at, layer, sums, state, cell));
    }
    return add(name + "/concat", Move{.function = "concat"}, states, {layer.batch, layer.steps, layer.hidden});
  }

  // The next state of the sums of its gates.
  TensorId step_of(const std::string& at, const Recurrent& layer, TensorId sums, const TensorId* state,
                   std::optional<TensorId>& cell) {
    if (layer.cell == "vanilla") return elementwise(at, "tanh", {sums});
    const std::vector<TensorId> gates = split(at + "/gates", sums, gates_of(layer), state_);
    const TensorId one = elementwise(at + "/0", "sigmoid", {gates[0]}),
                   two = elementwise(at + "/1", "sigmoid", {gates[1]});
    if (layer.cell == "gru") {
      const TensorId fresh = elementwise(at + "/2", "tanh", {elementwise(at + "/reset", "mul", {one, gates[2]})});
      const TensorId taken = elementwise(at + "/new", "mul", {two, fresh});
      if (state == nullptr) return taken;
      return elementwise(at, "add", {taken, elementwise(at + "/kept", "mul", {two, *state})});
    }
    const TensorId out = elementwise(at + "/2", "sigmoid", {gates[2]}),
                   fresh = elementwise(at + "/3", "tanh", {gates[3]});
    TensorId next = elementwise(at + "/new", "mul", {one, fresh});
    if (cell) next = elementwise(at + "/cell", "add", {next, elementwise(at + "/kept", "mul", {two, *cell})});
    cell = next;
    return elementwise(at, "mul", {out, elementwise(at + "/out", "tanh", {next})});
  }

  Workload workload_;
  std::vector<Op> ops_;
  TensorId dtype_of_ = 0;  // whose type new tensors have
  Shape state_;
};

}  // namespace

Workload unroll_cells(Workload workload) { return Unrolling(std::move(workload)).run(); }

}  // namespace rooftile
