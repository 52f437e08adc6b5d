#include "rooftile/roofline/study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ops/recurrent.hpp"
#include "rooftile/roofline/from_prediction.hpp"
#include "rooftile/roofline/match.hpp"
#include "rooftile/roofline/stalls.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile::roofline {
namespace {

constexpr std::array<std::string_view, 2> kNames = {"conv2d", "lstm"};

struct ConvPoint {
  std::int64_t stride = 2, batch = 16, filter = 3, filters = 64;
  bool operator==(const ConvPoint&) const = default;
};

// A point and what it varies: "base", "stride 1".
template <class Dimensions>
struct Varied {
  std::string label;
  Dimensions point;
};

// Adds a point for each value of one dimension that is not there yet; the base stands first.
template <class Dimensions>
void sweep(std::vector<Varied<Dimensions>>& points, std::string_view name, std::int64_t Dimensions::*field,
           std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values) {
    Dimensions point = points.front().point;
    point.*field = value;
    const bool there = std::any_of(points.begin(), points.end(),
                                   [&](const Varied<Dimensions>& other) { return other.point == point; });
    if (!there) points.push_back({fmt::format("{} {}", name, value), point});
  }
}

std::vector<Varied<ConvPoint>> conv_points() {
  std::vector<Varied<ConvPoint>> points = {{"base", {}}};
  sweep(points, "stride", &ConvPoint::stride, {1, 2, 3});
  sweep(points, "batch", &ConvPoint::batch, {16, 32, 64});
  sweep(points, "filter size", &ConvPoint::filter, {3, 7, 9});
  sweep(points, "filters", &ConvPoint::filters, {64, 128, 256, 512});
  return points;
}

constexpr std::int64_t kImage = 112, kChannels = 64;

// The padding that leaves ceil(in / stride) outputs; an odd one has its larger half at the end.
ConvAxis same_axis(std::int64_t filter, std::int64_t stride) {
  const std::int64_t out = (kImage + stride - 1) / stride;
  const std::int64_t pad = std::max<std::int64_t>(0, (out - 1) * stride + filter - kImage);
  return {.in = kImage, .filter = filter, .stride = stride, .pad_begin = pad / 2, .pad_end = pad - pad / 2};
}

Conv conv_of(const ConvPoint& point) {
  Conv conv;
  conv.batch = point.batch;
  conv.in_channels = kChannels;
  conv.out_channels = point.filters;
  conv.axes[1] = conv.axes[2] = same_axis(point.filter, point.stride);
  return conv;
}

std::vector<Varied<Recurrent>> lstm_points() {
  std::vector<Varied<Recurrent>> points = {{"base", {.batch = 16, .steps = 16, .input = 32, .hidden = 16}}};
  sweep(points, "batch", &Recurrent::batch, {16, 32, 64, 128});
  sweep(points, "steps", &Recurrent::steps, {16, 32, 64, 128});
  sweep(points, "features", &Recurrent::input, {32, 64, 128});
  sweep(points, "hidden", &Recurrent::hidden, {16, 32, 64, 128});
  return points;
}

constexpr double kGates = 4;

// `count` runs of the layer.
LayerEstimate times(LayerEstimate layer, double count) {
  layer.flops *= count;
  layer.traffic = layer.traffic * count;
  for (Seconds& time : layer.cases.by) time *= count;
  layer.time *= count;
  layer.kernels *= count;
  for (KernelEstimate& kernel : layer.breakdown) kernel.count *= count;
  return layer;
}

// `count` kernels, each of which reads `inputs` values for every one that it writes.
LayerEstimate pointwise(const Recurrent& lstm, double columns, double inputs, double count, const Gpu& gpu,
                        const PredictOptions& options) {
  StreamLayer stream;
  stream.kind = inputs > 1 ? StreamKind::add : StreamKind::activation;
  stream.rows = lstm.batch;
  stream.columns = static_cast<std::int64_t>(columns);
  return times(estimate(stream, gpu, options), count);
}

LayerEstimate product(const Gemm& gemm, double count, const Gpu& gpu, const PredictOptions& options) {
  LayerEstimate layer = times(estimate(gemm, gpu, options), count);
  for (KernelEstimate& kernel : layer.breakdown) kernel.plan = {};  // the FLOPs of products are those of the definition
  return layer;
}

LayerEstimate lstm_estimate(const Recurrent& lstm, bool fused, const Gpu& gpu, const PredictOptions& options) {
  const double steps = static_cast<double>(lstm.steps), hidden = static_cast<double>(lstm.hidden);
  std::vector<LayerEstimate> parts = {product(step_product(lstm, Pass::fwd), steps, gpu, options)};
  if (fused) {
    for (const SequenceProduct& inputs : sequence_products(lstm, Pass::fwd)) {
      parts.push_back(product(inputs.gemm, inputs.count, gpu, options));
    }
    parts.push_back(pointwise(lstm, kGates * hidden, 1, steps, gpu, options));  // all gates and the state at once
    return sum_of(parts);
  }
  const Gemm inputs = {.m = lstm.batch, .n = static_cast<std::int64_t>(kGates) * lstm.hidden, .k = lstm.input};
  parts.push_back(product(inputs, steps, gpu, options));
  parts.push_back(pointwise(lstm, kGates * hidden, 2, 2 * steps, gpu, options));  // sum of the products, bias
  parts.push_back(pointwise(lstm, hidden, 1, 6 * steps, gpu, options));           // sigmoids, tanh, copy
  parts.push_back(pointwise(lstm, hidden, 2, 4 * steps, gpu, options));           // products and sum of elements
  return sum_of(parts);
}

