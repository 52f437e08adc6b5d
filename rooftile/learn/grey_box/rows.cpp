#include "rooftile/learn/grey_box/rows.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/constants/fit_rows.hpp"
#include "rooftile/learn/layers/layer_complexity.hpp"
#include "rooftile/ops/pass_bytes.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile {
namespace {

// Elements that an update reads and writes for each weight, and its kernels: one for each statement of TensorFlow's
// functors (tensorflow/core/kernels/training_ops_gpu.cu.cc of 1.x), every operand once.
struct Update {
  std::string_view optimizer;
  double elements, kernels;
};
constexpr std::array kUpdates = {Update{"sgd", 3, 1},      Update{"momentum", 6, 2}, Update{"adagrad", 7, 2},
                                 Update{"rmsprop", 10, 3}, Update{"adam", 10, 3},    Update{"adadelta", 13, 4}};

const Update& update_of(std::string_view optimizer) {
  const std::string name = lower_case(optimizer);
  const auto* found =
      std::find_if(kUpdates.begin(), kUpdates.end(), [&](const Update& one) { return one.optimizer == name; });
  return found == kUpdates.end() ? kUpdates.front() : *found;
}

// Numbers under names, in an order that is the same for every row.
using NumbersOfRow = std::vector<std::pair<std::string_view, double>>;

// The sizes of both operations under the same names: a product of m rows, n columns and k terms is a 1x1 convolution of
// m samples, k input and n output channels.
void add_shape(NumbersOfRow& numbers, const Conv& conv) {
  const ConvAxis &rows = conv.axes[1], &columns = conv.axes[2];
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  numbers.insert(numbers.end(), {{"batch", number(conv.batch)},
                                 {"in_channels", number(conv.in_channels)},
                                 {"out_channels", number(conv.out_channels)},
                                 {"in_size", number(rows.in * columns.in)},
                                 {"taps", number(rows.filter * columns.filter)},
                                 {"stride", number(rows.stride * columns.stride)},
                                 {"out_size", number(out_positions(rows, conv.transposed)) *
                                                  number(out_positions(columns, conv.transposed))},
                                 {"padding", number(rows.pad_begin + rows.pad_end)}});
}

void add_shape(NumbersOfRow& numbers, const Gemm& gemm) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  numbers.insert(numbers.end(), {{"batch", number(gemm.m)},
                                 {"in_channels", number(gemm.k)},
                                 {"out_channels", number(gemm.n)},
                                 {"in_size", number(gemm.batch)},
                                 {"taps", 1},
                                 {"stride", 1},
                                 {"out_size", 1},
                                 {"padding", 0}});
}

bool padded_unevenly(const Conv& conv) {
  return std::any_of(conv.axes.begin(), conv.axes.end(),
                     [](const ConvAxis& axis) { return axis.pad_begin != axis.pad_end; });
}
bool padded_unevenly(const Gemm&) { return false; }

double activation_code(std::string_view activation) {
  constexpr std::array<std::string_view, 4> known = {"none", "relu", "tanh", "sigmoid"};
  const std::string name = activation.empty() ? "none" : lower_case(activation);
  return static_cast<double>(std::find(known.begin(), known.end(), name) - known.begin());
}

class GreyBoxCollector {
 public:
  GreyBoxCollector(const std::vector<MeasuredTable>& tables, const GreyBoxRowsOptions& options)
      : tables_(tables), options_(options) {}

