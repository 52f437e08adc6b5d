#include "rooftile/learn/layers/layer_transfer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

using regression::FittedModel;

Result<LayerTransfer> judge(const FittedModel& model, std::span<const LayerSample> samples) {
  LayerTransfer transfer;
  auto forward = TRY(score_layers(model, samples, LayerDirection::forward));
  auto backward = TRY(score_layers(model, samples, LayerDirection::backward));
  auto both = TRY(score_layers(model, samples));
  transfer.forward = std::move(forward);
  transfer.backward = std::move(backward);
  transfer.both = std::move(both);
  return transfer;
}

// The values of a field in the order in which they first come.
std::vector<std::string> names_of(std::span<const LayerSample> samples, std::string LayerSample::*field) {
  std::vector<std::string> names;
  for (const LayerSample& sample : samples) {
    if (std::find(names.begin(), names.end(), sample.*field) == names.end()) names.push_back(sample.*field);
  }
  return names;
}

template <class Keep>
std::vector<LayerSample> those(std::span<const LayerSample> samples, Keep keep) {
  std::vector<LayerSample> chosen;
  for (const LayerSample& sample : samples) {
    if (keep(sample)) chosen.push_back(sample);
  }
  return chosen;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// One transfer a network.
Result<std::vector<LayerTransfer>> judge_each(const FittedModel& model, std::span<const LayerSample> samples,
                                              const std::string& fitted_to, bool own_rows) {
  std::vector<LayerTransfer> transfers;
  for (const std::string& name : names_of(samples, &LayerSample::network)) {
    auto transfer =
        TRY(judge(model, those(samples, [&](const LayerSample& sample) { return sample.network == name; })));
    transfer.fitted_to = fitted_to;
    transfer.judged_on = name;
    transfer.own_rows = own_rows;
    transfers.push_back(std::move(transfer));
  }
  return transfers;
}

}  // namespace

Result<std::vector<LayerTransfer>> judge_networks(const FittedModel& model, std::span<const LayerSample> samples) {
  const auto fitted = those(samples, [](const LayerSample& sample) { return !sample.held_out; });
  const auto held_out = those(samples, [](const LayerSample& sample) { return sample.held_out; });
  const std::string name = joined(names_of(fitted, &LayerSample::network));
  return judge_each(model, held_out.empty() ? fitted : held_out, name, held_out.empty());
}

Result<std::vector<LayerTransfer>> judge_groups(std::span<const LayerSample> samples) {
  const auto all = those(samples, [](const LayerSample& sample) { return !sample.held_out; });
  const std::vector<std::string> names = names_of(all, &LayerSample::group);
  if (names.size() < 2) return fail(ErrorCode::bad_input, "there is only one group, and nothing to judge its model on");
  std::vector<LayerTransfer> transfers;
  for (const std::string& own : names) {
    const auto fit = fit_layers(those(all, [&](const LayerSample& sample) { return sample.group == own; }));
    if (!fit) return fail(fit.error().code, fit.error().message, one_line(own));
    std::vector<std::string> order = names;
    std::stable_partition(order.begin(), order.end(), [&](const std::string& name) { return name == own; });
    for (const std::string& name : order) {
      auto transfer =
          TRY(judge(fit->model, those(all, [&](const LayerSample& sample) { return sample.group == name; })));
      transfer.fitted_to = own;
      transfer.judged_on = name;
      transfer.own_rows = name == own;
      transfers.push_back(std::move(transfer));
    }
  }
  return transfers;
}

}  // namespace rooftile
