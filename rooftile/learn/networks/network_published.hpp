// Errors that were published for extrapolations of end-to-end models, to set beside one's own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

struct PublishedErrors {
  std::string_view beyond;              // "batch size", "number of GPUs", "computing power", "inner modules"
  std::string_view network, framework;  // "ResNet-50", "PyTorch"
  std::string_view cases;               // what the numbers differ by
  std::vector<double> mape;             // fractions
};

// Gianniti, Zhang, Ardagna (poster of the work in Cluster Computing 2022, doi 10.1007/s10586-021-03428-8): tables of
// extrapolation. Their raw data is not public, and the poster does not say which values were fitted to.
std::span<const PublishedErrors> published_errors();

// Which of these tables an extrapolation over that column compares with; empty: none.
std::string_view published_kind(std::string_view column);

}  // namespace rooftile
