#include "rooftile/report/validation_json.hpp"

#include <optional>
#include <string>

#include "rooftile/report/json_text.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json key_json(const Validation& validation, const std::vector<std::string>& key) {
  Json json = Json::object();
  for (std::size_t i = 0; i < key.size(); ++i) json[validation.by[i]] = key[i];
  return json;
}

Json group_json(const Validation& validation, const ScoredGroup& group) {
  Json json = Json::object();
  if (!group.key.empty()) json["key"] = key_json(validation, group.key);
  const Score& score = group.score;
  const auto figure = [&](double value) { return score.rows == 0 ? Json(nullptr) : Json(value); };
  json["method"] = group.method;
  json["rows"] = score.rows;
  json["ratio"] = figure(score.ratio);
  json["gmae"] = figure(score.gmae);
  json["mape"] = figure(score.mape);
  json["median"] = figure(score.median);
  json["p90"] = figure(score.p90);
  json["intervals"] = score.intervals;
  json["inside"] = optional(score.inside);
  json["width"] = optional(score.width);
  json["flagged"] = score.flagged;
  json["gmae_with_flagged"] = optional(score.gmae_with_flagged);
  json["rank"] = optional(score.rank);
  return json;
}

Json reasons_json(const std::vector<LeftOut>& rows) {
  Json json = Json::array();
  for (const LeftOut& left : rows) {
    const Json method = left.method.empty() ? Json(nullptr) : Json(left.method);
    json.push_back({{"rows", left.rows}, {"method", method}, {"reason", left.reason}});
  }
  return json;
}

Json pairs_json(const Validation& validation) {
  Json json = Json::array();
  for (const GpuPairs& pairs : validation.pairs) {
    Json row = Json::object();
    if (!pairs.key.empty()) row["key"] = key_json(validation, pairs.key);
    row.update({{"method", pairs.method},
                {"pairs", pairs.pairs},
                {"ordered", pairs.ordered},
                {"ratio_error", pairs.ratio_error}});
    json.push_back(std::move(row));
  }
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
               {"left_out", reasons_json(validation.left_out)},
               {"no_interval", reasons_json(validation.no_interval)}};
  if (!validation.by.empty()) {
    for (const ScoredGroup& group : validation.groups) json["groups"].push_back(group_json(validation, group));
  }
  for (const ScoredGroup& group : validation.overall) json["overall"].push_back(group_json(validation, group));
  if (!validation.pairs.empty()) json["pairs"] = pairs_json(validation);
  return json;
}

std::string validation_json(const Validation& validation) { return json_text(json_of(validation)); }

}  // namespace rooftile
