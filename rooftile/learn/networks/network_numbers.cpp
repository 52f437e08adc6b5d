#include "rooftile/learn/networks/network_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/ingest/network_run.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/validate/estimate_network.hpp"

namespace rooftile {
namespace {

// Results of the measurement, of which no prediction may be made.
bool is_measured(std::string_view column) {
  static constexpr std::array kNames = {"time_us", "time_ms", "time_s", "throughput", "host_overhead_us", "std_us"};
  return std::find(kNames.begin(), kNames.end(), column) != kNames.end() || column.ends_with("_measured");
}

void add_own(Numbers& numbers, const MeasuredTable& table, const LayerRow& row) {
  const std::vector<std::string>& columns = table.table().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view column = trimmed(columns[i]);
    const auto number = parse_number(trimmed(row.cells[i]));
    if (number && !column.empty() && !is_measured(column)) numbers.emplace(column, *number);
  }
}

// Samples that the row works on.
std::optional<double> batch_of(const LayerRow& row) {
  if (const auto* conv = std::get_if<Conv>(&row.op)) return static_cast<double>(conv->batch);
  if (const auto* gemm = std::get_if<Gemm>(&row.op))
    return static_cast<double>(gemm->batch == 1 ? gemm->m : gemm->batch);
  if (const auto* run = std::get_if<NetworkRun>(&row.op)) {
    if (run->batch) return static_cast<double>(*run->batch);
  }
  return std::nullopt;
}

// The layers with weights that a network of a family is named after: 152 of "resnet-152" and of "resnet152_v1.5".
std::optional<double> depth_in(std::string_view model) {
  static constexpr std::array kFamilies = {"resnet", "vgg", "densenet"};
  for (const std::string_view family : kFamilies) {
    if (!model.starts_with(family)) continue;
    const std::size_t digit = model.find_first_of("0123456789");
    if (digit == std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(model.find_first_not_of("0123456789", digit), model.size());
    return parse_number(model.substr(digit, end - digit));
  }
  return std::nullopt;
}

// Residual modules by kind. Two 3x3 convolutions make a basic one, three a bottleneck (He et al. 2016, table 1: from 50
// layers on); the first convolution and the classifier are outside of them.
void add_modules(Numbers& numbers, double depth) {
  constexpr double kFirstBottleneck = 50, kOutside = 2;
  const bool bottleneck = depth >= kFirstBottleneck;
  const double modules = (depth - kOutside) / (bottleneck ? 3 : 2);
  numbers["modules"] = modules;
  numbers["basic_modules"] = bottleneck ? 0 : modules;
  numbers["bottleneck_modules"] = bottleneck ? modules : 0;
}

void add_gpu(Numbers& numbers, const LayerRow& row, GpuCache& gpus) {
  const auto gpu = gpus.find(row.gpu);
  if (!gpu) return;
  const auto peak = peak_of(row.precision, **gpu);
  if (peak && *peak > FlopsPerSecond(0)) numbers["power"] = peak->value();
  numbers["bandwidth"] = (*gpu)->level("DRAM").bandwidth.value();
}

double weights_in(const Workload& workload) {
  double count = 0;
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.constant) count += elements(tensor.shape);
  }
  return count;
}

// The share of a data-parallel step that one GPU does.
LayerRow share_of_one_gpu(const LayerRow& row) {
  LayerRow share = row;
  if (auto* run = std::get_if<NetworkRun>(&share.op)) {
    if (run->batch) run->batch = std::max<std::int64_t>(1, *run->batch / run->gpus);
    run->gpus = 1;
    run->parallel.reset();
    run->one_process = false;
  }
  return share;
}

}  // namespace

