// Plots over the layers of the networks, by their names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rooftile/evaluation/figure.hpp"
#include "rooftile/evaluation/layers.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// A plot whose x is the place of a layer in `layers`, from 1, each named, with networks apart and named.
Plot plot_over(const std::vector<EvaluatedLayer>& layers);

// "sim: …" captions end like this: batch and precision.
std::string batch_note(std::int64_t batch);

// An id as part of a file name: anything but letters, digits, "." and "-" becomes "_".
std::string file_part(const std::string& id);

}  // namespace rooftile
