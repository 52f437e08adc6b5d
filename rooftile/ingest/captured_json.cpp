#include "rooftile/ingest/captured_json.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/json_fields.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/ingest/workload_json_op.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

constexpr Range kSizes = {1, kMaxDimension};
constexpr Range kBytes = {0, std::int64_t{1} << 60};

class StepReader {
 public:
  explicit StepReader(Workload& workload) : workload_(workload), step_(workload.captured.emplace()) {}

  void read(Fields& fields) {
    step_.framework = framework_meant(fields.text("framework"));
    step_.precision = read_precision(fields);
    step_.nhwc = fields.flag("nhwc", false);
    fields.require("calls");
    const json& calls = fields.list("calls");
    for (std::size_t i = 0; i < calls.size(); ++i) read_call(calls[i], fmt::format("calls[{}]", i));
    fields.require("launches");
    const json& launches = fields.list("launches");
    for (std::size_t i = 0; i < launches.size(); ++i) read_launch(launches[i], fmt::format("launches[{}]", i));
    Fields memory(fields.require("memory_bytes"), "memory_bytes");
    step_.memory = {.weights = read_bytes(memory, "weights"),
                    .gradients = read_bytes(memory, "gradients"),
                    .optimizer = read_bytes(memory, "optimizer"),
                    .activations = read_bytes(memory, "activations")};
    memory.finish();
  }

 private:
  static RunPrecision read_precision(Fields& fields) {
    const std::string text = fields.text("precision");
    if (const auto precision = parse_run_precision(text)) return *precision;
    reject_choice(fields.path("precision"), text, {"fp32", "fp16", "bf16", "amp-fp16", "amp-bf16"});
  }

  static Bytes read_bytes(Fields& fields, const char* key) {
    fields.require(key);
    return Bytes(static_cast<double>(fields.integer(key, kBytes).value_or(0)));
  }

  void read_call(const json& item, const std::string& path) {
    Fields fields(item, path);
    CapturedCall call{
        .source = fields.text("source"), .pass = read_pass(fields), .general = fields.flag("general", false)};
    Op op{.name = fmt::format("call {}", step_.calls.size()), .kind = read_kind(fields), .inputs = {}, .outputs = {}};
    op.inputs = read_tensors(fields, "inputs", op.name);
    op.outputs = read_tensors(fields, "outputs", op.name);
    if (op.outputs.empty()) reject(fields.path("outputs"), "an operator has a result");
    std::vector<Shape> shapes;
    for (const TensorId id : op.inputs) shapes.push_back(workload_.tensors[id].shape);
    std::optional<Shape> ignored;
    read_attributes(fields, shapes, op.kind, ignored);
    fields.finish();
    workload_.ops.push_back(std::move(op));
    step_.calls.push_back(std::move(call));
  }

  static Pass read_pass(Fields& fields) {
    if (fields.find("pass") == nullptr) return Pass::fwd;
    const std::string text = fields.text("pass");
    std::vector<std::string> names;
    for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
      if (name_of(pass) == text) return pass;
      names.emplace_back(name_of(pass));
    }
    reject_choice(fields.path("pass"), text, names);
  }

  std::vector<TensorId> read_tensors(Fields& fields, const char* key, const std::string& op) {
    std::vector<TensorId> ids;
    const json& list = fields.list(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
      Fields tensor(list[i], fmt::format("{}[{}]", fields.path(key), i));
      Tensor read{.name = fmt::format("{} {}[{}]", op, key, i), .shape = {}};
      read.shape = as_integers(tensor.require("shape"), tensor.path("shape"), kSizes);
      const std::string text = tensor.text("dtype");
      const auto dtype = parse_dtype(text);
      if (!dtype) reject(tensor.path("dtype"), fmt::format("'{}' is no type of elements", text));
      read.dtype = *dtype;
      read.constant = tensor.flag("constant", false);
      if (read.constant && std::string_view(key) == "outputs") reject(tensor.path("constant"), "a result is no weight");
      tensor.finish();
      ids.push_back(workload_.tensors.size());
      if (std::string_view(key) == "inputs" && !read.constant) workload_.inputs.push_back(ids.back());
      workload_.tensors.push_back(std::move(read));
    }
    return ids;
  }

  // [call, name, part]: there are tens of thousands.
  void read_launch(const json& item, const std::string& path) {
    if (!item.is_array() || item.size() != 3) reject(path, "a launch is [call, name, part]");
    const auto last = static_cast<std::int64_t>(step_.calls.size()) - 1;
    CapturedLaunch launch;
    launch.op = static_cast<std::size_t>(as_integer(item[0], path + "[0]", {0, last}));
    launch.name = as_text(item[1], path + "[1]");
    const std::string part = as_text(item[2], path + "[2]");
    std::vector<std::string> names;
    for (const StepPart known : {StepPart::forward, StepPart::backward, StepPart::update}) {
      names.emplace_back(name_of(known));
      if (part == names.back()) {
        launch.part = known;
        step_.launches.push_back(std::move(launch));
        return;
      }
    }
    reject_choice(path + "[2]", part, names);
  }

  Workload& workload_;
  CapturedStep& step_;
};

}  // namespace

bool is_captured_step(const json& document) {
  if (!document.is_object()) return false;
  const auto schema = document.find("schema");
  return schema != document.end() && schema->is_string() && schema->get_ref<const std::string&>() == kStepSchema;
}

Workload read_captured_step(const json& document, std::optional<std::int64_t> batch_size) {
  Fields fields(document, "");
  fields.require("schema");
  Workload workload;
  workload.name = fields.text("name");
  workload.batch_size = fields.integer("batch_size", kSizes).value_or(1);
  if (batch_size && *batch_size != workload.batch_size) {
    reject("batch_size", fmt::format("captured at {}; capture it again at {}", workload.batch_size, *batch_size),
           ErrorCode::usage);
  }
  const json& notes = fields.list("notes");
  for (std::size_t i = 0; i < notes.size(); ++i) {
    workload.notes.push_back(as_text(notes[i], fmt::format("notes[{}]", i)));
  }
  StepReader(workload).read(fields);
  fields.finish();
  for (const Op& op : workload.ops)
    workload.outputs.insert(workload.outputs.end(), op.outputs.begin(), op.outputs.end());
  return workload;
}

}  // namespace rooftile
