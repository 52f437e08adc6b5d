#include "rooftile/ingest/onnx_fold.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "rooftile/ingest/onnx_arithmetic.hpp"

namespace rooftile {
namespace {

constexpr double kMaxFolded = 1024;  // elements; shapes have a handful
constexpr std::array<std::string_view, 5> kShapeOnly = {"Constant", "ConstantOfShape", "Range", "Shape", "Size"};

using Folded = std::optional<OnnxData>;

using Int = std::int64_t;

class Folder {
 public:
  Folder(const OnnxGraph& graph, const OnnxNode& node)
      : graph_(graph), node_(node), out_(graph.values[node.outputs[0]]), count_(elements(out_.shape)) {}

  Folded run() const {
    if (count_ > kMaxFolded) return std::nullopt;
    if (node_.type == "Shape" && node_.input(0) != kAbsent) return shape();
    if (node_.type == "Size" && node_.input(0) != kAbsent) {
      return OnnxData(Ints{static_cast<Int>(elements(graph_.shape(node_.inputs[0])))});
    }
    if (node_.type == "ConstantOfShape") return constant_of_shape();
    for (const ValueId id : node_.inputs) {
      if (id != kAbsent && !graph_.values[id].data) return std::nullopt;
    }
    if (node_.inputs.empty() || node_.inputs[0] == kAbsent) return std::nullopt;
    const OnnxData& first = data(0);
    if (node_.type == "Range") return over_type(first, [&](const auto& start) { return range(start); });
    return over_type(first, [&](const auto& elements_of) { return general(elements_of); });
  }

 private:
  const OnnxData& data(std::size_t input) const { return *graph_.values[node_.inputs[input]].data; }
  const Shape& shape_of(std::size_t input) const { return graph_.shape(node_.inputs[input]); }
  std::size_t count() const { return static_cast<std::size_t>(count_); }

  template <class Function>
  static Folded over_type(const OnnxData& data, const Function& function) {
    return std::visit(function, data);
  }

  // Element of input `i` that output element `at` is computed from, by numpy's broadcasting.
  std::size_t source(std::size_t input, std::size_t at) const {
    const Shape& shape = shape_of(input);
    std::size_t index = 0;
    std::size_t step = 1;
    for (std::size_t k = 0; k < out_.shape.size(); ++k) {
      const auto out_dim = static_cast<std::size_t>(out_.shape[out_.shape.size() - 1 - k]);
      const std::size_t position = at % out_dim;
      at /= out_dim;
      if (k >= shape.size()) continue;
      const auto dim = static_cast<std::size_t>(shape[shape.size() - 1 - k]);
      if (dim > 1) index += std::min(position, dim - 1) * step;
      step *= dim;
    }
    return index;
  }

  // Inputs that broadcasting may index: none is empty unless the output is.
  bool indexable(std::size_t inputs) const {
    if (node_.inputs.size() < inputs) return false;
    for (std::size_t i = 0; i < inputs; ++i) {
      if (node_.inputs[i] == kAbsent || elements(shape_of(i)) < 1 || shape_of(i).size() > out_.shape.size())
        return false;
    }
    return true;
  }

  Folded shape() const {
    const Shape& shape = shape_of(0);
    const auto rank = static_cast<Int>(shape.size());
    const auto clamp = [&](Int at) { return std::clamp(at < 0 ? at + rank : at, Int{0}, rank); };
    const Int start = clamp(node_.get_int("start", 0));
    const Int end = std::max(start, clamp(node_.get_int("end", rank)));
    return OnnxData(Ints(shape.begin() + start, shape.begin() + end));
  }

  Folded constant_of_shape() const {
    const auto found = node_.attributes.find("value");
    if (found == node_.attributes.end()) return OnnxData(Floats(count(), 0.0));
    const auto* value = std::get_if<OnnxValue>(&found->second);
    if (!value || !value->data || elements(value->shape) != 1) return std::nullopt;
    return over_type(*value->data, [&](const auto& one) -> Folded {
      return OnnxData(std::decay_t<decltype(one)>(count(), one.front()));
    });
  }

