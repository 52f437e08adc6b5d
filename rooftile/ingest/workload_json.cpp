#include "rooftile/ingest/workload_json.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/json_fields.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/strict_json.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/captured_json.hpp"
#include "rooftile/ingest/workload_json_attributes.hpp"
#include "rooftile/ingest/workload_json_op.hpp"
#include "rooftile/ops/builder.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

constexpr Range kDimensions = {1, kMaxDimension};
constexpr std::size_t kLongest = 500;                     // of an error, in bytes: it may quote several names
constexpr Range kWantedDimensions = {-1, kMaxDimension};  // as resolve_shape() takes them

class WorkloadReader {
 public:
  explicit WorkloadReader(std::optional<std::int64_t> batch_size) : batch_size_(batch_size), builder_("") {}

  Workload read(const json& document) {
    Fields fields(document, "");
    if (const std::string schema = fields.text("schema"); schema != kWorkloadSchema) {
      reject("schema", fmt::format("'{}' is not '{}'", schema, kWorkloadSchema));
    }
    builder_ = WorkloadBuilder(fields.text("name"));
    const auto batch_size = fields.integer("batch_size", kDimensions);
    each(fields, "tensors", [&](const json& item, const std::string& path) { read_tensor(item, path); });
    fields.require("inputs");
    each(fields, "inputs", [&](const json& item, const std::string& path) { read_input(item, path); });
    fields.require("ops");
    each(fields, "ops", [&](const json& item, const std::string& path) { read_op(item, path); });
    std::optional<std::vector<TensorId>> outputs;
    if (fields.find("outputs") != nullptr) outputs.emplace();
    each(fields, "outputs", [&](const json& item, const std::string& path) {
      outputs->push_back(or_reject(builder_.find(as_text(item, path)), path));
    });
    std::vector<Skipped> skipped;
    each(fields, "skipped", [&](const json& item, const std::string& path) {
      Fields entry(item, path);
      skipped.push_back({entry.text("name"), entry.text("op_type")});
      entry.finish();
    });
    std::vector<std::string> notes;
    each(fields, "notes", [&](const json& item, const std::string& path) { notes.push_back(as_text(item, path)); });
    fields.finish();

    Workload workload = or_reject(builder_.finish(std::move(outputs)), "");
    workload.skipped = std::move(skipped);
    workload.notes = std::move(notes);
    if (batch_size) workload.batch_size = *batch_size;
    if (batch_size_) workload.batch_size = *batch_size_;
    return workload;
  }

 private:
  template <class Read>
  static void each(Fields& fields, const std::string& key, const Read& read) {
    const json& list = fields.list(key);
    for (std::size_t i = 0; i < list.size(); ++i) read(list[i], fmt::format("{}[{}]", fields.path(key), i));
  }

  // A name, or an object with more than a name.
  static TensorSpec read_spec(const json& item, const std::string& path, Range dimensions, bool constant) {
    if (item.is_string()) return {.name = as_text(item, path), .constant = constant};
    Fields fields(item, path);
    TensorSpec spec{.name = fields.text("name")};
    if (const json* shape = fields.find("shape")) spec.shape = as_integers(*shape, fields.path("shape"), dimensions);
    if (fields.find("dtype") != nullptr) {
      spec.dtype = parse_dtype(fields.text("dtype"));
      if (!spec.dtype) reject_choice(fields.path("dtype"), fields.text("dtype"), dtype_names());
    }
    spec.constant = fields.flag("constant", constant);
    fields.finish();
    return spec;
  }

