#include "rooftile/ingest/workload_json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/error/nearest.hpp"
#include "rooftile/ingest/json_fields.hpp"
#include "rooftile/ingest/strict_json.hpp"
#include "rooftile/ingest/workload_json_attributes.hpp"
#include "rooftile/ops/builder.hpp"
#include "rooftile/ops/infer.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

constexpr Range kDimensions = {1, kMaxDimension};
constexpr Range kWantedDimensions = {-1, kMaxDimension};                      // as resolve_shape() takes them
constexpr std::int64_t kMaxNumber = static_cast<std::int64_t>(kMaxElements);  // of an attribute

template <class T>
T or_reject(Result<T> result, const std::string& path) {
  if (!result) reject(path, result.error().message, result.error().code);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// A text that has no default, such as the function of an elementwise op, must be given.
template <class T>
void read_attribute(Fields& fields, T& target, const Attribute<T>& attribute) {
  const auto read = [&](auto member) {
    auto& value = target.*member;
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, bool>) {
      value = fields.flag(attribute.name, value);
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
      value = fields.integer(attribute.name, {attribute.least, kMaxNumber}).value_or(value);
    } else {
      if (fields.find(attribute.name) != nullptr || value.empty()) value = fields.text(attribute.name);
      std::vector<std::string> choices;
      for (const char* choice : attribute.choices) {
        if (choice != nullptr) choices.emplace_back(choice);
      }
      const bool known = choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end();
      if (!known) reject_choice(fields.path(attribute.name), value, choices);
    }
  };
  std::visit(read, attribute.member);
}

// The values of one attribute for `rank` axes.
std::vector<std::int64_t> read_axis_numbers(Fields& fields, const Attribute<ConvAxis>& attribute, std::size_t rank) {
  const json* value = fields.find(attribute.name);
  if (value == nullptr) return {};
  const std::string path = fields.path(attribute.name);
  const Range range = {attribute.least, kMaxDimension};
  if (!value->is_array()) return std::vector<std::int64_t>(rank, as_integer(*value, path, range));
  std::vector<std::int64_t> numbers = as_integers(*value, path, range);
  if (numbers.size() != rank) reject(path, fmt::format("{} numbers for {} spatial axes", numbers.size(), rank));
  return numbers;
}

void read_axes(Fields& fields, std::array<ConvAxis, 3>& axes, std::size_t rank) {
  for (const Attribute<ConvAxis>& attribute : kAxisAttributes) {
    const auto member = std::get<std::int64_t ConvAxis::*>(attribute.member);
    const std::vector<std::int64_t> numbers = read_axis_numbers(fields, attribute, rank);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ConvAxis& axis = axes[axes.size() - rank + i];
      axis.*member = numbers[i];
      if (member == &ConvAxis::pad_begin) axis.pad_end = numbers[i];  // "pad_end" comes later and wins
    }
  }
}

// What each kind of op reads from its JSON object beyond its table of attributes.
struct ReadKind {
  Fields& fields;
  const std::vector<Shape>& inputs;
  std::optional<Shape>& shape;  // of the result, where the op's own geometry gives it

  template <class Kind>
  void attributes(Kind& kind) {
    for (const auto& attribute : kAttributes<Kind>) read_attribute(fields, kind, attribute);
  }
  template <class Kind>
  void operator()(Kind& kind) {
    attributes(kind);
  }

  // Is any attribute given that would otherwise follow from the inputs?
  template <class Table>
  bool fitted(const Table& table) {
    bool given = false;
    for (const auto& attribute : table) given |= attribute.fitted && fields.find(attribute.name) != nullptr;
    return given;
  }

  std::size_t rank() const { return inputs.empty() ? 3 : std::clamp<std::size_t>(inputs.front().size(), 3, 5) - 2; }

  void operator()(Conv& conv) {
    attributes(conv);
    fields.require("filter");
    fields.require("out_channels");
    read_axes(fields, conv.axes, rank());
    if (fitted(kAttributes<Conv>) || fitted(kAxisAttributes)) return;
    if (inputs.empty()) reject(fields.path(), "a convolution needs an input");
    or_reject(fit(conv, inputs.front()), fields.path());
  }

  void operator()(Gemm& gemm) {
    attributes(gemm);
    const bool has_n = fields.find("n") != nullptr;
    if (fitted(kAttributes<Gemm>)) return;
    if (inputs.size() < 2 && !has_n) reject(fields.path(), "'n', the number of outputs, is missing");
    const std::int64_t n = gemm.n;
    or_reject(fit(gemm, inputs), fields.path());
    if (has_n && gemm.n != n) reject(fields.path("n"), fmt::format("{} does not fit the inputs, {} does", n, gemm.n));
  }

