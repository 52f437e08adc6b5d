#include "rooftile/learn/constants/fit_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rooftile {
namespace {

// A number of a harness that a form of the model takes, and its bounds.
struct HarnessParameter {
  double low, high, start;
  void (*set)(Harness&, double);
};

// Beyond the bounds lies no framework's call. Counts vary as their logarithm: the step from one to two matters as much
// as from 10 to 20.
constexpr double kMostOverhead = 150e-6, kMostLogCount = 3.912;
constexpr HarnessParameter kOverhead = {0, kMostOverhead, 15e-6,
                                        [](Harness& h, double value) { h.overhead = Seconds(value); }};
// As its logarithm, where calls last a few microseconds: from 0.1 to 100 us.
constexpr HarnessParameter kShortOverhead = {-16.118, -9.210, -13.816,
                                             [](Harness& h, double value) { h.overhead = Seconds(std::exp(value)); }};
// Of a call that prepares a whole sequence.
constexpr double kMostSequenceOverhead = 500e-6;
constexpr HarnessParameter kSequenceOverhead = {0, kMostSequenceOverhead, 60e-6,
                                                [](Harness& h, double value) { h.overhead = Seconds(value); }};
constexpr HarnessParameter kFloor = {0, kMostOverhead, 15e-6,
                                     [](Harness& h, double value) { h.floor = Seconds(value); }};
constexpr HarnessParameter kWeightSets = {0, kMostLogCount, 1.4,
                                          [](Harness& h, double value) { h.weight_sets = std::exp(value); }};
constexpr HarnessParameter kStepLaunches = {0, kMostLogCount, 1.4,
                                            [](Harness& h, double value) { h.step_launches = std::exp(value); }};

std::span<const HarnessParameter> harness_parameters(KernelFamily family) {
  static constexpr std::array kConv = {kOverhead};
  static constexpr std::array kGemm = {kOverhead, kFloor};
  static constexpr std::array kStream = {kShortOverhead, kFloor};
  static constexpr std::array kTensor = {kShortOverhead, kWeightSets};
  static constexpr std::array kTensorConv = {kShortOverhead};
  static constexpr std::array kRecurrent = {kSequenceOverhead, kStepLaunches};
  switch (family) {
    case KernelFamily::conv_simt:
      return kConv;
    case KernelFamily::gemm_simt:
      return kGemm;
    case KernelFamily::tensor:
      return kTensor;
    case KernelFamily::conv_tensor:
      return kTensorConv;
    case KernelFamily::attention:
    case KernelFamily::conv_miopen:
      return {};  // their forms count the kernels of a call
    case KernelFamily::stream:
      return kStream;
    case KernelFamily::recurrent:
      return kRecurrent;
  }
  return {};
}

double within(double x, double low, double high) { return low + std::clamp(x, 0.0, 1.0) * (high - low); }

}  // namespace

FitProblem::FitProblem(const FitRows& rows, const Prior& prior, std::vector<bool> rotates)
    : rows_(rows),
      prior_(prior),
      rotates_(std::move(rotates)),
      table_(constant_table(rows.family)),
      base_(prior.constants.value_or(unfitted_constants(rows.family))) {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (!table_[i].fitted) continue;
    fitted_.push_back(i);
    start_.push_back((base_.values[i] - table_[i].low) / (table_[i].high - table_[i].low));
  }
  for (std::size_t h = 0; h < rows.harnesses.size(); ++h) {
    for (const HarnessParameter& parameter : harness_parameters(rows.family)) {
      start_.push_back((parameter.start - parameter.low) / (parameter.high - parameter.low));
    }
  }
}

Constants FitProblem::constants(const std::vector<double>& x) const {
  Constants constants = base_;
  for (std::size_t i = 0; i < fitted_.size(); ++i) {
    const ConstantInfo& row = table_[fitted_[i]];
    constants.values[fitted_[i]] = within(x[i], row.low, row.high);
  }
  return constants;
}

std::vector<Harness> FitProblem::harnesses(const std::vector<double>& x) const {
  std::vector<Harness> harnesses = rows_.harnesses;
  std::size_t place = fitted_.size();
  for (std::size_t i = 0; i < harnesses.size(); ++i) {
    Harness& harness = harnesses[i];
    harness.rotates = rotates_[i];
    for (const HarnessParameter& parameter : harness_parameters(rows_.family)) {
      parameter.set(harness, within(x[place++], parameter.low, parameter.high));
    }
  }
  return harnesses;
}

std::vector<double> FitProblem::residuals(const std::vector<double>& x) const {
  const Constants constants = this->constants(x);
  const std::vector<Harness> harnesses = this->harnesses(x);
  std::vector<double> result;
  result.reserve(rows_.rows.size());
  for (const FitRow& row : rows_.rows) {
    result.push_back(residual_of(row, rows_.rates, constants, harnesses[row.harness]));
  }
  return result;
}

double FitProblem::cost(const std::vector<double>& x) const {
  constexpr double kSmooth = 0.01;
  double sum = 0;
  for (const double residual : residuals(x)) sum += std::sqrt(residual * residual + kSmooth * kSmooth);
  double pull = 0;
  for (std::size_t i = 0; i < fitted_.size(); ++i) pull += (x[i] - start_[i]) * (x[i] - start_[i]);
  return (sum + prior_.strength * pull) / static_cast<double>(rows_.rows.size());
}

}  // namespace rooftile