  Result<GreyBoxRows> run() {
    if (options_.gpu != nullptr) gpus_.add(*options_.gpu);
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      const std::vector<LayerRow>& rows = tables_[table].table().rows;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if (options_.keep && !options_.keep(table, row)) continue;
        auto added = add(table, rows[row]);
        if (added) continue;
        if (!options_.list_refused) return tl::unexpected(added.error());
        result_.refused.push_back({table, rows[row].line, std::move(added.error())});
      }
    }
    if (numbers_.empty() && options_.list_refused) return std::move(result_);
    if (numbers_.empty()) return fail(ErrorCode::bad_input, "no row of a convolution or product that takes part");
    finish();
    return std::move(result_);
  }

 private:
  Result<void> add(std::size_t table, const LayerRow& row) {
    if (options_.measured && (!row.flag.empty() || !row.measured.time)) return {};
    const double seconds = row.measured.time ? (*row.measured.time - row.measured.host_overhead).value() : 0;
    if (options_.measured && !(seconds > 0)) return {};
    if (const auto* conv = std::get_if<Conv>(&row.op)) return add(table, row, *conv, seconds);
    if (const auto* gemm = std::get_if<Gemm>(&row.op)) return add(table, row, *gemm, seconds);
    return {};
  }

  template <class Op>
  Result<void> add(std::size_t table, const LayerRow& row, const Op& op, double seconds) {
    const std::string place = fmt::format("{}:{}", tables_[table].name(), row.line);
    const auto found = TRY(gpu_of(row, place, gpus_));
    const Gpu& gpu = *found;
    auto numbers = numbers_of(tables_[table], row, op, gpu);
    if (!numbers) return fail(numbers.error().code, numbers.error().message, place);

    numbers_.push_back(std::move(*numbers));
    result_.seconds.push_back(seconds);
    std::string operation(name_of(row.op));
    if (!row.kind.empty()) operation += " " + row.kind;
    result_.parts.push_back(fmt::format("{} {}", operation, name_of(row.phase)));
    result_.operations.push_back(std::move(operation));
    result_.gpus.push_back(gpu.id);
    result_.shapes.push_back(fmt::format("{}", shape_of(row)));
    result_.rows.push_back(&row);
    result_.tables.push_back(table);
    software_.insert(row.framework);
    precisions_.insert(std::string(name_of(row.precision)));
    return {};
  }

  template <class Op>
  Result<NumbersOfRow> numbers_of(const MeasuredTable& table, const LayerRow& row, const Op& op, const Gpu& gpu) {
    PredictOptions options;
    options.calibration = options_.calibration;
    options = options_of(row, options);
    std::array<double, kPasses> seconds{}, waves{};
    double algorithm = 0, analytic = 0;
    for (const Pass pass : passes_of(row.phase)) {
      options.pass = pass;
      TRY(check(options, gpu));
      const LayerEstimate layer = estimate(op, gpu, options);
      const auto place = static_cast<std::size_t>(pass);
      seconds[place] = layer.time.value();
      analytic += layer.time.value();
      const auto* product = first_plan<RefinedKernel>(layer);
      if (product == nullptr) continue;
      waves[place] = product->plan.main.ctas * layer.breakdown.front().count / gpu.sm_count;
      if (pass == Pass::fwd) algorithm = static_cast<double>(product->plan.algorithm);
    }
    const Bytes element = size_of(row.precision);
    const BytesPerSecond dram = gpu.level("DRAM").bandwidth;
    const Bytes weight_bytes = pass_bytes(op, element, Pass::bwd_weight).write;
    const double input = pass_bytes(op, element, Pass::bwd_data).write.value() / dram.value();
    const double output = pass_bytes(op, element, Pass::fwd).write.value() / dram.value();
    const double weights = weight_bytes.value() / dram.value();
    const Update& update = update_of(table.raw(row.cells, "optimizer"));
    const bool updates = row.phase == Phase::step;
    if (updates) {
      analytic += estimate_update(weight_bytes.value() / element.value(), gpu, options).time.value();
    }
    const double activation = activation_code(table.raw(row.cells, "activation"));
    const double uneven = padded_unevenly(op) ? 1 : 0;
    const FlopsPerSecond peak = gpu.peak(Peak::fp32);
    const double operations = 2 * complexity_of(op).forward;
    const double compute = operations / peak.value();

    NumbersOfRow numbers = {{"call", 1},
                            {"fwd_s", seconds[0]},
                            {"bwd_data_s", seconds[1]},
                            {"bwd_weight_s", seconds[2]},
                            {"input_s", input},
                            {"output_s", output},
                            {"weights_s", weights},
                            {"activation_s", activation > 0 ? output : 0},
                            {"padded_s", uneven * input},
                            {"compute_s", compute},
                            {"update_s", updates ? update.elements * (input + weights) : 0},
                            {"update_kernels", updates ? update.kernels : 0},
                            {"analytic_s", analytic},
                            {"intensity", compute / (input + output + weights)},
                            {"slowdown", analytic / compute},  // of the kernels, against the peak
                            {"waves_fwd", waves[0]},
                            {"waves_bwd_data", waves[1]},
                            {"waves_bwd_weight", waves[2]},
                            {"algorithm", algorithm},
                            {"activation", activation},
                            {"uneven", uneven},
                            {"phase", static_cast<double>(row.phase)},
                            {"operations", operations},
                            {"complexity", complexity_in(op, row.phase)},
                            {"peak", peak.value()},
                            {"bandwidth", dram.value()},
                            {"sm_count", gpu.sm_count}};
    add_shape(numbers, op);
    return numbers;
  }

  // Of the per-layer models: forward, backward or both.
  template <class Op>
  static double complexity_in(const Op& op, Phase phase) {
    const LayerComplexity complexity = complexity_of(op);
    if (phase == Phase::fwd) return complexity.forward;
    const bool both = phase == Phase::fwd_bwd || phase == Phase::step;
    return complexity.backward + (both ? complexity.forward : 0);
  }

  void finish() {
    const NumbersOfRow& first = numbers_.front();
    result_.table.values = regression::Matrix(numbers_.size(), first.size());
    for (std::size_t column = 0; column < first.size(); ++column) {
      result_.table.names.emplace_back(first[column].first);
      for (std::size_t row = 0; row < numbers_.size(); ++row) {
        result_.table.values(row, column) = numbers_[row][column].second;
      }
    }
    const std::set<std::string> gpus(result_.gpus.begin(), result_.gpus.end());
    result_.fitted_on.gpus = {gpus.begin(), gpus.end()};
    software_.erase("");
    result_.fitted_on.software = {software_.begin(), software_.end()};
    result_.fitted_on.precisions = {precisions_.begin(), precisions_.end()};
    const std::set<std::size_t> used(result_.tables.begin(), result_.tables.end());
    for (const std::size_t table : used) result_.fitted_on.sources.push_back(tables_[table].name());
  }

  static constexpr std::size_t kPasses = 3;

  const std::vector<MeasuredTable>& tables_;
  const GreyBoxRowsOptions& options_;
  GpuCache gpus_;
  GreyBoxRows result_;
  std::vector<NumbersOfRow> numbers_;
  std::set<std::string> software_, precisions_;
};