  void operator()(Pool& pool) {
    attributes(pool);
    std::array<ConvAxis, 3> axes{};
    read_axes(fields, axes, rank());
    const bool ceil_mode = fields.flag("ceil_mode", false);
    const bool global = fields.flag("global", false);
    const bool sliding = fields.find("filter") != nullptr;
    if (!global && !sliding) return;
    if (global && sliding) reject(fields.path("global"), "a global pool has no 'filter'");
    if (inputs.empty()) reject(fields.path(), "a pool needs an input");
    or_reject(spatial_rank(inputs.front()), fields.path());
    double window = 1;
    for (std::size_t i = 0; i < rank(); ++i) {
      ConvAxis& axis = axes[axes.size() - rank() + i];
      if (global) axis = {.filter = inputs.front()[2 + i]};
      if (fields.find("stride") == nullptr) axis.stride = axis.filter;
      window *= static_cast<double>(axis.filter);
    }
    shape = or_reject(pool_shape(inputs.front(), axes, ceil_mode), fields.path());
    if (window > kMaxElements) reject(fields.path("filter"), "the pooling window is too large");
    pool.window = static_cast<std::int64_t>(window);
  }

  void operator()(Move& move) {
    attributes(move);
    const auto axis = fields.integer("axis", {-16, 16});
    if (!axis) return;
    if (move.function != "concat") reject(fields.path("axis"), "only a concat has an axis; give the 'shape'");
    shape = or_reject(concat_shape(inputs, *axis), fields.path());
  }
};

template <std::size_t... I>
std::vector<OpKind> default_kinds(std::index_sequence<I...>) {
  return {OpKind(std::in_place_index<I>)...};
}

OpKind kind_named(const std::string& name, const std::string& path) {
  std::vector<std::string> names;
  for (const OpKind& kind : default_kinds(std::make_index_sequence<std::variant_size_v<OpKind>>())) {
    if (name_of(kind) == name) return kind;
    names.emplace_back(name_of(kind));
  }
  reject_choice(path, name, names);
}

class Reader {
 public:
  explicit Reader(std::optional<std::int64_t> batch_size) : batch_size_(batch_size), builder_("") {}

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
    fields.finish();

    Workload workload = or_reject(builder_.finish(std::move(outputs)), "");
    workload.skipped = std::move(skipped);
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
    for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) names.emplace_back(name_of(static_cast<DType>(i)));
    return names;
  }

  void read_tensor(const json& item, const std::string& path) {
    const TensorSpec spec = read_spec(item, path, kDimensions, true);
    or_reject(item.is_string() ? builder_.announce(spec.name) : builder_.tensor(spec), path);
  }

  void read_input(const json& item, const std::string& path) {
    TensorSpec spec = read_spec(item, path, kDimensions, false);
    if (batch_size_ && spec.shape && !spec.shape->empty()) spec.shape->front() = *batch_size_;
    last_ = or_reject(builder_.input(spec), path);
  }

  void read_op(const json& item, const std::string& path) {
    Fields fields(item, path);
    OpSpec spec;
    spec.name = fields.text("name");
    spec.kind = kind_named(fields.text("op"), fields.path("op"));
    if (fields.find("inputs") != nullptr) {
      each(fields, "inputs", [&](const json& input, const std::string& at) {
        spec.inputs.push_back(or_reject(builder_.find(as_text(input, at)), at));
      });
    } else if (last_) {
      spec.inputs.push_back(*last_);
    }
    const std::vector<Shape> inputs = builder_.shapes(spec.inputs);
    std::visit(ReadKind{fields, inputs, spec.shape}, spec.kind);
    if (const json* shape = fields.find("shape")) {
      if (spec.shape) reject(fields.path("shape"), "the other attributes give the shape already");
      spec.shape = as_integers(*shape, fields.path("shape"), kWantedDimensions);
    }
    each(fields, "outputs", [&](const json& output, const std::string& at) {
      spec.outputs.push_back(read_spec(output, at, kWantedDimensions, false));
    });
    spec.weights = fields.flag("weights", true);
    fields.finish();
    last_ = or_reject(builder_.add(spec), path).front();
  }

  std::optional<std::int64_t> batch_size_;
  WorkloadBuilder builder_;
  std::optional<TensorId> last_;  // what an op without "inputs" reads
};

// Names from a file may hold anything, a message is one line.
std::string one_line(std::string text) {
  constexpr std::size_t kMost = 500;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

}  // namespace

Result<Workload> parse_workload_json(std::string_view text, std::string_view where,
                                     std::optional<std::int64_t> batch_size) {
  if (batch_size && (*batch_size < 1 || *batch_size > kMaxDimension)) {
    return fail(ErrorCode::usage, fmt::format("batch size {} is not between 1 and {}", *batch_size, kMaxDimension));
  }
  const auto in_file = [&](const Error& error) {
    const std::string at = error.where.empty() ? std::string(where) : fmt::format("{}: {}", where, error.where);
    return fail(error.code, one_line(error.message), one_line(at));
  };
  const auto document = parse_strict_json(text, where);
  if (!document) return tl::unexpected(document.error());
  try {
    Workload workload = Reader(batch_size).read(*document);
    if (auto valid = validate(workload); !valid) return in_file(valid.error());
    return workload;
  } catch (const Error& error) {
    return in_file(error);
  }
}

}  // namespace rooftile
