// The constants of one kernel family: for any GPU, each vendor, each architecture and each GPU, its harnesses, and what
// groups of rows that were left out are off by.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/learn/constants/calibrate.hpp"
#include "rooftile/learn/constants/group_spread.hpp"

namespace rooftile {

// The rows of a family on a GPU, with the plans of either way to choose a tile.
using Choices = std::vector<FitRows>;

// All GPUs of a family.
struct FamilyRows {
  KernelFamily family = KernelFamily::conv_simt;
  std::vector<Choices> gpus;

  // Whose libraries' kernels the constants for any GPU are of; another vendor's GPUs have constants of their own.
  std::string main_vendor() const;
  std::vector<std::string> other_vendors() const;
  std::size_t rows() const;
};

// What groups of rows of a vendor's GPUs that compute with the same unit are off by under the constants of others.
struct ForeignResiduals {
  GroupResiduals gpus;     // each under those of the vendor's others; none where there is but one
  GroupResiduals calls;    // the same by GPU and framework; of one GPU what the fit to it leaves
  GroupResiduals sources;  // each under those that the GPU's other sources say
  GroupResiduals named;    // of these, those whose framework somebody else calls
};

struct FamilyCalibration {
  std::vector<CalibrationEntry> entries;  // without spreads
  std::vector<Fit> fits;                  // one for each
  std::vector<Harness> harnesses;
  std::vector<std::pair<std::size_t, GroupResiduals>> own;  // by entry
  std::map<std::string, ForeignResiduals> foreign;          // by spread_scope()
};

// How many fits it takes.
std::size_t fits_of(const FamilyRows& family, const CalibrateOptions& options);

// Calls `count` after each of them.
FamilyCalibration calibrate_family(const FamilyRows& family, const CalibrateOptions& options,
                                   const std::function<void()>& count);

}  // namespace rooftile