std::vector<RunColumn> run_columns() {
  return {{"batch_size", "samples of all GPUs together"},
          {"gpus", "that share the batch"},
          {"ring", "1 - 1 / gpus: in proportion to what each GPU sends to add up gradients along a ring"},
          {"depth", "layers with weights, of networks that are named after it"},
          {"modules", "residual modules"},
          {"basic_modules", "of two 3x3 convolutions"},
          {"bottleneck_modules", "of 1x1, 3x3 and 1x1"},
          {"parameters", "weights of the network"},
          {"power", "peak FLOP/s at the precision"},
          {"bandwidth", "of DRAM, bytes a second"},
          {"flops", "of one GPU's share"},
          {"bytes", "of one GPU's share that no reuse avoids"},
          {"kernels", "launches"},
          {"compute_s", "flops / power"},
          {"memory_s", "bytes / bandwidth"},
          {"analytic_s", "time of one GPU's share by method rooftile"}};
}

void RunNumbers::add_work(Numbers& numbers, const LayerRow& row, GpuCache& gpus, const Workload* share) const {
  const auto estimate_by = [&](Method method) -> Result<LayerEstimate> {
    const PredictOptions options = {.method = method};
    if (share == nullptr) return estimate_row(row, options, gpus);
    const auto gpu = TRY(gpus.find(row.gpu));
    return estimate_network(*share, row.phase, *gpu, options_of(row, options));
  };
  const auto roofline = estimate_by(Method::roofline);
  if (!roofline) return;
  numbers["flops"] = roofline->flops.value();
  numbers["bytes"] = roofline->traffic.at_dram().value();
  numbers["kernels"] = roofline->kernels;
  if (share != nullptr) {
    numbers["parameters"] = weights_in(*share);
  } else if (const auto* run = std::get_if<NetworkRun>(&row.op)) {
    if (const auto workload = load_network(*run)) {
      numbers["parameters"] = weights_in(*workload);
    }
  }
  if (!analytic_) return;
  if (const auto refined = estimate_by(Method::rooftile)) numbers["analytic_s"] = refined->time.value();
}

const Numbers& RunNumbers::work_of_network(const LayerRow& row, GpuCache& gpus) {
  const auto& run = std::get<NetworkRun>(row.op);
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", run.transformer ? run.transformer->name : run.model,
                                      run.batch.value_or(0), run.seq_len.value_or(0), row.gpu, name_of(row.precision),
                                      name_of(row.phase), row.framework);
  auto known = networks_.find(key);
  if (known == networks_.end()) {
    Numbers work;
    add_work(work, row, gpus, nullptr);
    known = networks_.emplace(key, std::move(work)).first;
  }
  return known->second;
}

Numbers RunNumbers::of(const MeasuredTable& table, const LayerRow& row, GpuCache& gpus, const Workload* share) {
  Numbers numbers;
  add_own(numbers, table, row);
  if (const auto batch = batch_of(row)) numbers["batch_size"] = *batch;
  if (std::holds_alternative<Conv>(row.op) && !numbers.contains("batch")) numbers["batch"] = numbers["batch_size"];
  add_gpu(numbers, row, gpus);
  const LayerRow one_gpu = share_of_one_gpu(row);
  if (const auto* run = std::get_if<NetworkRun>(&row.op)) {
    const auto count = static_cast<double>(run->gpus);
    numbers["gpus"] = count;
    numbers["ring"] = 1 - 1 / count;
    if (const auto depth = depth_in(run->model)) {
      numbers["depth"] = *depth;
      if (run->model.starts_with("resnet")) add_modules(numbers, *depth);
    }
    if (share != nullptr) {
      add_work(numbers, one_gpu, gpus, share);
    } else {
      for (const auto& [name, value] : work_of_network(one_gpu, gpus)) numbers[name] = value;
    }
  } else {
    add_work(numbers, one_gpu, gpus, nullptr);
  }
  const auto quotient = [&](const char* name, const char* above, const char* below) {
    const auto a = numbers.find(above), b = numbers.find(below);
    if (a != numbers.end() && b != numbers.end() && b->second > 0) numbers[name] = a->second / b->second;
  };
  quotient("compute_s", "flops", "power");
  quotient("memory_s", "bytes", "bandwidth");
  return numbers;
}

}  // namespace rooftile
