// Two predictions side by side.
#include "rooftile/report/diff.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/time_range.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using SavedJson = nlohmann::json;

struct Side {
  DiffSide head;
  std::vector<DiffLayer> layers;  // in `a`
};

// Behind the name of a layer: the pass, where it is not forward.
std::string pass_of(const SavedJson& layer) {
  if (!layer.contains("pass") || !layer["pass"].is_string() || layer["pass"] == "fwd") return "";
  return " " + layer["pass"].get<std::string>();
}

// Why `json` is not a whole prediction, or "".
std::string problem_of(const SavedJson& json) {
  const auto is_time = [](const SavedJson& number) {
    return number.is_number() && (number == 0 || rooftile::is_time(Seconds(number.get<double>())));
  };
  for (const char* key : {"model", "gpu", "precision", "method"}) {
    if (!json.contains(key) || !json[key].is_string()) return fmt::format("'{}' is not a text", key);
  }
  if (!json.contains("batch_size") || !json["batch_size"].is_number_integer() || json["batch_size"] < 1)
    return "'batch_size' is not a whole number from 1 up";
  if (!json.contains("time_s") || !is_time(json["time_s"])) return "'time_s' is not a time";
  if (!json.contains("layers") || !json["layers"].is_array()) return "'layers' is not a list";
  std::set<std::string> names;
  for (const SavedJson& layer : json["layers"]) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) return "a layer has no name";
    const std::string name = layer["name"];
    if (!layer.contains("time_s") || !is_time(layer["time_s"]))
      return fmt::format("'time_s' of '{}' is not a time", name);
    if (!names.insert(name + pass_of(layer)).second) return fmt::format("two layers are called '{}'", name);
  }
  return "";
}

std::string text_at(const SavedJson& json, const char* key) {
  return one_line(json[key].get<std::string>(), std::string::npos);
}

Result<Side> read(std::string_view text, std::string_view where) {
  const auto bad = [&](const std::string& why) {
    return fail(ErrorCode::bad_input, one_line(why), std::string(where));
  };
  const SavedJson json = SavedJson::parse(text, nullptr, false);
  if (json.is_array()) return bad("holds several predictions; predict one GPU at a time to compare them");
  const bool prediction = json.is_object() && json.contains("schema") && json["schema"] == "rooftile/prediction/1";
  if (!prediction) {
    return bad("is not a prediction (\"schema\": \"rooftile/prediction/1\"); make one with predict --format json");
  }
  if (const std::string problem = problem_of(json); !problem.empty())
    return bad("is not a whole prediction: " + problem);
  Side side;
  side.head = {std::string(where),
               text_at(json, "model"),
               text_at(json, "gpu"),
               text_at(json, "precision"),
               text_at(json, "method"),
               json["batch_size"].get<std::int64_t>(),
               Seconds(json["time_s"].get<double>())};
  for (const SavedJson& layer : json["layers"]) {
    const bool limited = layer.contains("bottleneck") && layer["bottleneck"].is_string();
    const DiffLayer::Estimate estimate = {Seconds(layer["time_s"].get<double>()),
                                          limited ? text_at(layer, "bottleneck") : "-"};
    side.layers.push_back({text_at(layer, "name") + one_line(pass_of(layer)), estimate, std::nullopt});
  }
  return side;
}

std::string ratio(Seconds a, Seconds b) {
  if (a <= Seconds(0) || b <= Seconds(0)) return "-";
  return fmt::format("{:.3g}x", b / a);
}

std::string times(const DiffSide& a, const DiffSide& b, std::size_t width) {
  TextTable table({{""}, {"A", Align::right}, {"B", Align::right}, {"B / A", Align::right}});
  const auto row = [&](const char* what, const std::string& in_a, const std::string& in_b) {
    table.add({what, in_a, in_b, ""});
  };
  row("model", a.model, b.model);
  row("gpu", a.gpu, b.gpu);
  row("batch size", fmt::format("{}", a.batch_size), fmt::format("{}", b.batch_size));
  row("precision", a.precision, b.precision);
  row("method", a.method, b.method);
  table.add({"time", print(a.time), print(b.time), ratio(a.time, b.time)});
  const auto per_sample = [](const DiffSide& side) { return side.time / static_cast<double>(side.batch_size); };
  if (a.batch_size > 0 && b.batch_size > 0 && a.batch_size != b.batch_size) {
    table.add({"time per sample", print(per_sample(a)), print(per_sample(b)), ratio(per_sample(a), per_sample(b))});
  }
  return table.text(width);
}

}  // namespace

Result<PredictionDiff> diff_of(std::string_view json_a, std::string_view where_a, std::string_view json_b,
                               std::string_view where_b) {
  auto a = TRY(read(json_a, where_a));
  auto b = TRY(read(json_b, where_b));
  std::map<std::string, DiffLayer::Estimate> in_b;
  for (const DiffLayer& layer : b.layers) in_b[layer.name] = *layer.a;
  for (DiffLayer& layer : a.layers) {
    const auto found = in_b.find(layer.name);
    if (found == in_b.end()) continue;
    layer.b = std::move(found->second);
    in_b.erase(found);
  }
  const auto change = [](const DiffLayer& layer) {  // those of one alone come last
    return layer.b ? std::abs((layer.b->time - layer.a->time).value()) : -1;
  };
  std::stable_sort(a.layers.begin(), a.layers.end(),
                   [&](const DiffLayer& x, const DiffLayer& y) { return change(x) > change(y); });
  for (DiffLayer& layer : b.layers) {
    if (in_b.count(layer.name) != 0) a.layers.push_back({layer.name, std::nullopt, std::move(layer.a)});
  }
  return PredictionDiff{std::move(a.head), std::move(b.head), std::move(a.layers)};
}

std::string diff_table(const PredictionDiff& diff, std::size_t width) {
  TextTable changed({{"layer, largest change first", Align::left},
                     {"A", Align::right},
                     {"B", Align::right},
                     {"B - A", Align::right},
                     {"B / A", Align::right},
                     {"limited by"}});
  TextTable alone({{"only in one"}, {"A", Align::right}, {"B", Align::right}});
  std::size_t same = 0;
  for (const auto& [name, a, b] : diff.layers) {
    if (!a || !b) {
      alone.add({name, a ? print(a->time) : "", b ? print(b->time) : ""});
    } else if (*a == *b) {
      ++same;
    } else {
      changed.add({name, print(a->time), print(b->time), print(b->time - a->time), ratio(a->time, b->time),
                   a->limit == b->limit ? a->limit : fmt::format("{} -> {}", a->limit, b->limit)});
    }
  }
  std::string text = fmt::format("  A  {}\n  B  {}\n\n{}", diff.a.file, diff.b.file, times(diff.a, diff.b, width));
  if (!changed.empty()) text += "\n" + changed.text(width);
  if (same > 0) text += fmt::format("  {} the same\n", same == 1 ? "1 layer is" : fmt::format("{} layers are", same));
  if (!alone.empty()) text += "\n" + alone.text(width);
  return text;
}

Result<std::string> diff_report(std::string_view json_a, std::string_view where_a, std::string_view json_b,
                                std::string_view where_b, std::size_t width) {
  return diff_table(TRY(diff_of(json_a, where_a, json_b, where_b)), width);
}

}  // namespace rooftile
