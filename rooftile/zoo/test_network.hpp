// Networks built in, by name, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "rooftile/workload/workload.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {

inline Workload zoo_network(std::string_view name, std::int64_t batch_size = 1) {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == name) return entry.build(batch_size);
  }
  ADD_FAILURE() << "no network " << name;
  return {};
}

template <class Kind>
std::size_t count(const Workload& workload) {
  std::size_t found = 0;
  for (const Op& op : workload.ops) found += std::holds_alternative<Kind>(op.kind);
  return found;
}

}  // namespace rooftile