template <class T>
std::vector<T> chosen_of(const std::vector<T>& all, const std::vector<std::size_t>& chosen) {
  std::vector<T> part;
  part.reserve(chosen.size());
  for (const std::size_t row : chosen) part.push_back(all[row]);
  return part;
}

}  // namespace

GreyBoxRows rows_of(const GreyBoxRows& all, const std::vector<std::size_t>& chosen) {
  GreyBoxRows part;
  part.table = regression::rows_of(all.table, chosen);
  part.seconds = chosen_of(all.seconds, chosen);
  part.operations = chosen_of(all.operations, chosen);
  part.parts = chosen_of(all.parts, chosen);
  part.gpus = chosen_of(all.gpus, chosen);
  part.shapes = chosen_of(all.shapes, chosen);
  part.rows = chosen_of(all.rows, chosen);
  part.tables = chosen_of(all.tables, chosen);
  part.fitted_on = all.fitted_on;
  const std::set<std::string> gpus(part.gpus.begin(), part.gpus.end());
  part.fitted_on.gpus = {gpus.begin(), gpus.end()};
  return part;
}

Result<const Gpu*> gpu_of(const LayerRow& row, const std::string& place, GpuCache& gpus) {
  if (row.gpu.empty()) return fail(ErrorCode::bad_input, "column gpu is empty", place);
  auto found = gpus.find(row.gpu);
  if (!found) return fail(found.error().code, found.error().text(), place + ", column gpu");
  return found;
}

Result<GreyBoxRows> grey_box_rows(const std::vector<MeasuredTable>& tables, const GreyBoxRowsOptions& options) {
  return GreyBoxCollector(tables, options).run();
}

}  // namespace rooftile
