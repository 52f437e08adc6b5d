#include "rooftile/report/fitted_validation.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/validation_json.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const UnseenRows& unseen) { return {{"rows", unseen.rows}, {"names", unseen.names}}; }

}  // namespace

std::string fitted_validation_json(const FittedValidation& result) {
  Json json = json_of(result.validation);
  json["beyond"] = {{"rows", rows_beyond(result)},
                    {"other_gpus", json_of(result.other_gpus)},
                    {"other_precisions", json_of(result.other_precisions)}};
  return json_text(json);
}

}  // namespace rooftile
