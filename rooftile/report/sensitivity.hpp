// What each resource of a GPU is worth to a network (docs/sensitivity.md) as text, JSON and CSV.
#pragma once

#include <span>
#include <string>

#include "rooftile/explore/sensitivity.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct SensitivityTableOptions {
  bool all_layers = false;  // every layer in its order, not the ten slowest
};

std::string sensitivity_table(const Sensitivity& study, const SensitivityTableOptions& options = {},
                              std::size_t width = kAnyWidth);
// "rooftile/sensitivity/1": one object, or an array for several GPUs.
std::string sensitivity_json(std::span<const Sensitivity> studies);
// Of each GPU one row a resource for the network, then one a resource and layer.
std::string sensitivity_csv(std::span<const Sensitivity> studies);

}  // namespace rooftile
