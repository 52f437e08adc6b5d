// An explanation as JSON.
#include <string>

#include <nlohmann/json.hpp>

#include "rooftile/report/explanation.hpp"
#include "rooftile/report/json_text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ExplainedCell& cell) {
  const Json value = cell.value ? Json(*cell.value) : Json(nullptr);  // one that is not finite becomes null as well
  return {{"value", value}, {"unit", cell.unit}, {"text", cell.text}};
}

Json json_of(const Section& section) {
  Json rows = Json::array();
  for (const Section::Row& row : section.rows) {
    Json json = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Section::Column& column = section.columns[i];
      if (column.role == Section::Role::mark) continue;
      json[column.key] = column.role == Section::Role::quantity ? json_of(row.cells[i]) : Json(row.cells[i].text);
    }
    json["marked"] = row.marked;
    rows.push_back(std::move(json));
  }
  return {{"part", section.part}, {"title", section.title}, {"note", section.note}, {"rows", std::move(rows)}};
}

Json json_of(const Fact& fact) {
  return {{"key", fact.key},
          {"quantity", json_of(cell_of(fact))},
          {"kind", name_of(fact.kind)},
          {"source", fact.source},
          {"note", fact.note}};
}

Json json_of(const Explanation& explanation) {
  Json json = {{"schema", "rooftile/explanation/1"},
               {"model", explanation.model},
               {"layer", explanation.layer},
               {"op", explanation.op}};
  if (!explanation.function.empty()) json["function"] = explanation.function;
  if (!explanation.members.empty()) json["operators"] = explanation.members;
  json["pass"] = name_of(explanation.pass);
  json["gpu"] = explanation.gpu;
  json["precision"] = name_of(explanation.precision);
  json["method"] = name_of(explanation.method);
  json["time_s"] = explanation.time.value();
  if (explanation.interval) {
    json["time_low_s"] = explanation.interval->low.value();
    json["time_high_s"] = explanation.interval->high.value();
  }
  json["bottleneck"] = explanation.method == Method::none ? Json(nullptr) : Json(name_of(explanation.bottleneck));
  json["ratio_of_calls"] = explanation.ratio_of_calls;
  json["sections"] = Json::array();
  for (const Section& section : explanation.sections) json["sections"].push_back(json_of(section));
  json["gpu_facts"] = Json::array();
  for (const Fact& fact : explanation.facts) json["gpu_facts"].push_back(json_of(fact));
  return json;
}

}  // namespace

std::string explanation_json(std::span<const Explanation> explanations) {
  Json json = Json::array();
  for (const Explanation& explanation : explanations) json.push_back(json_of(explanation));
  // A model may carry any bytes in its names; what is not UTF-8 is replaced, not fatal.
  return json_list_text(json);
}

}  // namespace rooftile