void add_conv_points(View& view, const Gpu& gpu, PredictOptions options, Phase phase) {
  for (const auto& [label, point] : conv_points()) {
    for (const Pass pass : passes_of(phase)) {
      options.pass = pass;
      LayerEstimate layer = estimate(conv_of(point), gpu, options);
      layer.name = label;
      Kernel& kernel = view.kernels.emplace_back(kernel_of(layer, options.precision, gpu, view.roof));
      kernel.layer = fmt::format("conv N={} C={} H={} W={} K={} R={} S={} stride_h={}", point.batch, kChannels, kImage,
                                 kImage, point.filters, point.filter, point.filter, point.stride);
    }
  }
}

void add_lstm_points(View& view, const Gpu& gpu, const PredictOptions& options) {
  for (const auto& [label, lstm] : lstm_points()) {
    for (const bool fused : {true, false}) {
      LayerEstimate layer = lstm_estimate(lstm, fused, gpu, options);
      layer.name = fmt::format("{}, {}", label, fused ? "fused" : "unfused");
      Kernel& kernel = view.kernels.emplace_back(kernel_of(layer, options.precision, gpu, view.roof));
      kernel.op = "lstm";
      kernel.layer = fmt::format("rnn cell=lstm batch={} steps={} input={} hidden={}", lstm.batch, lstm.steps,
                                 lstm.input, lstm.hidden);
    }
  }
}

// The predicted point of a measured row; nothing where there is none.
std::optional<std::size_t> point_for(const View& view, const Kernel& measured) {
  std::optional<std::size_t> best;
  double nearest_launches = 0;
  for (std::size_t i = 0; i < view.kernels.size(); ++i) {
    const Kernel& point = view.kernels[i];
    if (point.origin != Origin::predicted || point.layer != measured.layer || point.pass != measured.pass) continue;
    const double distance = std::abs(std::log(std::max(1.0, measured.launches) / std::max(1.0, point.launches)));
    if (best && distance >= nearest_launches) continue;
    best = i;
    nearest_launches = distance;
  }
  return best;
}

}  // namespace

std::string_view name_of(Study study) { return kNames[static_cast<std::size_t>(study)]; }

Result<Study> parse_study(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found != kNames.end()) return static_cast<Study>(found - kNames.begin());
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  return fail(ErrorCode::usage, fmt::format("unknown study '{}'{}", one_line(text), one_of(text, names)), "STUDY");
}

Result<View> study_view(Study study, const Gpu& gpu, const Roof& roof, const PredictOptions& options, Phase phase) {
  for (const Pass pass : passes_of(phase)) {
    PredictOptions own = options;
    own.pass = pass;
    TRY(check(own, gpu));
  }
  if (study == Study::lstm && phase != Phase::fwd) {
    return fail(ErrorCode::unsupported, "the study of LSTM layers is of the forward pass", "--pass");
  }
  View view;
  view.title = fmt::format("{} study on {}", name_of(study), gpu.name);
  view.model = fmt::format("{} study", name_of(study));
  view.gpu = gpu.id;
  view.precision = name_of(options.precision);
  view.pass = name_of(phase);
  view.method = label_of(options);
  view.batch_size = 16;
  view.roof = roof;
  view.level = roof.level("DRAM").value_or(roof.levels.size() - 1);
  if (study == Study::conv2d) {
    add_conv_points(view, gpu, options, phase);
  } else {
    add_lstm_points(view, gpu, options);
  }
  view.assumptions = {"Sweeps of the time-based Roofline's studies (arXiv 2009.04598), one dimension at a time.",
                      study == Study::conv2d
                          ? "Padding leaves as many outputs as the input has strides."
                          : "Fused: a product and a kernel of the gates a step, one product of all inputs. Unfused: 14 "
                            "kernels a step."};
  view.stalls = network_stalls(view.kernels);
  return view;
}

void add_measured_study(View& view, MeasuredKernels measured) {
  const std::size_t first = view.kernels.size();
  std::size_t borrowed = 0;
  MeasuredKernels fitting = measured;
  fitting.kernels.clear();
  fitting.shapes.clear();
  fitting.start.clear();
  std::vector<std::size_t> points;
  for (Kernel& kernel : measured.kernels) {
    const auto point = point_for(view, kernel);
    if (!point) continue;
    const Kernel& predicted = view.kernels[*point];
    kernel.name = predicted.name + kernel.name.substr(kernel.layer.size());  // what it varies, not all its dimensions
    if (!kernel.flops_known) {
      kernel.flops = predicted.flops;
      kernel.unit = predicted.unit;
      kernel.flops_known = true;
      ++borrowed;
    }
    points.push_back(*point);
    fitting.kernels.push_back(std::move(kernel));
    fitting.shapes.emplace_back();
    fitting.start.emplace_back();
  }
  if (const std::size_t without = measured.kernels.size() - points.size(); without > 0) {
    fitting.notes.push_back(fmt::format("Measured rows without a point in the study, left out: {}.", without));
  }
  if (borrowed > 0) {
    fitting.notes.push_back(
        fmt::format("Measured rows without a count of FLOPs, which have those of their point: {}.", borrowed));
  }
  add_measured(view, std::move(fitting));
  view.utilisation = {};  // rows of a study are no run of a network
  std::vector<bool> joined(view.kernels.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    view.matches.push_back(make_match(view, points[i], {first + i}, "dimensions"));
    joined[points[i]] = joined[first + i] = true;
  }
  for (std::size_t i = 0; i < view.kernels.size(); ++i) {
    if (!joined[i]) view.unmatched.push_back(i);
  }
  sort_by_loss(view.matches);
}

}  // namespace rooftile::roofline
