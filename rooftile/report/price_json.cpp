#include "rooftile/report/price_json.hpp"

#include <nlohmann/json.hpp>

namespace rooftile {

constexpr double kHour = 3600;  // seconds

nlohmann::ordered_json price_json(const GpuPrice& price) {
  nlohmann::ordered_json json = {
      {"usd_per_hour", price.usd_per_hour()}, {"kind", price.kind}, {"source", price.source}};
  json["offers"] = price.offers;
  json["date"] = price.date.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(price.date);
  json["old"] = price.old;
  json["few"] = price.few;
  if (price.lowest) json["lowest_usd_per_hour"] = price.lowest->value() * kHour;
  if (price.highest) json["highest_usd_per_hour"] = price.highest->value() * kHour;
  json["providers"] = price.providers;
  json["tables"] = price.tables;
  return json;
}

}  // namespace rooftile
