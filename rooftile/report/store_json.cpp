#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/json_text.hpp"
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
  return json_text(file, 2);
}

std::string store_csv(const StoreContents& contents) {
  std::string text = write_csv_row(std::vector<std::string>{"gpu", "op", "precision", "pass", "software", "file",
                                                            "format", "source", "date", "rows"});
  for (const store::MeasurementCount& count : contents.measurements) {
    const store::Subject& subject = count.subject;
    const store::Origin& origin = count.origin;
    text += write_csv_row(std::vector<std::string>{subject.gpu, subject.op, subject.precision, subject.pass,
                                                   subject.software, origin.file, origin.format, origin.source,
                                                   origin.date, fmt::format("{}", count.rows)});
  }
  return text;
}

std::string store_check_json(const StoreCheck& check) {
  using Json = nlohmann::ordered_json;
  const Json json = {{"schema", "rooftile/store-check/1"},
                     {"path", check.path},
                     {"damaged", false},
                     {"measurements", check.measurements}};
  return json_text(json, 2);
}

}  // namespace rooftile
