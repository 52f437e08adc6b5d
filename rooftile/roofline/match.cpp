#include "rooftile/roofline/match.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"

namespace rooftile::roofline {
namespace {

struct Word {
  std::string_view word;
  Work work;
  Helper helper = Helper::none;
};

// The first that a name holds decides.
constexpr std::array<Word, 46> kWords = {{
    {"nchwtonhwc", Work::move, Helper::before},
    {"nhwctonchw", Work::move, Helper::after},
    {"computeoffsets", Work::conv, Helper::before},
    {"generatewinogradtiles", Work::conv, Helper::before},
    {"winograd_filter", Work::conv, Helper::before},
    {"splitkreduce", Work::gemm, Helper::after},
    {"splitk_reduce", Work::gemm, Helper::after},
    {"memset", Work::move, Helper::before},
    {"memcpy", Work::move, Helper::before},
    {"fft", Work::conv},
    {"flash", Work::attention},
    {"fmha", Work::attention},
    {"attention", Work::attention},
    {"lstm", Work::recurrent},
    {"gru_", Work::recurrent},
    {"rnn", Work::recurrent},
    {"softmax", Work::softmax},
    {"pool", Work::pool},
    {"bn_fw", Work::normalize},
    {"bn_bw", Work::normalize},
    {"batch_norm", Work::normalize},
    {"batchnorm", Work::normalize},
    {"layer_norm", Work::normalize},
    {"layernorm", Work::normalize},
    {"group_norm", Work::normalize},
    {"rms_norm", Work::normalize},
    {"conv", Work::conv},
    {"scudnn", Work::conv},
    {"hcudnn", Work::conv},
    {"h884cudnn", Work::conv},
    {"winograd", Work::conv},
    {"fprop", Work::conv},
    {"dgrad", Work::conv},
    {"wgrad", Work::conv},
    {"gemm", Work::gemm},
    {"gemv", Work::gemm},
    {"addmm", Work::gemm},
    {"matmul", Work::gemm},
    {"aten::linear", Work::gemm},
    {"aten::mm", Work::gemm},
    {"aten::bmm", Work::gemm},
    {"reduce", Work::reduce},
    {"cat", Work::move},
    {"copy", Work::move},
    {"elementwise", Work::elementwise},
    {"relu", Work::elementwise},
}};

std::optional<KernelWork> work_of_text(std::string_view text) {
  const std::string name = lower_case(text);
  for (const Word& word : kWords) {
    if (name.find(word.word) != std::string::npos) return KernelWork{word.work, word.helper};
  }
  return std::nullopt;
}

Work work_of_kind(const OpKind& kind) {
  constexpr std::array<std::pair<std::string_view, Work>, 10> kKinds = {{{"conv", Work::conv},
                                                                         {"gemm", Work::gemm},
                                                                         {"attention", Work::attention},
                                                                         {"recurrent", Work::recurrent},
                                                                         {"pool", Work::pool},
                                                                         {"normalize", Work::normalize},
                                                                         {"softmax", Work::softmax},
                                                                         {"elementwise", Work::elementwise},
                                                                         {"reduce", Work::reduce},
                                                                         {"move", Work::move}}};
  const std::string_view name = name_of(kind);
  for (const auto& [known, work] : kKinds) {
    if (known == name) return work;
  }
  return Work::unknown;
}

// Work that libraries may do by kernels named after the other: 1x1 convolutions and linear layers as GEMMs, global
// pooling as a reduction, element-wise kernels for whatever streams.
bool fits(Work layer, Work kernel) {
  if (layer == kernel) return true;
  const auto either = [&](Work a, Work b) { return (layer == a && kernel == b) || (layer == b && kernel == a); };
  return either(Work::conv, Work::gemm) || either(Work::pool, Work::reduce) || either(Work::move, Work::elementwise) ||
         (layer == Work::recurrent && (kernel == Work::gemm || kernel == Work::elementwise)) ||
         (layer == Work::attention && (kernel == Work::gemm || kernel == Work::softmax)) ||
         (layer == Work::normalize && (kernel == Work::reduce || kernel == Work::elementwise));
}

enum class Likeness { none, order, name, shape };
constexpr std::array<double, 4> kScores = {0, 0.5, 2, 5};
double score(Likeness likeness) { return kScores[static_cast<std::size_t>(likeness)]; }

std::string_view name_of(Likeness likeness) {
  constexpr std::array<std::string_view, 4> kNames = {"", "order", "name", "shape"};
  return kNames[static_cast<std::size_t>(likeness)];
}

using Found = std::vector<std::pair<std::size_t, Likeness>>;  // of each kernel: its layer

// Numbers for names and shapes, so that comparing is cheap.
struct Traits {
  Work work = Work::unknown;
  Helper helper = Helper::none;
  std::size_t shapes = 0;  // 0: none known
};

std::string key_of(const Shapes& shapes) {
  std::vector<std::string> keys;
  for (std::vector<std::int64_t> shape : shapes) {
    if (shape.empty()) continue;
    if (shape.size() == 2) std::sort(shape.begin(), shape.end());  // a matrix may be stored the other way
    keys.push_back(fmt::format("{}", fmt::join(shape, "x")));
  }
  if (keys.size() > 2) keys.resize(2);  // what is multiplied; behind it biases and settings
  return fmt::format("{}", fmt::join(keys, ";"));
}

Likeness likeness(const Traits& layer, const Traits& kernel) {
  if (kernel.helper != Helper::none) return Likeness::none;  // joined afterwards
  if (layer.shapes != 0 && kernel.shapes != 0) {
    const bool possible = kernel.work == Work::unknown || fits(layer.work, kernel.work);
    if (layer.shapes == kernel.shapes && possible) return Likeness::shape;
    // Products have all their shapes in both; other ops may differ in what they list.
    if (layer.work == Work::conv || layer.work == Work::gemm) return Likeness::none;
  }
  if (kernel.work == Work::unknown || layer.work == Work::unknown) return Likeness::order;
  return fits(layer.work, kernel.work) ? Likeness::name : Likeness::none;
}

// The best way to walk along layers and kernels together. A layer takes a first kernel that does its work, then others
// that follow, each for less than a first one is worth to a layer of its own.
class Alignment {
 public:
  Alignment(const std::vector<Traits>& layers, const std::vector<Traits>& kernels)
      : layers_(layers), kernels_(kernels), steps_(2 * (layers.size() + 1) * (kernels.size() + 1)) {}