  static std::vector<std::string> dtype_names() {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(kLastDType); ++i) names.emplace_back(name_of(static_cast<DType>(i)));
    return names;
  }

  void read_tensor(const json& item, const std::string& path) {
    const TensorSpec spec = read_spec(item, path, kDimensions, true);
    or_reject(item.is_string() ? builder_.announce(spec.name) : builder_.tensor(spec), path);
  }

  void read_input(const json& item, const std::string& path) {
    TensorSpec spec = read_spec(item, path, kDimensions, false);
    bool changed = false;
    if (batch_size_ && spec.shape && !spec.shape->empty()) {
      changed = spec.shape->front() != *batch_size_;
      spec.shape->front() = *batch_size_;
    }
    last_ = or_reject(builder_.input(spec), path);
    if (changed) follow_.insert(*last_);
  }

  void read_op(const json& item, const std::string& path) {
    Fields fields(item, path);
    OpSpec spec;
    spec.name = fields.text("name");
    spec.kind = read_kind(fields);
    if (fields.find("inputs") != nullptr) {
      each(fields, "inputs", [&](const json& input, const std::string& at) {
        spec.inputs.push_back(or_reject(builder_.find(as_text(input, at)), at));
      });
    } else if (last_) {
      spec.inputs.push_back(*last_);
    }
    read_attributes(fields, builder_.shapes(spec.inputs), spec.kind, spec.shape);
    std::optional<Shape> written;
    if (const json* shape = fields.find("shape")) {
      if (spec.shape) reject(fields.path("shape"), "the other attributes give the shape already");
      written = spec.shape = as_integers(*shape, fields.path("shape"), kWantedDimensions);
    }
    each(fields, "outputs", [&](const json& output, const std::string& at) {
      spec.outputs.push_back(read_spec(output, at, kWantedDimensions, false));
      if (spec.outputs.front().shape) written = spec.outputs.front().shape;
    });
    spec.weights = fields.flag("weights", true);
    fields.finish();
    const std::vector<TensorId> results = or_reject(builder_.add(spec), path);
    last_ = results.front();
    if (batch_size_) {
      check_rearranged(spec, path);
      check_concatenated(spec, path);
    }
    if (!follow_.empty() && follows(spec, written, path)) follow_.insert(results.begin(), results.end());
  }

  // A result of what follows the batch size follows it, too; one whose shape the file writes out cannot.
  bool follows(const OpSpec& spec, const std::optional<Shape>& written, const std::string& path) const {
    const auto of_batch = [&](TensorId id) { return follow_.contains(id); };
    if (std::none_of(spec.inputs.begin(), spec.inputs.end(), of_batch)) return false;
    if (!written) return true;
    const bool copies = std::any_of(written->begin(), written->end(), [](auto dimension) { return dimension < 1; });
    if (copies && of_batch(spec.inputs.front())) return true;
    const Shape& result = builder_.shape(*last_);
    if (elements(result) == 1) return false;
    reject(path, fmt::format("cannot be read at a batch size of {}: its shape {} is of another", *batch_size_,
                             print(result)));
  }

  // What only rearranges its input has as many elements as it, which a shape that another batch size wrote does not.
  void check_rearranged(const OpSpec& spec, const std::string& path) const {
    const auto* move = std::get_if<Move>(&spec.kind);
    if (!std::holds_alternative<View>(spec.kind) && (move == nullptr || move->function != "transpose")) return;
    if (spec.inputs.empty()) return;
    const Shape& input = builder_.shape(spec.inputs.front());
    const Shape& output = builder_.shape(*last_);
    if (elements(input) == elements(output)) return;
    reject(path, fmt::format("cannot be read at a batch size of {}: its shape {} is of another (its input is {})",
                             *batch_size_, print(output), print(input)));
  }

  // What is concatenated differs in one dimension.
  void check_concatenated(const OpSpec& spec, const std::string& path) const {
    const auto* move = std::get_if<Move>(&spec.kind);
    if (move == nullptr || move->function != "concat") return;
    for (const TensorId id : spec.inputs) {
      const Shape &first = builder_.shape(spec.inputs.front()), &other = builder_.shape(id);
      if (first.size() != other.size()) continue;
      int differences = 0;
      for (std::size_t i = 0; i < first.size(); ++i) differences += first[i] != other[i] ? 1 : 0;
      if (differences < 2) continue;
      reject(path, fmt::format("cannot be read at a batch size of {}: it concatenates {} and {}", *batch_size_,
                               print(first), print(other)));
    }
  }

  std::optional<std::int64_t> batch_size_;
  WorkloadBuilder builder_;
  std::optional<TensorId> last_;         // what an op without "inputs" reads
  std::unordered_set<TensorId> follow_;  // tensors whose shapes come of a batch size that is not the file's
};

}  // namespace

Result<Workload> parse_workload_json(std::string_view text, std::string_view where,
                                     std::optional<std::int64_t> batch_size) {
  if (batch_size && (*batch_size < 1 || *batch_size > kMaxDimension)) {
    return fail(ErrorCode::usage, fmt::format("batch size {} is not between 1 and {}", *batch_size, kMaxDimension));
  }
  const auto in_file = [&](const Error& error) {
    const std::string at = error.where.empty() ? std::string(where) : fmt::format("{}: {}", where, error.where);
    return fail(error.code, one_line(error.message, kLongest), one_line(at, kLongest));
  };
  const auto document = TRY(parse_strict_json(text, where));
  try {
    Workload workload = is_captured_step(document) ? read_captured_step(document, batch_size)
                                                   : WorkloadReader(batch_size).read(document);
    if (auto valid = validate(workload); !valid) return in_file(valid.error());
    return workload;
  } catch (const Error& error) {
    return in_file(error);
  }
}

}  // namespace rooftile
