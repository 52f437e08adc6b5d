// The JSON Schema of workloads against the reader: the same keys, and both take the same files.
#include <iterator>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/ingest/workload_json_attributes.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using Names = std::set<std::string>;

const json& schema_text() {
  static const json text = json::parse(read_text_file("data/schema/workload-1.json").value());
  return text;
}

bool fits(const json& document) { return fits_schema(document, "workload-1.json"); }

template <std::size_t N, class T>
void add_names(Names& names, const std::array<Attribute<T>, N>& table) {
  for (const Attribute<T>& attribute : table) names.insert(attribute.name);
}

template <class Kind>
Names keys_of() {
  Names names = {"op", "name", "inputs", "shape", "outputs", "weights"};
  add_names(names, kAttributes<Kind>);
  if constexpr (std::is_same_v<Kind, Conv>) add_names(names, kAxisAttributes);
  if constexpr (std::is_same_v<Kind, Pool>) {
    add_names(names, kAxisAttributes);
    names.erase("in");
    names.erase("output_padding");
    names.insert({"ceil_mode", "global"});
  }
  if constexpr (std::is_same_v<Kind, Move>) names.insert("axis");
  return names;
}

template <std::size_t... I>
void expect_same_keys(std::index_sequence<I...>) {
  const auto check = [](const OpKind& kind, const Names& expected) {
    Names described;
    const json& properties = schema_text()["definitions"][std::string(name_of(kind))]["properties"];
    for (const auto& item : properties.items()) described.insert(item.key());
    EXPECT_EQ(described, expected) << name_of(kind);
  };
  (check(OpKind(std::in_place_index<I>), keys_of<std::variant_alternative_t<I, OpKind>>()), ...);
}

TEST(WorkloadSchema, HasTheKeysOfTheReader) {
  expect_same_keys(std::make_index_sequence<std::variant_size_v<OpKind>>());
}

TEST(WorkloadSchema, TakesWhatIsWritten) {
  EXPECT_TRUE(fits(json::parse(read_text_file("examples/tiny.json").value())));
  constexpr std::size_t kMostOps = 200;  // those that have more have more of the same
  for (const ZooEntry& entry : zoo()) {
    const Workload network = build_shallow(entry, 2);
    if (network.ops.size() > kMostOps) continue;
    EXPECT_TRUE(fits(json::parse(write_workload_json(network)))) << entry.name;
  }
  // An import lists its tensors, and its channel split has two results.
  const auto import = load_model("torchvision/shufflenet_v2_x1_0");
  ASSERT_TRUE(import.has_value());
  EXPECT_TRUE(fits(json::parse(write_workload_json(*import))));
}

// Mistakes that a schema can see; the reader refuses each of them too.
TEST(WorkloadSchema, RefusesWhatTheReaderRefuses) {
  const json good = json::parse(read_text_file("examples/tiny.json").value());
  const auto refused = [&](const std::string& pointer, const json& value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    EXPECT_FALSE(fits(bad)) << pointer << " = " << value;
    EXPECT_FALSE(parse_workload_json(bad.dump(), "bad.json").has_value()) << pointer << " = " << value;
  };
  refused("/schema", "rooftile/workload/2");
  refused("/name", 1);
  refused("/odd", 1);
  refused("/batch_size", 0);
  refused("/inputs/0/shape/0", 0);
  refused("/inputs/0/dtype", "fp31");
  refused("/ops/0/op", "covn");
  refused("/ops/0/stride", 0);
  refused("/ops/0/strid", 2);
  refused("/ops/0/pad", -1);
  refused("/ops/0/bias", 1);
  refused("/ops/1/function", nullptr);
  refused("/ops/4/function", "avrage");
  refused("/ops/8/shape", "0x-1");
  refused("/outputs/0", 1);
}

TEST(WorkloadSchema, HasEveryTypeOfATensor) {
  const Names known = schema_text()["definitions"]["dtype"]["enum"].get<Names>();
  for (int i = 0; i <= static_cast<int>(DType::q4_k_m); ++i) {
    EXPECT_TRUE(known.contains(std::string(name_of(static_cast<DType>(i))))) << name_of(static_cast<DType>(i));
  }
}

}  // namespace
}  // namespace rooftile