  template <class T>
  Folded range(const std::vector<T>& start) const {
    if (node_.inputs.size() < 3) return std::nullopt;
    const auto* delta = std::get_if<std::vector<T>>(&data(2));
    if (!delta || delta->size() != 1 || start.size() != 1) return std::nullopt;
    std::vector<T> result;
    T value = start.front();
    for (std::size_t i = 0; i < count(); ++i) {
      result.push_back(value);
      if (i + 1 == count()) break;
      const auto next = find_binary<T>("Add")(value, delta->front());
      if (!next) return std::nullopt;
      value = *next;
    }
    return OnnxData(std::move(result));
  }

  template <class T>
  Folded general(const std::vector<T>& first) const {
    if (const auto function = find_unary<T>(node_.type)) return unary(first, function);
    if (const auto function = find_binary<T>(node_.type)) return binary(first, function);
    if (const auto holds = find_comparison<T>(node_.type)) return compare(first, holds);
    const std::string_view type = node_.type;
    if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze" || type == "Flatten") {
      return first.size() == count() ? Folded(first) : std::nullopt;
    }
    if (type == "Cast") return cast(first);
    if (type == "NonZero") return non_zero(first);
    if (type == "Concat") return concat(first);
    if (type == "Gather") return gather(first);
    if (type == "Slice") return slice(first);
    if (type == "Transpose") return transpose(first);
    if (type == "Where") return where();
    if (type == "ReduceProd" || type == "ReduceSum" || type == "ReduceMax" || type == "ReduceMin") return reduce(first);
    return std::nullopt;
  }

  template <class T>
  Folded unary(const std::vector<T>& first, UnaryFunction<T> function) const {
    if (!indexable(1)) return std::nullopt;
    std::vector<T> result;
    for (std::size_t i = 0; i < count(); ++i) {
      const auto value = function(first[source(0, i)]);
      if (!value) return std::nullopt;
      result.push_back(*value);
    }
    return OnnxData(std::move(result));
  }

  template <class T>
  Folded binary(const std::vector<T>& first, BinaryFunction<T> function) const {
    const auto* second = node_.inputs.size() == 2 ? std::get_if<std::vector<T>>(&data(1)) : nullptr;
    if (!second || !indexable(2)) return std::nullopt;
    std::vector<T> result;
    for (std::size_t i = 0; i < count(); ++i) {
      const auto value = function(first[source(0, i)], (*second)[source(1, i)]);
      if (!value) return std::nullopt;
      result.push_back(*value);
    }
    return OnnxData(std::move(result));
  }

  template <class T>
  Folded compare(const std::vector<T>& first, Comparison<T> holds) const {
    const auto* second = node_.inputs.size() == 2 ? std::get_if<std::vector<T>>(&data(1)) : nullptr;
    if (!second || !indexable(2)) return std::nullopt;
    Ints result;
    for (std::size_t i = 0; i < count(); ++i) {
      result.push_back(holds(first[source(0, i)], (*second)[source(1, i)]));
    }
    return OnnxData(std::move(result));
  }

  Folded where() const {
    if (!indexable(3)) return std::nullopt;
    const auto* condition = std::get_if<Ints>(&data(0));
    if (!condition || data(1).index() != data(2).index()) return std::nullopt;
    return over_type(data(1), [&](const auto& yes) -> Folded {
      const auto& no = std::get<std::decay_t<decltype(yes)>>(data(2));
      std::decay_t<decltype(yes)> result;
      for (std::size_t i = 0; i < count(); ++i) {
        result.push_back((*condition)[source(0, i)] != 0 ? yes[source(1, i)] : no[source(2, i)]);
      }
      return OnnxData(std::move(result));
    });
  }

  template <class T>
  Folded cast(const std::vector<T>& first) const {
    const DType to = out_.dtype;
    if (is_floating(to)) return OnnxData(Floats(first.begin(), first.end()));
    if (to != DType::int64 && to != DType::int32 && to != DType::boolean) return std::nullopt;
    const double limit = to == DType::int64 ? 0x1p62 : 0x1p31;
    Ints result;
    for (const T value : first) {
      if (to == DType::boolean) {
        result.push_back(value != 0);
        continue;
      }
      if constexpr (std::is_same_v<T, Int>) {
        if (to == DType::int32 && (value < INT32_MIN || value > INT32_MAX)) return std::nullopt;
      } else {
        if (!(value > -limit && value < limit)) return std::nullopt;
      }
      result.push_back(static_cast<Int>(value));
    }
    return OnnxData(std::move(result));
  }

