// The way from an ONNX file to a workload: strip, read, resolve shapes, recognise patterns, look up each operator.
#include "rooftile/ingest/onnx.hpp"

#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_file.hpp"
#include "rooftile/ingest/onnx_graph.hpp"
#include "rooftile/ingest/onnx_ops.hpp"
#include "rooftile/ingest/onnx_patterns.hpp"
#include "rooftile/ingest/onnx_proto.hpp"
#include "rooftile/ingest/onnx_quantised.hpp"
#include "rooftile/ingest/onnx_resolve.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kWhole = std::string_view::npos;

Skipped skipped(const OnnxNode& node) { return {one_line(node.name, kWhole), one_line(node.type, kWhole)}; }

// Gives out each name once: the second "Relu" is "Relu_2".
class UniqueNames {
 public:
  std::string take(std::string_view wanted) {
    const std::string plain = one_line(wanted, kWhole);
    std::string name = plain;
    for (std::size_t& count = next_[name]; !taken_.insert(name).second;) {
      name = fmt::format("{}_{}", plain, ++count + 1);
    }
    return name;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_;
};

class Builder {
 public:
  explicit Builder(const OnnxGraph& graph) : graph_(graph), ids_(graph.values.size(), kAbsent) {}

  Result<Workload> build(std::string_view name) {
    workload_.name = name;
    for (const OnnxInput& input : graph_.inputs) workload_.inputs.push_back(tensor(input.value));
    const Shape& first = workload_.tensors[workload_.inputs.front()].shape;
    workload_.batch_size = first.empty() || graph_.one_image ? 1 : first.front();
    for (const OnnxNode& node : graph_.nodes) {
      if (!onnx_op_known(node.type)) {
        workload_.skipped.push_back(skipped(node));
        left_out_.insert(node.outputs.begin(), node.outputs.end());
        continue;
      }
      const auto op = make_op(graph_, node);
      if (!op) {
        Error error = op.error();
        error.message = node.label() + ": " + error.message;
        return tl::unexpected(std::move(error));
      }
      Op& added = workload_.ops.emplace_back();
      added.name = op_names_.take(node.name);
      added.kind = op->kind;
      for (const ValueId id : op->inputs) added.inputs.push_back(source(id));
      for (const ValueId id : node.outputs) {
        if (id != kAbsent) added.outputs.push_back(tensor(id));
      }
    }
    for (const ValueId id : graph_.outputs) workload_.outputs.push_back(source(id));
    for (const auto& [assumed, nodes] : graph_.assumed) {
      const std::string count = nodes > 1 ? fmt::format(" ({} nodes)", nodes) : "";
      workload_.notes.push_back(one_line(assumed, kWhole) + count);
    }
    if (workload_.ops.empty() && workload_.skipped.empty()) {
      return fail(ErrorCode::bad_input, "computes nothing from its inputs");
    }
    return std::move(workload_);
  }

 private:
  TensorId tensor(ValueId id) {
    if (ids_[id] == kAbsent) {
      const OnnxValue& value = graph_.values[id];
      ids_[id] = workload_.tensors.size();
      workload_.tensors.push_back({tensor_names_.take(value.name), value.shape, value.dtype, value.constant});
    }
    return ids_[id];
  }

  // A tensor that is read: what a skipped operator would have computed comes in from outside.
  TensorId source(ValueId id) {
    const bool from_outside = left_out_.erase(id) > 0;
    const TensorId read = tensor(id);
    if (from_outside) workload_.inputs.push_back(read);
    return read;
  }

  const OnnxGraph& graph_;
  Workload workload_;
  std::vector<TensorId> ids_;  // by ValueId; kAbsent: not there yet
  std::unordered_set<ValueId> left_out_;
  UniqueNames op_names_;
  UniqueNames tensor_names_;
};

Result<OnnxGraph> read_graph(std::string_view bytes) {
  if (bytes.empty()) return fail(ErrorCode::bad_input, "the file is empty");
  auto stripped = TRY(strip_weights(bytes, ""));
  return read_onnx_graph(stripped);
}

Result<Workload> import(std::string_view bytes, std::string_view name, const OnnxOptions& options) {
  auto graph = TRY(read_graph(bytes));
  TRY(resolve(graph, options));
  fuse_quantised(graph);
  fuse_patterns(graph, options.fuse_attention);
  drop_unused(graph);
  auto workload = Builder(graph).build(name);
  if (!workload) return workload;
  TRY(validate(*workload));
  return workload;
}

// Within the graphs that nodes hold, too.
void add_unsupported(const std::vector<OnnxNode>& nodes, std::vector<Skipped>& unsupported) {
  for (const OnnxNode& node : nodes) {
    if (is_unsupported(node)) unsupported.push_back(skipped(node));
    for (const auto& [name, value] : node.attributes) {
      if (const auto* body = std::get_if<std::shared_ptr<const OnnxBody>>(&value)) {
        add_unsupported((*body)->nodes, unsupported);
      }
    }
  }
}

// "resnet50" of "models/resnet50.onnx" and "models/resnet50.onnx.gz".
std::string plain_name(const std::string& path) {
  const std::filesystem::path stem = std::filesystem::path(path).stem();
  return (stem.extension() == ".onnx" ? stem.stem() : stem).string();
}

// The error of a file's content, with the file before what it says.
tl::unexpected<Error> in_file(Error error, std::string_view where) {
  if (!error.where.empty()) error.message = error.text();
  error.where = where;
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<Workload> parse_onnx(std::string_view bytes, std::string_view name, std::string_view where,
                            const OnnxOptions& options) {
  auto workload = import(bytes, name, options);
  if (!workload && options.image_size) {  // the size asked for is the reason where the file's own one does
    OnnxOptions own = options;
    own.image_size.reset();
    if (workload.error().code != ErrorCode::usage && import(bytes, name, own)) {
      return fail(ErrorCode::usage,
                  fmt::format("cannot take images of {0}x{0}: {1}", *options.image_size, workload.error().text()),
                  std::string(where));
    }
  }
  if (!workload) return in_file(workload.error(), where);
  return workload;
}

Result<std::vector<Skipped>> parse_unsupported_operators(std::string_view bytes, std::string_view where) {
  const auto graph = read_graph(bytes);
  if (!graph) return in_file(graph.error(), where);
  std::vector<Skipped> unsupported;
  add_unsupported(graph->nodes, unsupported);
  return unsupported;
}

namespace {

// The file itself is gone from memory before the graph is built.
Result<std::string> without_weights(const std::string& path, std::string_view where) {
  const auto file = TRY(FileBytes::open(path));
  auto stripped = strip_weights(file.bytes(), "");
  if (!stripped) return in_file(stripped.error(), where);
  return stripped;
}

}  // namespace

Result<std::vector<Skipped>> read_unsupported_operators(const std::string& path) {
  const std::string where = path == "-" ? "standard input" : path;
  return parse_unsupported_operators(TRY(without_weights(path, where)), where);
}

Result<Workload> read_onnx(const std::string& path, const OnnxOptions& options) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "stdin" : plain_name(path),
                    where = standard_input ? "standard input" : path;
  return parse_onnx(TRY(without_weights(path, where)), name, where, options);
}

}  // namespace rooftile