  // For each kernel its layer and how it was recognised; the number of layers where it has none.
  Found run() {
    const std::size_t columns = kernels_.size() + 1;
    std::vector<double> empty(columns, 0), taken(columns, kNever), before;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      before = empty;
      for (std::size_t j = 0; j < columns; ++j) {
        const bool from_taken = taken[j] > before[j];
        empty[j] = from_taken ? taken[j] : before[j];
        step(i, j, false) = from_taken ? Step::enter_from_taken : Step::enter;
        if (j > 0 && empty[j - 1] > empty[j]) {
          empty[j] = empty[j - 1];
          step(i, j, false) = Step::skip;
        }
      }
      fill_taken(i, empty, taken);
    }
    return trace(empty, taken);
  }

 private:
  enum class Step : std::uint8_t { enter, enter_from_taken, skip, first, more };
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  static constexpr double kMoreIsLess = 0.3;

  Step& step(std::size_t layer, std::size_t kernel, bool taken) {
    return steps_[2 * (layer * (kernels_.size() + 1) + kernel) + (taken ? 1 : 0)];
  }

  void fill_taken(std::size_t i, const std::vector<double>& empty, std::vector<double>& taken) {
    taken[0] = kNever;
    for (std::size_t j = 1; j < taken.size(); ++j) {
      const Likeness like = likeness(layers_[i], kernels_[j - 1]);
      double best = taken[j - 1];
      step(i, j, true) = Step::skip;
      if (like == Likeness::none) {
        taken[j] = best;
        continue;
      }
      const double more = taken[j - 1] + kMoreIsLess * score(like);
      if (more > best) {
        best = more;
        step(i, j, true) = Step::more;
      }
      const double first = empty[j - 1] + score(like);
      if (first >= best) {
        best = first;
        step(i, j, true) = Step::first;
      }
      taken[j] = best;
    }
  }