  // Positions along each axis of what is not zero.
  template <class T>
  Folded non_zero(const std::vector<T>& first) const {
    const Shape& shape = shape_of(0);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] != T{0}) places.push_back(i);
    }
    const std::size_t rank = std::max<std::size_t>(shape.size(), 1);
    if (rank * places.size() != count()) return std::nullopt;
    Ints result(count());
    for (std::size_t k = 0; k < places.size(); ++k) {
      std::size_t rest = places[k];
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        const auto size = static_cast<std::size_t>(shape[axis]);
        result[axis * places.size() + k] = static_cast<Int>(rest % size);
        rest /= size;
      }
    }
    return OnnxData(std::move(result));
  }

  // The axis that attribute `axis` names among `rank`.
  std::optional<std::size_t> axis_among(std::size_t rank) const {
    const Int axis = node_.get_int("axis", 0), limit = static_cast<Int>(rank);
    if (axis < -limit || axis >= limit) return std::nullopt;
    return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
  }

  static std::size_t product(Shape::const_iterator begin, Shape::const_iterator end) {
    return static_cast<std::size_t>(elements(Shape(begin, end)));
  }

  template <class T>
  Folded concat(const std::vector<T>&) const {
    const auto axis = axis_among(out_.shape.size());
    if (!axis) return std::nullopt;
    const auto rows = product(out_.shape.begin(), out_.shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    std::vector<T> result;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
        const auto* part = node_.inputs[i] == kAbsent ? nullptr : std::get_if<std::vector<T>>(&data(i));
        if (!part || part->size() % rows != 0 || result.size() + part->size() / rows > count()) return std::nullopt;
        const auto width = static_cast<std::ptrdiff_t>(part->size() / rows);
        const auto begin = part->begin() + static_cast<std::ptrdiff_t>(row) * width;
        result.insert(result.end(), begin, begin + width);
      }
    }
    return result.size() == count() ? Folded(std::move(result)) : std::nullopt;
  }

  template <class T>
  Folded gather(const std::vector<T>& first) const {
    const Shape& shape = shape_of(0);
    const auto axis = axis_among(shape.size());
    const auto* indices = node_.inputs.size() < 2 ? nullptr : std::get_if<Ints>(&data(1));
    if (!axis || !indices || first.empty()) return std::nullopt;
    const auto at = shape.begin() + static_cast<std::ptrdiff_t>(*axis);
    const std::size_t rows = product(shape.begin(), at), width = product(at + 1, shape.end());
    const Int size = *at;
    if (first.size() != rows * static_cast<std::size_t>(size) * width) return std::nullopt;
    std::vector<T> result;
    for (std::size_t row = 0; row < rows; ++row) {
      for (const Int index : *indices) {
        if (index < -size || index >= size || result.size() + width > count()) return std::nullopt;
        const auto chosen = static_cast<std::size_t>(index < 0 ? index + size : index);
        const auto begin =
            first.begin() + static_cast<std::ptrdiff_t>((row * static_cast<std::size_t>(size) + chosen) * width);
        result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
      }
    }
    return result.size() == count() ? Folded(std::move(result)) : std::nullopt;
  }

  // Where along an axis of the input the elements of the output are.
  struct Walk {
    std::size_t axis = 0;
    Int begin = 0, step = 1;
  };

  // Walks over the input, one for each axis of the output.
  template <class T>
  Folded pick(const std::vector<T>& first, const std::vector<Walk>& walks) const {
    const Shape& shape = shape_of(0);
    if (walks.size() != out_.shape.size() || walks.size() != shape.size()) return std::nullopt;
    std::vector<T> result;
    for (std::size_t i = 0; i < count(); ++i) {
      std::size_t rest = i;
      Int index = 0;
      for (std::size_t k = walks.size(); k-- > 0;) {
        const Walk& walk = walks[k];
        const auto extent = static_cast<std::size_t>(out_.shape[k]);
        const Int size = shape[walk.axis], position = static_cast<Int>(rest % extent);
        rest /= extent;
        if (position > 0 && (walk.step >= size || walk.step <= -size)) return std::nullopt;
        const Int at = walk.begin + (position > 0 ? position * walk.step : 0);
        if (at < 0 || at >= size) return std::nullopt;
        index +=
            at * static_cast<Int>(product(shape.begin() + static_cast<std::ptrdiff_t>(walk.axis) + 1, shape.end()));
      }
      if (index >= static_cast<Int>(first.size())) return std::nullopt;
      result.push_back(first[static_cast<std::size_t>(index)]);
    }
    return OnnxData(std::move(result));
  }

  template <class T>
  Folded transpose(const std::vector<T>& first) const {
    const auto rank = static_cast<Int>(shape_of(0).size());
    Ints order = node_.get_ints("perm");
    if (order.empty()) {
      for (Int axis = rank - 1; axis >= 0; --axis) order.push_back(axis);
    }
    std::vector<Walk> walks;
    for (const Int axis : order) {
      if (axis < 0 || axis >= rank) return std::nullopt;
      walks.push_back({static_cast<std::size_t>(axis)});
    }
    return pick(first, walks);
  }

  // The numbers of an input (opset 10) or of an attribute.
  std::optional<Ints> numbers(std::size_t input, std::string_view attribute) const {
    if (node_.input(input) == kAbsent) return node_.get_ints(attribute);
    const auto* known = std::get_if<Ints>(&data(input));
    return known ? std::optional(*known) : std::nullopt;
  }

  template <class T>
  Folded slice(const std::vector<T>& first) const {
    const Shape& shape = shape_of(0);
    const auto starts = numbers(1, "starts"), axes = numbers(3, "axes"), steps = numbers(4, "");
    if (!starts || !axes || !steps) return std::nullopt;
    if ((!axes->empty() && axes->size() != starts->size()) || (!steps->empty() && steps->size() != starts->size())) {
      return std::nullopt;
    }
    std::vector<Walk> walks;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) walks.push_back({axis});
    const auto rank = static_cast<Int>(shape.size());
    for (std::size_t i = 0; i < starts->size(); ++i) {
      Int axis = axes->empty() ? static_cast<Int>(i) : (*axes)[i];
      if (axis < -rank || axis >= rank) return std::nullopt;
      if (axis < 0) axis += rank;
      Walk& walk = walks[static_cast<std::size_t>(axis)];
      const Int size = shape[walk.axis], start = (*starts)[i];
      walk.step = steps->empty() ? 1 : (*steps)[i];
      if (walk.step == 0 || size < 1) return std::nullopt;
      // The output's extent, from shape inference, takes care of the end.
      walk.begin = std::clamp(start < 0 ? start + size : start, Int{0}, walk.step > 0 ? size : size - 1);
    }
    return pick(first, walks);
  }

  // Over all elements.
  template <class T>
  Folded reduce(const std::vector<T>& first) const {
    if (count() != 1 || first.empty()) return std::nullopt;
    const auto combine = find_binary<T>(node_.type == "ReduceProd"  ? "Mul"
                                        : node_.type == "ReduceSum" ? "Add"
                                        : node_.type == "ReduceMax" ? "Max"
                                                                    : "Min");
    T result = first.front();
    for (std::size_t i = 1; i < first.size(); ++i) {
      const auto next = combine(result, first[i]);
      if (!next) return std::nullopt;
      result = *next;
    }
    return OnnxData(std::vector<T>{result});
  }

  const OnnxGraph& graph_;
  const OnnxNode& node_;
  const OnnxValue& out_;
  double count_;
};

}  // namespace

bool is_shape_only(std::string_view onnx_type) {
  return std::find(kShapeOnly.begin(), kShapeOnly.end(), onnx_type) != kShapeOnly.end();
}

std::vector<std::string> shape_only_names() { return {kShapeOnly.begin(), kShapeOnly.end()}; }

std::optional<OnnxData> fold(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.outputs.empty() || node.outputs[0] == kAbsent) return std::nullopt;
  return Folder(graph, node).run();
}

}  // namespace rooftile
