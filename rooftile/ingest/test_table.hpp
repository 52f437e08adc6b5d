// Tables written in tests.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "rooftile/ingest/layer_table.hpp"

namespace rooftile {

inline LayerTable parsed_table(const std::string& csv, const LayerTableOptions& options = {}) {
  auto table = parse_layer_table(csv, "t.csv", options);
  if (table) return *table;
  ADD_FAILURE() << table.error().text();
  return {};
}

inline std::string table_error(const std::string& csv, const LayerTableOptions& options = {}) {
  const auto table = parse_layer_table(csv, "t.csv", options);
  return table ? "no error" : table.error().text();
}

}  // namespace rooftile
