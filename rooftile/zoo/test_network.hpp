// Networks built in, by name, for tests.
#pragma once

#include <algorithm>
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

// As entry.build(), but of a transformer the first layers alone, of which each kind is one: the others repeat them
// (transformer_test.cpp).
inline constexpr std::int64_t kShallowLayers = 6;
inline Workload build_shallow(const ZooEntry& entry, std::int64_t batch_size) {
  if (!entry.transformer) return entry.build(batch_size);
  Transformer shape = *entry.transformer;
  for (std::int64_t* layers : {&shape.layers, &shape.encoder_layers, &shape.generator_layers}) {
    *layers = std::min(*layers, kShallowLayers);
  }
  return build(shape, {.batch_size = batch_size, .seq_len = entry.seq_len.value_or(1), .image_size = entry.image_size});
}

template <class Kind>
std::size_t count(const Workload& workload) {
  std::size_t found = 0;
  for (const Op& op : workload.ops) found += std::holds_alternative<Kind>(op.kind);
  return found;
}

}  // namespace rooftile
