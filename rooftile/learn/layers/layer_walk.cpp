#include "rooftile/learn/layers/layer_walk.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kReduce = "_reduce", kProjection = "_proj";

// Positions of a window along one axis; none if it does not fit.
std::optional<std::int64_t> positions_of(std::int64_t in, std::int64_t window, std::int64_t stride, std::int64_t pad,
                                         bool round_up) {
  const std::int64_t room = in + 2 * pad - window;
  if (room < 0) return {};
  std::int64_t positions = (room + (round_up ? stride - 1 : 0)) / stride + 1;
  if (round_up && pad > 0 && (positions - 1) * stride >= in + pad) --positions;  // it would begin in the padding
  return positions;
}

}  // namespace

LayerWalk::LayerWalk(std::int64_t batch, std::int64_t image_size, std::vector<std::string> modules)
    : batch_(static_cast<double>(batch)), modules_(std::move(modules)) {
  current_.height = current_.width = image_size;
  last_ = current_;
}

std::string_view LayerWalk::module_of(std::string_view layer) {
  const std::size_t slash = layer.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : layer.substr(0, slash);
}

void LayerWalk::enter(std::string_view layer) {
  const std::string_view module = module_of(layer);
  const bool known = std::find(modules_.begin(), modules_.end(), module) != modules_.end();
  if (!known) module_.clear();
  if (!known || module_ == module) return;
  module_ = module;
  branches_.clear();
  made_.clear();
}

LayerWalk::Map LayerWalk::input_of(const std::string& name) {
  if (module_.empty()) return current_;
  std::string source = name + std::string(kReduce);
  if (made_.count(source) == 0 && name.ends_with(kProjection)) {
    source = name.substr(0, name.size() - kProjection.size());
  }
  const auto made = made_.find(source);
  if (made == made_.end()) return current_;
  branches_.erase(source);
  return made->second;
}

void LayerWalk::leave(const Map& output) {
  last_ = output;
  if (module_.empty()) current_ = output;
}

std::optional<LayerComplexity> LayerWalk::window(TableRow& row, bool convolution, std::string_view layer) {
  const std::int64_t filters = convolution ? row.required("K", 1) : 0;
  const std::int64_t size = row.required("R", 1), stride = row.required("stride_h", 1);
  const std::int64_t pad = row.optional("pad_h", 0, 0);
  if (row.error()) return {};
  const std::string name(module_.empty() ? layer : layer.substr(module_.size() + 1));
  const Map input = input_of(name);
  const auto height = positions_of(input.height, size, stride, pad, !convolution);
  const auto width = positions_of(input.width, size, stride, pad, !convolution);
  if (!height || !width) {
    row.reject("R", fmt::format("a window of {} is larger than the {} x {} positions that the layers before it leave, "
                                "padded by {}",
                                size, input.height, input.width, pad));
    return {};
  }
  const Map output{convolution ? filters : input.channels, *height, *width};
  leave(output);
  if (!module_.empty()) made_[name] = branches_[name] = output;
  const auto taps = static_cast<double>(size) * static_cast<double>(size);
  const auto in_channels = static_cast<double>(input.channels), out_channels = static_cast<double>(output.channels);
  return convolution ? conv_complexity(taps, in_channels, out_channels, positions(), batch_)
                     : pool_complexity(taps, stride == 1, out_channels, positions(), batch_);
}

void LayerWalk::concatenate(TableRow& row) {
  if (branches_.empty()) {
    row.reject("layer", "there is nothing before this concatenation that it could join");
    return;
  }
  Map output = branches_.begin()->second;
  output.channels = 0;
  for (const auto& [name, branch] : branches_) {
    if (branch.height != output.height || branch.width != output.width) {
      row.reject("layer", fmt::format("it joins {} x {} positions with {} x {}", output.height, output.width,
                                      branch.height, branch.width));
    }
    output.channels += branch.channels;
  }
  module_.clear();
  leave(output);
}

std::optional<LayerComplexity> LayerWalk::next(TableRow& row) {
  const std::string_view layer = row.text("layer");
  const std::string type = lower_case(row.text("type"));
  const auto channels = [&] { return static_cast<double>(last_.channels); };
  if (type == "convolution" || type == "pooling") {
    enter(layer);
    return window(row, type == "convolution", layer);
  }
  if (type == "concat") {
    enter(layer);
    concatenate(row);
  } else if (type == "relu" || type == "dropout") {
    return activation_complexity(channels(), positions(), batch_);
  } else if (type == "lrn") {
    const std::int64_t window = row.required("R", 1);
    return norm_complexity(channels(), static_cast<double>(window), positions(), batch_);
  } else if (type == "inner_product") {
    const std::int64_t outputs = row.required("K", 1);
    const double inputs = channels() * positions();
    module_.clear();
    leave({outputs, 1, 1});
    return fc_complexity(inputs, static_cast<double>(outputs), batch_);
  } else if (type == "softmax" || type == "softmax_loss") {
    return loss_complexity(channels() * positions(), batch_);
  }
  return {};
}

}  // namespace rooftile