  Found trace(const std::vector<double>& empty, const std::vector<double>& taken) {
    Found result(kernels_.size(), {layers_.size(), Likeness::none});
    if (layers_.empty()) return result;
    std::size_t i = layers_.size() - 1, j = kernels_.size();
    bool at_taken = taken[j] > empty[j];
    while (j > 0) {
      const Step made = step(i, j, at_taken);
      switch (made) {
        case Step::enter:
        case Step::enter_from_taken:
          if (i == 0) return result;
          --i;
          at_taken = made == Step::enter_from_taken;
          break;
        case Step::skip:
          --j;
          break;
        case Step::first:
        case Step::more:
          --j;
          result[j] = {i, likeness(layers_[i], kernels_[j])};
          at_taken = made == Step::more;
          break;
      }
    }
    return result;
  }

  const std::vector<Traits>& layers_;
  const std::vector<Traits>& kernels_;
  std::vector<Step> steps_;
};

// Helpers go where the kernel that they prepare or complete has gone.
void join_helpers(Found& found, const std::vector<Traits>& kernels, std::size_t none) {
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    if (kernels[i].helper == Helper::after) found[i].first = found[i - 1].first;
  }
  for (std::size_t i = kernels.size(); i-- > 0;) {
    if (kernels[i].helper == Helper::before) found[i].first = i + 1 < kernels.size() ? found[i + 1].first : none;
  }
}

// Kernels of one run of the network, where the profile is several equal ones and each has more than half as many
// kernels as there are layers; else all.
std::size_t period_of(const View& view, std::size_t layers) {
  const std::size_t count = view.kernels.size() - layers;
  const auto name = [&](std::size_t i) -> const std::string& { return view.kernels[layers + i].name; };
  for (std::size_t period = layers / 2 + 1; period <= count / 2; ++period) {
    if (count % period != 0) continue;
    std::size_t i = 0;
    while (i + period < count && name(i) == name(i + period)) ++i;
    if (i + period == count) return period;
  }
  return count;
}

// What speaks against the profile being one of this network; empty where nothing does. `found` is
// of the kernels that were to be matched, before helpers joined them.
std::string doubts(const View& view, const Found& found, std::size_t layers) {
  constexpr std::size_t kAbsurd = 20;  // times as many kernels as are predicted
  std::size_t matched = 0, by_order = 0;
  std::vector<std::size_t> counts(layers);
  for (const auto& [layer, like] : found) {
    if (layer == layers) continue;
    ++matched;
    ++counts[layer];
    if (like == Likeness::order) ++by_order;
  }
  std::vector<std::string> signs;
  if (2 * matched < found.size()) {
    signs.push_back(fmt::format("{} of {} kernels match no layer", found.size() - matched, found.size()));
  }
  if (2 * by_order > matched) signs.push_back(fmt::format("{} of {} match by their order alone", by_order, matched));
  const auto most = std::max_element(counts.begin(), counts.end());
  if (most != counts.end()) {
    const Kernel& layer = view.kernels[static_cast<std::size_t>(most - counts.begin())];
    const double predicted = std::max(1.0, layer.launches);
    if (static_cast<double>(*most) > kAbsurd * predicted) {
      signs.push_back(fmt::format("layer '{}' has {} kernels, predicted {}", title_of(layer), *most, predicted));
    }
  }
  return fmt::format("{}", fmt::join(signs, "; "));
}

std::optional<double> bytes_ratio(const View& view, const Match& match, std::size_t level) {
  const auto predicted = view.kernels[match.predicted].bytes[level];
  Bytes measured;
  for (const std::size_t kernel : match.measured) {
    if (!view.kernels[kernel].bytes[level]) return std::nullopt;
    measured += *view.kernels[kernel].bytes[level];
  }
  if (!predicted || *predicted <= Bytes(0)) return std::nullopt;
  return measured / *predicted;
}

}  // namespace

Match make_match(const View& view, std::size_t predicted, std::vector<std::size_t> measured, std::string_view by) {
  Match match;
  match.predicted = predicted;
  match.measured = std::move(measured);
  match.by = by;
  for (const std::size_t kernel : match.measured) match.measured_time += view.kernels[kernel].time;
  const Kernel& layer = view.kernels[predicted];
  match.time_ratio = match.measured_time / layer.time;
  for (std::size_t level = 0; level < view.roof.levels.size(); ++level) {
    match.bytes_ratio.push_back(bytes_ratio(view, match, level));
  }
  if (const auto point = point_of(view, layer)) {
    match.achievable = point->achievable;
    match.loss = match.measured_time - point->achievable;
  }
  return match;
}

