#include "rooftile/report/validation_json.hpp"

#include <optional>
#include <string>

#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json group_json(const Validation& validation, const ScoredGroup& group) {
  Json json = Json::object();
  if (!group.key.empty()) {
    json["key"] = Json::object();
    for (std::size_t i = 0; i < group.key.size(); ++i) json["key"][validation.by[i]] = group.key[i];
  }
  const Score& score = group.score;
  json["method"] = group.method;
  json["rows"] = score.rows;
  json["ratio"] = score.ratio;
  json["gmae"] = score.gmae;
  json["mape"] = score.mape;
  json["median"] = score.median;
  json["p90"] = score.p90;
  json["intervals"] = score.intervals;
  json["inside"] = optional(score.inside);
  json["width"] = optional(score.width);
  return json;
}

}  // namespace

Json json_of(const Validation& validation) {
  Json json = {{"schema", "rooftile/validation/1"},
               {"quantity", name_of(validation.quantity)},
               {"tables", validation.tables},
               {"methods", validation.methods},
               {"by", validation.by},
               {"where", validation.where.empty() ? Json(nullptr) : Json(validation.where)},
               {"ignored", validation.ignored},
               {"groups", Json::array()},
               {"overall", Json::array()},
               {"left_out", Json::array()}};
  if (!validation.by.empty()) {
    for (const ScoredGroup& group : validation.groups) json["groups"].push_back(group_json(validation, group));
  }
  for (const ScoredGroup& group : validation.overall) json["overall"].push_back(group_json(validation, group));
  for (const LeftOut& left : validation.left_out) {
    const Json method = left.method.empty() ? Json(nullptr) : Json(left.method);
    json["left_out"].push_back({{"rows", left.rows}, {"method", method}, {"reason", left.reason}});
  }
  return json;
}

std::string validation_json(const Validation& validation) {
  return json_of(validation).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rooftile
