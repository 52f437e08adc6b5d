#include <nlohmann/json.hpp>

#include "rooftile/report/grey_box.hpp"
#include "rooftile/report/json_text.hpp"

namespace rooftile {

std::string model_comparison_json(const ModelComparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "rooftile/model-comparison/1"},
               {"rows", comparison.rows},
               {"left_out", comparison.left_out},
               {"trees", comparison.trees},
               {"scores", Json::array()}};
  for (const ModelScore& score : comparison.scores) {
    const regression::Errors& errors = score.errors;
    Json one = {{"split", score.split},
                {"operation", score.operation.empty() ? Json(nullptr) : Json(score.operation)},
                {"model", name_of(score.model)},
                {"rows", errors.rows},
                {"mape", errors.mape},
                {"median", errors.median},
                {"p90", errors.p90},
                {"gmae", errors.gmae ? Json(*errors.gmae) : Json(nullptr)}};
    if (score.width > 0) {
      one["inside"] = score.inside;
      one["width"] = score.width;
    }
    json["scores"].push_back(std::move(one));
  }
  return json_text(json);
}

}  // namespace rooftile
