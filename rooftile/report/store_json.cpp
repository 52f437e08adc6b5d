#include <nlohmann/json.hpp>

#include "rooftile/report/store.hpp"

namespace rooftile {

std::string store_json(const StoreContents& contents) {
  using Json = nlohmann::ordered_json;
  Json measurements = Json::array(), fitted = Json::array(), predictions = Json::array();
  for (const store::MeasurementCount& count : contents.measurements) {
    measurements.push_back({{"gpu", count.subject.gpu},
                            {"op", count.subject.op},
                            {"precision", count.subject.precision},
                            {"pass", count.subject.pass},
                            {"software", count.subject.software},
                            {"file", count.origin.file},
                            {"format", count.origin.format},
                            {"source", count.origin.source},
                            {"date", count.origin.date},
                            {"rows", count.rows}});
  }
  for (const store::FittedModel& model : contents.fitted) {
    fitted.push_back(
        {{"name", model.name}, {"kind", model.kind}, {"fitted_on", model.fitted_on}, {"date", model.date}});
  }
  for (const store::SavedPrediction& one : contents.predictions) {
    Json object = {{"model", one.model},         {"gpu", one.gpu},   {"method", one.method},
                   {"precision", one.precision}, {"pass", one.pass}, {"batch_size", one.batch_size},
                   {"time_s", one.time.value()}};
    if (one.time_low) object["time_low_s"] = one.time_low->value();
    if (one.time_high) object["time_high_s"] = one.time_high->value();
    object["calibration"] = one.calibration;
    object["version"] = one.version;
    object["date"] = one.date;
    predictions.push_back(std::move(object));
  }
  const Json file = {{"schema", "rooftile/store/1"},
                     {"path", contents.path},
                     {"measurements", std::move(measurements)},
                     {"fitted", std::move(fitted)},
                     {"predictions", std::move(predictions)}};
  // Text from files may be of any encoding.
  return file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rooftile
