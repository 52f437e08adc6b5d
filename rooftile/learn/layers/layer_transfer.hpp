// How well per-layer models fitted to some measured layers do on others: one network's model for another network.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/layers/layer_model.hpp"

namespace rooftile {

struct LayerTransfer {
  std::string fitted_to, judged_on;
  bool own_rows = false;  // judged on the rows that it was fitted to
  LayerScore forward, backward, both;
};

// A model of the samples that are not held out, judged on each network of those that are; on its own where none is.
Result<std::vector<LayerTransfer>> judge_networks(const regression::FittedModel& model,
                                                  std::span<const LayerSample> samples);

// A model fitted to each group alone (LayerSample::group, in the order in which they first come), judged on every
// group, its own first. Held-out samples are in no fit and no figure. Errors: those of fit_layers(); only one group.
Result<std::vector<LayerTransfer>> judge_groups(std::span<const LayerSample> samples);

}  // namespace rooftile
