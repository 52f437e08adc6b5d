#include "rooftile/explore/space_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/explore/constraint.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kMostSteps = 1000000;  // of one axis

class Reader : private TomlReader {
 public:
  explicit Reader(const std::string& where) : TomlReader(where), where_(where) {}

  Result<DesignSpace> read(const toml::table& root) {
    if (auto done = check_keys(root, "", {"gpu", "sampling", "samples", "seed", "constraints", "axes", "workload"});
        !done) {
      return tl::unexpected(done.error());
    }
    for (const auto step : {&Reader::read_gpu, &Reader::read_sampling, &Reader::read_axes, &Reader::read_constraints,
                            &Reader::read_workloads, &Reader::check_size}) {
      TRY((this->*step)(root));
    }
    return std::move(space_);
  }

 private:
  tl::unexpected<Error> missing(std::string message) const {
    return fail(ErrorCode::bad_input, std::move(message), where_);
  }

  Result<void> check_keys(const toml::table& table, std::string_view in, const std::vector<std::string>& known) const {
    for (auto&& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) return unknown(key, in, known);
    }
    return {};
  }

  Result<std::string> text_of(const toml::node& node, std::string_view what) const {
    const auto* text = node.as_string();
    if (text == nullptr) return error(node.source(), fmt::format("{} must be a string in quotes", what));
    return text->get();
  }

  Result<std::int64_t> whole_of(const toml::node& node, std::string_view what, std::int64_t least,
                                std::int64_t most) const {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < least || number->get() > most) {
      return error(node.source(), fmt::format("{} must be a whole number from {} to {}", what, least, most));
    }
    return number->get();
  }

  // A plain number, not NaN, so small or large that sums of its products stay numbers.
  Result<double> positive_of(const toml::node& node, std::string_view what) const {
    const std::optional<double> number = node.value<double>();
    constexpr double kLeast = 1e-12, kMost = 1e12;
    if (!node.is_number() || !number || !(*number >= kLeast && *number <= kMost)) {
      return error(node.source(), fmt::format("{} must be a number above 0, from 1e-12 to 1e12", what));
    }
    return *number;
  }

  Result<void> read_gpu(const toml::table& root) {
    const auto found = root.find("gpu");
    if (found == root.end()) return missing("has no gpu; write: gpu = \"titan-xp\"");
    auto name = TRY(text_of(found->second, "gpu"));
    auto gpu = find_gpu(name);
    if (!gpu) return error(found->second.source(), one_line(gpu.error().text()));
    space_.gpu = std::move(name);
    space_.base = std::move(*gpu);
    return {};
  }

  Result<void> read_sampling(const toml::table& root) {
    if (const auto found = root.find("sampling"); found != root.end()) {
      auto name = TRY(text_of(found->second, "sampling"));
      const std::vector<std::string> known = {"grid", "random", "sobol"};
      const auto which = std::find(known.begin(), known.end(), name);
      if (which == known.end()) {
        return error(found->second.source(),
                     fmt::format("unknown sampling '{}'; known: grid, random, sobol", one_line(name)));
      }
      space_.sampling = static_cast<Sampling>(which - known.begin());
    }
    const bool grid = space_.sampling == Sampling::grid;
    for (const char* key : {"samples", "seed"}) {
      const auto found = root.find(key);
      if (found == root.end()) continue;
      if (grid)
        return error(found->second.source(), fmt::format("{} is for sampling random or sobol, not for a grid", key));
      const bool samples = key == std::string_view("samples");
      const auto number = TRY(whole_of(found->second, key, samples ? 1 : 0, static_cast<std::int64_t>(kMostDesigns)));
      (samples ? space_.samples : space_.seed) = static_cast<std::uint64_t>(number);
    }
    if (!grid && space_.samples == 0) return missing("sampling needs samples = COUNT");
    return {};
  }

  Result<void> read_axes(const toml::table& root) {
    const auto found = root.find("axes");
    if (found == root.end()) return missing("has no [axes]: nothing varies");
    const auto* axes = found->second.as_table();
    if (axes == nullptr) return error(found->second.source(), "'axes' must be a table: [axes]");
    if (axes->empty()) return error(axes->source(), "[axes] is empty: nothing varies");
    // In the order of the file: toml++ sorts keys by name.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto&& [key, node] : *axes) entries.emplace_back(&key, &node);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const toml::source_position& left = a.first->source().begin;
      const toml::source_position& right = b.first->source().begin;
      return std::pair(left.line, left.column) < std::pair(right.line, right.column);
    });
    for (const auto& entry : entries) {
      TRY(read_axis(*entry.first, *entry.second));
    }
    return {};
  }

  Result<void> read_axis(const toml::key& key, const toml::node& node) {
    const auto parameter = find_parameter(key.str());
    if (!parameter) {
      std::string hint = did_you_mean(key.str(), parameter_names());
      if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(parameter_names(), ", "));
      return error(key.source(), fmt::format("unknown axis '{}'{}", one_line(key.str()), hint));
    }
    const double base = row_of(*parameter).read(space_.base);
    if (base == 0) {
      return error(key.source(), fmt::format("{} has no {} that could vary", space_.base.id, key.str()));
    }
    const auto* table = node.as_table();
    if (table == nullptr) {
      return error(node.source(),
                   fmt::format("{} must be written {{ values = […] }}, {{ multiples = […] }} or {{ from = "
                               "…, to = …, steps = … }}",
                               key.str()));
    }
    if (auto done = check_keys(*table, fmt::format(" of axis {}", key.str()),
                               {"values", "multiples", "from", "to", "steps", "spacing"});
        !done) {
      return done;
    }
    const auto values = table->find("values"), multiples = table->find("multiples");
    const bool range = table->contains("from") || table->contains("to");
    const int forms = (values != table->end() ? 1 : 0) + (multiples != table->end() ? 1 : 0) + (range ? 1 : 0);
    if (forms != 1) {
      return error(table->source(), fmt::format("axis {} takes one of values, multiples, and from with to", key.str()));
    }
    DesignAxis axis;
    axis.parameter = *parameter;
    Result<void> done;
    if (values != table->end()) {
      done = read_list(values->second, axis, std::nullopt);
    } else if (multiples != table->end() && multiples->second.is_table()) {
      done = read_range(*multiples->second.as_table(), axis, base, true);
    } else if (multiples != table->end()) {
      done = read_list(multiples->second, axis, base);
    } else {
      done = read_range(*table, axis, base, false);
    }
    if (!done) return done;
    if (!range) {
      for (const char* other : {"steps", "spacing"}) {
        if (table->contains(other)) {
          return error(table->source(),
                       fmt::format("axis {}: {} is for a range, beside its from and to", key.str(), other));
        }
      }
    }
    space_.axes.push_back(std::move(axis));
    return {};
  }

  // One value in base units; `base` if it is a multiple of that.
  Result<double> read_value(const toml::node& node, Parameter parameter, std::optional<double> base) const {
    const ParameterRow& row = row_of(parameter);
    double value = 0;
    if (base) {
      auto factor = positive_of(node, fmt::format("a multiple of {}", row.name));
      if (!factor) return factor;
      value = *factor * *base;
      if (row.whole) value = std::round(value);
    } else if (is_quantity(row.unit)) {
      const auto* text = node.as_string();
      if (text == nullptr) {
        return error(node.source(), fmt::format("{} must be a number and its unit in quotes, as in {}", row.name,
                                                example_of(row.unit)));
      }
      const auto number = parse_quantity(row.unit, text->get());
      if (!number) return error(node.source(), fmt::format("{}: {}", row.name, one_line(number.error().message)));
      value = *number;
    } else {
      auto number = positive_of(node, row.name);
      if (!number) return number;
      value = *number;
    }
    if (row.whole && value != std::floor(value)) {
      return error(node.source(), fmt::format("{} must be a whole number", row.name));
    }
    if (!(value >= row.least && value <= row.most)) {
      return error(node.source(), fmt::format("{} = {} is out of range: {} to {}", row.name, print(parameter, value),
                                              print(parameter, row.least), print(parameter, row.most)));
    }
    if (parameter == Parameter::cta_tile && value != kTileRows && value != kWideTileRows) {
      return error(node.source(), fmt::format("cta_tile is {} or {}", kTileRows, kWideTileRows));
    }
    return value;
  }

  Result<void> read_list(const toml::node& node, DesignAxis& axis, std::optional<double> base) const {
    const auto* list = node.as_array();
    if (list == nullptr)
      return error(node.source(), "must be a list in brackets, or for multiples also { from, to, steps }");
    if (list->empty()) return error(node.source(), fmt::format("axis {} has no values", name_of(axis.parameter)));
    for (const toml::node& element : *list) {
      const auto value = TRY(read_value(element, axis.parameter, base));
      if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
        return error(element.source(),
                     fmt::format("axis {} has {} twice", name_of(axis.parameter), print(axis.parameter, value)));
      }
      axis.values.push_back(value);
    }
    return {};
  }

  Result<void> read_range(const toml::table& table, DesignAxis& axis, double base, bool multiples) const {
    const std::string_view name = name_of(axis.parameter);
    if (axis.parameter == Parameter::cta_tile) return error(table.source(), "cta_tile takes values, not a range");
    if (multiples) {
      auto done = check_keys(table, fmt::format(" of axis {}", name), {"from", "to", "steps", "spacing"});
      if (!done) return done;
    }
    double ends[2] = {};
    for (const int end : {0, 1}) {
      const auto found = table.find(end == 0 ? "from" : "to");
      if (found == table.end()) return error(table.source(), fmt::format("axis {} needs from and to", name));
      const auto value = TRY(read_value(found->second, axis.parameter, multiples ? std::optional(base) : std::nullopt));
      ends[end] = value;
    }
    if (!(ends[0] < ends[1])) {
      return error(table.source(), fmt::format("axis {} goes from {} to {}: it must increase", name,
                                               print(axis.parameter, ends[0]), print(axis.parameter, ends[1])));
    }
    if (const auto found = table.find("spacing"); found != table.end()) {
      const auto spacing = TRY(text_of(found->second, "spacing"));
      if (spacing != "linear" && spacing != "geometric") {
        return error(found->second.source(),
                     fmt::format("unknown spacing '{}'; known: linear, geometric", one_line(spacing)));
      }
      axis.spacing = spacing == "linear" ? Spacing::linear : Spacing::geometric;
    }
    const auto steps = table.find("steps");
    if (steps == table.end()) {
      if (space_.sampling == Sampling::grid) {
        return error(table.source(),
                     fmt::format("axis {} needs steps = COUNT, its number of values in the grid", name));
      }
      axis.range = true;
      axis.values = {ends[0], ends[1]};
      return {};
    }
    const auto count = TRY(whole_of(steps->second, "steps", 2, kMostSteps));
    add_steps(axis, ends[0], ends[1], count);
    return {};
  }

  // Ends exactly; whole values that round to the same are one.
  static void add_steps(DesignAxis& axis, double low, double high, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double place = static_cast<double>(i) / static_cast<double>(count - 1);
      double value = axis.spacing == Spacing::linear ? low + (high - low) * place : low * std::pow(high / low, place);
      if (i == count - 1) value = high;
      if (row_of(axis.parameter).whole) value = std::round(value);
      if (axis.values.empty() || value != axis.values.back()) axis.values.push_back(value);
    }
  }

  Result<void> read_constraints(const toml::table& root) {
    const auto found = root.find("constraints");
    if (found == root.end()) return {};
    const auto* list = found->second.as_array();
    if (list == nullptr) return error(found->second.source(), "constraints must be a list of strings");
    for (const toml::node& element : *list) {
      auto text = TRY(text_of(element, "a constraint"));
      if (auto parsed = Constraints::parse({text}); !parsed) return error(element.source(), parsed.error().text());
      space_.constraints.push_back(std::move(text));
    }
    return {};
  }

  Result<void> read_workloads(const toml::table& root) {
    const auto found = root.find("workload");
    if (found == root.end()) return missing("has no [[workload]] for the designs to run");
    const auto* list = found->second.as_array();
    if (list == nullptr || list->empty()) {
      return error(found->second.source(), "a workload is written [[workload]], with two brackets");
    }
    for (const toml::node& element : *list) {
      const auto* table = element.as_table();
      if (table == nullptr) return error(element.source(), "a workload is written [[workload]]");
      TRY(read_workload(*table));
    }
    return {};
  }

  Result<void> read_workload(const toml::table& table) {
    if (auto done = check_keys(table, " of a workload", {"model", "batch_size", "weight", "layers", "pass"}); !done)
      return done;
    WorkloadChoice choice;
    const auto model = table.find("model");
    if (model == table.end()) return error(table.source(), "a workload needs a model: model = \"resnet152\"");
    auto name = TRY(text_of(model->second, "model"));
    choice.model = std::move(name);
    if (choice.model == "-") return error(model->second.source(), "a workload cannot be standard input");
    if (const auto found = table.find("batch_size"); found != table.end()) {
      const auto batch = TRY(whole_of(found->second, "batch_size", 1, kMaxDimension));
      choice.batch_size = batch;
    }
    if (const auto found = table.find("weight"); found != table.end()) {
      const auto weight = TRY(positive_of(found->second, "weight"));
      choice.weight = weight;
    }
    if (const auto found = table.find("layers"); found != table.end()) {
      const auto layers = TRY(text_of(found->second, "layers"));
      if (layers != "all" && layers != "convolutions") {
        return error(found->second.source(),
                     fmt::format("unknown layers '{}'; known: all, convolutions", one_line(layers)));
      }
      choice.convolutions_only = layers == "convolutions";
    }
    if (const auto found = table.find("pass"); found != table.end()) {
      const auto pass = TRY(text_of(found->second, "pass"));
      const auto phase = parse_phase(pass);
      if (!phase) {
        std::string hint = did_you_mean(pass, phase_names());
        if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(phase_names(), ", "));
        return error(found->second.source(), fmt::format("unknown pass '{}'{}", one_line(pass), hint));
      }
      choice.phase = *phase;
    }
    space_.workloads.push_back(std::move(choice));
    return {};
  }

  Result<void> check_size(const toml::table& root) {
    if (space_.sampling != Sampling::grid) return {};
    double size = 1;
    for (const DesignAxis& axis : space_.axes) size *= static_cast<double>(axis.values.size());
    if (size <= static_cast<double>(kMostDesigns)) return {};
    return error(root.find("axes")->second.source(),
                 fmt::format("the grid has {:.3g} designs, at most {:.3g} are counted", size,
                             static_cast<double>(kMostDesigns)));
  }

  const std::string& where_;
  DesignSpace space_;
};

}  // namespace

Result<DesignSpace> parse_space(std::string_view toml, const std::string& where) {
  const auto root = TRY(parse_toml(toml, where, "a design space"));
  return Reader(where).read(root);
}

}  // namespace rooftile
