#include "rooftile/ingest/onnx_inputs.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kImageRank = 4;  // batch, channels, height, width; videos have one more

// That the first convolution over height and width reads; 0: there is none.
std::int64_t first_channels(const OnnxGraph& graph) {
  for (const OnnxNode& node : graph.nodes) {
    if (node.type != "Conv" || node.inputs.size() < 2 || node.inputs[1] == kAbsent) continue;
    const Shape& weights = graph.shape(node.inputs[1]);
    return weights.size() == kImageRank ? weights[1] : 0;
  }
  return 0;
}

// Whether an input is one image, channels first, of a network that adds the batch itself, as torchvision's detection
// networks do.
bool is_one_image(const OnnxInput& input, std::int64_t channels) {
  return input.dims.size() + 1 == kImageRank && channels > 1 && input.dims[0].value == channels;
}

class InputSetter {
 public:
  InputSetter(OnnxGraph& graph, const OnnxOptions& options)
      : graph_(graph), options_(options), channels_(first_channels(graph)), shapes_(options.shapes) {}

  Result<std::optional<std::int64_t>> run() {
    if (graph_.inputs.empty()) return bad_input("the graph has no inputs");
    TRY(check_options());
    for (const OnnxInput& input : graph_.inputs) {
      if (!input.dims.empty() && !input.dims[0].symbol.empty()) batch_symbols_.insert(input.dims[0].symbol);
    }
    for (const OnnxInput& input : graph_.inputs) {
      if (!graph_.shape(input.value).empty()) return bad_input("an input appears twice");
      TRY(set(input));
    }
    return file_batch_;
  }

 private:
  Result<void> check_options() {
    if (options_.batch_size && (*options_.batch_size < 1 || *options_.batch_size > kMaxDimension)) {
      return bad_input(fmt::format("batch size {} is not between 1 and {}", *options_.batch_size, kMaxDimension));
    }
    std::vector<std::string> names, symbols;
    bool has_images = false;
    for (const OnnxInput& input : graph_.inputs) {
      names.push_back(graph_.values[input.value].name);
      for (const OnnxDim& dim : input.dims) {
        if (!dim.value && !dim.symbol.empty()) symbols.push_back(dim.symbol);
      }
      has_images |= input.dims.size() >= kImageRank || is_one_image(input, channels_);
      if (&input == &graph_.inputs.front() && is_one_image(input, channels_)) TRY(check_one_image(input));
    }
    for (const auto& [name, shape] : options_.shapes) TRY(check_known("input", name, names));
    for (const auto& [name, value] : options_.dims) {
      if (!contains(symbols, name) && contains(names, name)) {
        shapes_.emplace(name, Shape{value});
      } else {
        TRY(check_known("open dimension", name, symbols));
      }
    }
    if (options_.image_size && !has_images) return fail(ErrorCode::usage, "takes no images whose size could be set");
    return {};
  }

  Result<void> check_one_image(const OnnxInput& input) {
    graph_.one_image = true;
    if (options_.batch_size.value_or(1) == 1) return {};
    return fail(ErrorCode::usage, fmt::format("input {} is one image without a batch, which stays 1 (no --batch-size)",
                                              in_quotes(graph_.values[input.value].name)));
  }

  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  static Result<void> check_known(std::string_view what, const std::string& name,
                                  const std::vector<std::string>& known) {
    if (contains(known, name)) return {};
    constexpr std::size_t kShown = 8;
    std::vector<std::string> quoted;
    for (const std::string& one : known) {
      const std::string text = in_quotes(one);
      if (std::find(quoted.begin(), quoted.end(), text) == quoted.end()) quoted.push_back(text);
    }
    if (quoted.size() > kShown) {
      const std::string all = fmt::format("… ({} in all)", quoted.size());
      quoted.resize(kShown);
      quoted.push_back(all);
    }
    return fail(ErrorCode::usage, fmt::format("has no {} {}{}{}", what, in_quotes(name),
                                              known.empty() ? "" : fmt::format("; it has {}", fmt::join(quoted, ", ")),
                                              did_you_mean(name, known)));
  }

  Result<void> set(const OnnxInput& input) {
    OnnxValue& value = graph_.values[input.value];
    const auto given = shapes_.find(value.name);
    if (given != shapes_.end()) {
      TRY(set_given(input, given->second));
    } else {
      for (std::size_t i = 0; i < input.dims.size(); ++i) {
        const std::int64_t dimension = TRY(dimension_of(input, i));
        value.shape.push_back(dimension);
      }
    }
    for (const std::int64_t dimension : value.shape) {
      if (dimension < 1)
        return bad_input(fmt::format("input {} has the dimension {}", in_quotes(value.name), dimension));
    }
    return {};
  }

  Result<void> set_given(const OnnxInput& input, const Shape& shape) {
    OnnxValue& value = graph_.values[input.value];
    if (shape.size() != input.dims.size()) {
      return fail(ErrorCode::usage, fmt::format("input {} has {} dimensions, not those of {}", in_quotes(value.name),
                                                input.dims.size(), print(shape)));
    }
    value.shape = shape;
    if (is_one_image(input, channels_)) return {};
    if (options_.batch_size && !shape.empty()) value.shape[0] = *options_.batch_size;
    if (!file_batch_ && !shape.empty() && input.dims[0].value != value.shape[0]) file_batch_ = input.dims[0].value;
    return {};
  }

  Result<std::int64_t> dimension_of(const OnnxInput& input, std::size_t i) {
    const OnnxDim& dim = input.dims[i];
    if (const auto given = options_.dims.find(dim.symbol); !dim.value && given != options_.dims.end()) {
      return given->second;
    }
    const bool one_image = is_one_image(input, channels_);
    const bool is_image = (input.dims.size() >= kImageRank || one_image) && i + 2 >= input.dims.size();
    if (options_.image_size && is_image) return *options_.image_size;
    if (one_image && i == 0) return *dim.value;
    if (i == 0 && options_.batch_size) {
      if (!file_batch_) file_batch_ = dim.value;
      return *options_.batch_size;
    }
    if (dim.value) return *dim.value;
    if (i == 0 || batch_symbols_.count(dim.symbol) > 0) return options_.batch_size.value_or(1);
    const std::string name = graph_.values[input.value].name;
    return fail(ErrorCode::unsupported,
                fmt::format("input {} leaves dimension {}{} open; say how large it is ({})", in_quotes(name), i,
                            dim.symbol.empty() ? "" : " (" + in_quotes(dim.symbol) + ")", remedy(name, dim.symbol)));
  }

  static std::string remedy(const std::string& input, const std::string& symbol) {
    return symbol.empty() ? fmt::format("--shape {}=1x3x224x224", one_line(input, 50))
                          : fmt::format("--shape {}=224", one_line(symbol, 50));
  }

  OnnxGraph& graph_;
  const OnnxOptions& options_;
  std::int64_t channels_;
  std::map<std::string, Shape> shapes_;  // whole inputs, by name
  std::unordered_set<std::string>
      batch_symbols_;  // what dimension 0 of an input is called means the batch elsewhere too
  std::optional<std::int64_t> file_batch_;
};

}  // namespace

Result<std::optional<std::int64_t>> set_inputs(OnnxGraph& graph, const OnnxOptions& options) {
  return InputSetter(graph, options).run();
}

}  // namespace rooftile