void sort_by_loss(std::vector<Match>& matches) {
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return a.loss.value_or(Seconds(0)) > b.loss.value_or(Seconds(0));
  });
}

KernelWork work_of(std::string_view op, std::string_view kernel_name) {
  const auto by_kernel = work_of_text(kernel_name);
  if (by_kernel && by_kernel->helper != Helper::none) return *by_kernel;
  if (const auto by_op = op.empty() ? std::nullopt : work_of_text(op)) return *by_op;
  return by_kernel.value_or(KernelWork{});
}

std::vector<LayerTraits> traits_of(const View& view, const Workload& workload) {
  std::unordered_map<std::string_view, const Op*> ops;
  for (const Op& op : workload.ops) ops.emplace(op.name, &op);
  std::vector<LayerTraits> layers;
  for (const Kernel& kernel : view.kernels) {
    if (kernel.origin != Origin::predicted) continue;
    LayerTraits& traits = layers.emplace_back();
    traits.name = kernel.name;
    const auto found = ops.find(kernel.layer);
    if (found == ops.end()) continue;
    traits.work = work_of_kind(found->second->kind);
    for (const TensorId input : found->second->inputs) traits.shapes.push_back(workload.tensors[input].shape);
  }
  return layers;
}

void match(View& view, const std::vector<LayerTraits>& layers, const std::vector<Shapes>& shapes) {
  constexpr double kMostPairs = 2e8;
  const std::size_t first = layers.size();
  const std::size_t count = view.kernels.size() - first;
  for (std::size_t i = 0; i < view.kernels.size(); ++i) view.unmatched.push_back(i);
  if (static_cast<double>(first) * static_cast<double>(count) > kMostPairs) {
    view.notes.push_back(fmt::format("{} layers and {} kernels are too many to match.", first, count));
    return;
  }
  std::unordered_map<std::string, std::size_t> numbers = {{"", 0}};
  const auto number = [&](const Shapes& of) { return numbers.emplace(key_of(of), numbers.size()).first->second; };
  std::vector<Traits> wanted, offered;
  for (const LayerTraits& layer : layers) wanted.push_back({layer.work, Helper::none, number(layer.shapes)});
  const std::size_t period = period_of(view, first);
  const std::size_t start = count - period;  // of the run that is matched
  if (start > 0) {
    view.notes.push_back(
        fmt::format("The profile has {} equal runs; the last is matched with the layers.", count / period));
  }
  for (std::size_t i = start; i < count; ++i) {
    const Kernel& kernel = view.kernels[first + i];
    const KernelWork work = work_of(kernel.op, kernel.name);
    offered.push_back({work.work, work.helper, number(shapes[i])});
  }
  auto found = Alignment(wanted, offered).run();
  if (const std::string signs = doubts(view, found, first); !signs.empty()) {
    view.notes.push_back(fmt::format("The profile may be of another network or batch: {}.", signs));
  }
  join_helpers(found, offered, first);
  std::vector<std::vector<std::size_t>> measured(first);
  std::vector<Likeness> best(first, Likeness::none);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [layer, like] = found[i];
    if (layer == first) continue;
    measured[layer].push_back(first + start + i);
    best[layer] = std::max(best[layer], like);
  }
  std::vector<bool> joined(view.kernels.size());
  std::fill_n(joined.begin() + static_cast<std::ptrdiff_t>(first), start, true);  // of earlier runs
  for (std::size_t i = 0; i < first; ++i) {
    if (measured[i].empty()) continue;
    joined[i] = true;
    for (const std::size_t kernel : measured[i]) {
      joined[kernel] = true;
      view.kernels[kernel].layer = view.kernels[i].layer;
    }
    view.matches.push_back(make_match(view, i, std::move(measured[i]), name_of(best[i])));
  }
  std::erase_if(view.unmatched, [&](std::size_t i) { return joined[i]; });
  sort_by_loss(view.matches);
}

}  // namespace rooftile::roofline
