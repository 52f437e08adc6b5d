// A fit as an optimiser sees it: parameters from 0 to 1 and a cost.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rooftile/learn/constants/fit.hpp"

namespace rooftile {

// Parameters are the constants of the family that are fitted, between their bounds, then what the family's form takes
// from each harness.
class FitProblem {
 public:
  // `rows` and `prior` must outlive the problem. `rotates` is Harness::rotates of each harness, which no optimiser can
  // vary.
  FitProblem(const FitRows& rows, const Prior& prior, std::vector<bool> rotates);

  std::size_t size() const { return start_.size(); }
  std::size_t constants_size() const { return fitted_.size(); }
  const std::vector<double>& start() const { return start_; }
  const ConstantInfo& info(std::size_t parameter) const { return table_[fitted_[parameter]]; }

  Constants constants(const std::vector<double>& x) const;
  std::vector<Harness> harnesses(const std::vector<double>& x) const;

  // ln(measured / predicted) of each row.
  std::vector<double> residuals(const std::vector<double>& x) const;

  // Mean |residual|, smooth at zero, plus the pull of the prior.
  double cost(const std::vector<double>& x) const;

 private:
  const FitRows& rows_;
  const Prior& prior_;
  std::vector<bool> rotates_;
  std::span<const ConstantInfo> table_;
  Constants base_;                   // what is not fitted
  std::vector<std::size_t> fitted_;  // places in the table
  std::vector<double> start_;
};

}  // namespace rooftile
