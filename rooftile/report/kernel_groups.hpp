// Kernels that are alike in all numbers, as the repeated layers of a transformer are: charts show each once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/roofline/view.hpp"

namespace rooftile {

struct KernelGroup {
  const roofline::Kernel* kernel = nullptr;  // the first; the others differ from it in the digits of their names
  std::string name;                          // "layer*/mlp/down x 12": a star where the digits differ; of one, its own
  std::size_t count = 1;
  Seconds time;  // of all
};

// In the order of their first kernels.
std::vector<KernelGroup> equal_kernels(const std::vector<roofline::Kernel>& kernels);

// The name in `width` columns before its "x 12": without modules that the next one names again, and cut.
std::string short_name(const KernelGroup& group, std::size_t width);

// What to tell of it beside its numbers: "layer*/mlp/down x 12, 203.8 us each"; of one "conv1, 203.8 us".
std::string title_of(const KernelGroup& group);

}  // namespace rooftile
