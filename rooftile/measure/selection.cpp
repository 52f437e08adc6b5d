#include "rooftile/measure/selection.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/measure/cases.hpp"
#include "rooftile/measure/layer_columns.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile::measure {
namespace {

constexpr std::int64_t kDefaultBatch = 256;  // of the DeLTA paper

constexpr std::array kPrecisions = {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::int8};
constexpr std::array kPasses = {Pass::fwd, Pass::bwd_data, Pass::bwd_weight};
constexpr std::array kLayouts = {Layout::nchw, Layout::nhwc};
const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> names = {"implicit_gemm", "winograd", "winograd_nonfused",
                                                 "fft",           "direct",   "explicit_gemm"};
  return names;
}

template <class Value, std::size_t count>
Result<std::vector<Value>> values_of(const char* option, const std::vector<std::string>& words,
                                     const std::array<Value, count>& known) {
  std::vector<std::string> names;
  for (const Value value : known) names.emplace_back(name_of(value));
  std::vector<Value> values;
  for (const std::string& word : words) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      return fail(ErrorCode::usage, fmt::format("unknown '{}'{}", one_line(word, 40), one_of(word, names)), option);
    }
    values.push_back(known[static_cast<std::size_t>(found - names.begin())]);
  }
  return values;
}

// Empty: as the library chooses.
Result<std::vector<std::string>> algorithms_of(const std::vector<std::string>& words) {
  std::vector<std::string> chosen;
  for (const std::string& word : words) {
    if (word == "all") {
      chosen.insert(chosen.end(), algorithm_names().begin(), algorithm_names().end());
    } else if (word == "library") {
      chosen.emplace_back();
    } else if (std::find(algorithm_names().begin(), algorithm_names().end(), word) != algorithm_names().end()) {
      chosen.push_back(word);
    } else {
      return fail(ErrorCode::usage,
                  fmt::format("unknown '{}'{}, all, library", one_line(word, 40), one_of(word, algorithm_names())),
                  "--algorithms");
    }
  }
  return chosen;
}

// What the words say; empty: nothing was said.
struct Words {
  std::vector<DType> precisions;
  std::vector<Pass> passes;
  std::vector<Layout> layouts;
  std::vector<std::string> algorithms;
};

Result<Words> words_of(const Selection& selection) {
  Words words;
  auto precisions = TRY(values_of("--precision", selection.precisions, kPrecisions));
  auto passes = TRY(values_of("--pass", selection.passes, kPasses));
  auto layouts = TRY(values_of("--layout", selection.layouts, kLayouts));
  auto algorithms = TRY(algorithms_of(selection.algorithms));
  return Words{std::move(precisions), std::move(passes), std::move(layouts), std::move(algorithms)};
}

Result<const ZooEntry*> find_network(const std::string& name) {
  std::vector<std::string> names;
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return fail(ErrorCode::not_found, fmt::format("no network '{}'{}", one_line(name, 40), did_you_mean(name, names)),
              "--networks");
}

template <class Value>
bool wanted(const std::vector<Value>& values, Value value) {
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

// The cases that the words leave; convolutions by each algorithm that was named instead of their own.
std::vector<LayerCase> part_of(const std::vector<LayerCase>& cases, const Words& words) {
  std::vector<LayerCase> part;
  for (const LayerCase& layer : cases) {
    const bool conv = std::holds_alternative<Conv>(layer.op);
    if (!wanted(words.precisions, layer.precision) || !wanted(words.passes, layer.pass)) continue;
    if (conv && !wanted(words.layouts, layer.layout)) continue;
    if (!conv || words.algorithms.empty()) {
      part.push_back(layer);
      continue;
    }
    for (const std::string& algorithm : words.algorithms) {
      part.push_back(layer);
      part.back().algorithm = algorithm;
    }
  }
  return unique_cases(part);
}

CaseChoice choice_of(const Words& words) {
  CaseChoice choice;
  if (!words.precisions.empty()) choice.precisions = words.precisions;
  if (!words.passes.empty()) choice.passes = words.passes;
  if (!words.layouts.empty()) choice.layouts = words.layouts;
  if (!words.algorithms.empty()) choice.algorithms = words.algorithms;
  return choice;
}

}  // namespace

Result<Selected> select_cases(const Selection& selection) {
  const auto words = TRY(words_of(selection));
  Selected selected;
  const auto add = [&](const std::vector<LayerCase>& cases) {
    selected.cases.insert(selected.cases.end(), cases.begin(), cases.end());
  };
  for (const std::string& name : selection.networks) {
    const auto network = TRY(find_network(name));
    add(cases_of(layers_of(network->build(selection.batch_size.value_or(kDefaultBatch))), choice_of(words)));
  }
  for (const std::string& path : selection.tables) {
    const auto text = TRY(read_text_file(path));
    const auto table = TRY(cases_of_table(text, path));
    selected.left_out += table.left_out;
    add(part_of(table.cases, words));
  }
  if (selection.networks.empty() && selection.tables.empty()) add(part_of(default_cases(), words));
  selected.cases = unique_cases(selected.cases);
  if (selection.quick) selected.cases = quick(selected.cases);
  return selected;
}

}  // namespace rooftile::measure
