#include "rooftile/base/test_json_schema.hpp"

#include <fstream>
#include <map>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace rooftile {
namespace {

struct ReadSchema {
  nlohmann::json text;
  valijson::Schema schema;
};

const valijson::Schema& schema_of(const std::string& name) {
  static std::map<std::string, ReadSchema> read;
  const auto [place, is_new] = read.try_emplace(name);
  ReadSchema& one = place->second;
  if (is_new) {
    std::ifstream file("data/schema/" + name);
    one.text = nlohmann::json::parse(file);
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(one.text), one.schema);
  }
  return one.schema;
}

}  // namespace

bool fits_schema(const nlohmann::json& value, const std::string& name) {
  return valijson::Validator().validate(schema_of(name), valijson::adapters::NlohmannJsonAdapter(value), nullptr);
}

}  // namespace rooftile
