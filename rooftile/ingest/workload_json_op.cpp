#include "rooftile/ingest/workload_json_op.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/ingest/workload_json_attributes.hpp"
#include "rooftile/ops/infer.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxNumber = static_cast<std::int64_t>(kMaxElements);  // of an attribute

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

  void operator()(Attention& attention) {
    attributes(attention);
    if (!fitted(kAttributes<Attention>)) or_reject(fit(attention, inputs), fields.path());
  }

  void operator()(Recurrent& recurrent) {
    attributes(recurrent);
    fields.require("hidden");
    if (fitted(kAttributes<Recurrent>)) return;
    if (inputs.empty()) reject(fields.path(), "a recurrent layer needs an input");
    or_reject(fit(recurrent, inputs.front()), fields.path());
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

}  // namespace

OpKind read_kind(Fields& fields) {
  const std::string name = fields.text("op");
  std::vector<std::string> names;
  for (const OpKind& kind : default_kinds(std::make_index_sequence<std::variant_size_v<OpKind>>())) {
    if (name_of(kind) == name) return kind;
    names.emplace_back(name_of(kind));
  }
  reject_choice(fields.path("op"), name, names);
}

void read_attributes(Fields& fields, const std::vector<Shape>& inputs, OpKind& kind, std::optional<Shape>& shape) {
  std::visit(ReadKind{fields, inputs, shape}, kind);
}

}  // namespace rooftile
