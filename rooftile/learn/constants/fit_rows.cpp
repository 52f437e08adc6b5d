#include "rooftile/learn/constants/fit_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/calibration/spread_scope.hpp"
#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/ops/stream_kernels.hpp"
#include "rooftile/plan/attention_backward.hpp"
#include "rooftile/predict/recurrent.hpp"
#include "rooftile/predict/recurrent_time.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/timing/attention_time.hpp"
#include "rooftile/timing/plan_time.hpp"
#include "rooftile/timing/stream_kernel_time.hpp"
#include "rooftile/traffic/launch_traffic.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

template <class T, class Same>
std::size_t place_of(std::vector<T>& list, const T& item, const Same& same) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& other) { return same(other, item); });
  const auto place = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(item);
  return place;
}

// Leaves the plans that could be the fastest under other constants: a fit need not time hopeless ones each time.
void keep_likely(std::vector<LaunchPlan>& plans, const GpuRates& rates) {
  const std::size_t most = rates.family == KernelFamily::conv_miopen ? 8 : 12;  // of many kinds, thousands of rows
  constexpr double kSlower = 2.5;                                               // than the fastest
  if (plans.size() < 2) return;
  std::vector<std::pair<Seconds, std::size_t>> order;
  for (std::size_t i = 0; i < plans.size(); ++i) order.emplace_back(choice_time(plans[i], rates), i);
  std::sort(order.begin(), order.end());
  std::vector<LaunchPlan> likely;
  for (const auto& [time, place] : order) {
    if (likely.size() == most || time > kSlower * order.front().first) break;
    likely.push_back(plans[place]);
  }
  plans = std::move(likely);
}

// The folder and the name of a table's path: enough to know it again, wherever it lay.
std::string short_name(const std::string& path) {
  const std::size_t name = path.rfind('/');
  if (name == std::string::npos || name == 0) return path;
  const std::size_t folder = path.rfind('/', name - 1);
  return folder == std::string::npos ? path : path.substr(folder + 1);
}

class FitRowCollector {
 public:
  explicit FitRowCollector(const FitRowsOptions& options) : options_(options) {}

  void add(const LayerRow& row, const Gpu& gpu, const std::string& table) {
    std::visit([&](const auto& op) { add_op(op, row, gpu, table); }, row.op);
  }

  std::vector<FitRows> take() {
    std::vector<FitRows> all;
    for (auto& [key, rows] : groups_) all.push_back(std::move(rows));
    return all;
  }

 private:
  void add_op(const Conv& conv, const LayerRow& row, const Gpu& gpu, const std::string& table) {
    add_planned(RefinedOp::conv, im2col(conv), row, gpu, table);
  }
  void add_op(const Gemm& gemm, const LayerRow& row, const Gpu& gpu, const std::string& table) {
    add_planned(RefinedOp::gemm, im2col(gemm), row, gpu, table);
  }
  void add_op(const Recurrent& recurrent, const LayerRow& row, const Gpu& gpu, const std::string& table) {
    const PredictOptions options = options_of(row, {.method = Method::rooftile});
    const RefinedModel* model = models_[gpu.id].find(RefinedOp::recurrent, gpu, options);
    if (model == nullptr) return;
    LayerEstimate products;
    add_sequence_products(products, recurrent, gpu, options, models_[gpu.id]);
    const auto kernels = [recurrent, others = products.time, pass = options.pass, element = model->element,
                          own = recurrent_gpu(recurrent, gpu, options)](const GpuRates& rates) {
      return others + recurrent_time(recurrent, pass, element, own, rates).time;
    };
    add_row(kernels, row, gpu, table, *model);
  }
  void add_op(const StreamLayer& layer, const LayerRow& row, const Gpu& gpu, const std::string& table) {
    const PredictOptions options = options_of(row, {.method = Method::rooftile});
    const RefinedModel* model = models_[gpu.id].find(RefinedOp::stream, gpu, options);
    if (model == nullptr || (row.phase != Phase::fwd && row.phase != Phase::bwd)) return;
    const NormKernels norms = norm_kernels(options.plan.kernel);
    const auto kernels = row.phase == Phase::fwd ? std::vector{stream_kernel(layer, model->element, norms)}
                                                 : gradient_kernels(layer, model->element, norms);
    const auto time = [kernels](const GpuRates& rates) {
      Seconds sum;
      for (const StreamKernel& kernel : kernels) sum += stream_kernel_time(kernel, rates).time;
      return sum;
    };
    add_row(time, row, gpu, table, *model);
  }
  void add_op(const Attention& attention, const LayerRow& row, const Gpu& gpu, const std::string& table) {
    if (row.phase != Phase::fwd && row.phase != Phase::bwd) return;
    PredictOptions options = options_of(row, {.method = Method::rooftile});
    const AttentionCall call = attention_call(options.plan.kernel, options.framework, options.precision, gpu);
    const AttentionPlan plan = row.phase == Phase::fwd
                                   ? attention_plan(attention, options.precision, call, gpu)
                                   : attention_backward_plan(attention, options.precision, call, gpu);
    options.precision = attention_precision(attention, options.precision, call.library, gpu);
    const RefinedModel* model = models_[gpu.id].find(RefinedOp::attention, gpu, options);
    if (model == nullptr) return;
    add_row([plan](const GpuRates& rates) { return attention_time(plan, rates).time; }, row, gpu, table, *model);
  }
  // No constants are fitted to whole networks.
  template <class Op>
  void add_op(const Op&, const LayerRow&, const Gpu&, const std::string&) {}

  void add_planned(RefinedOp op, const Im2col& gemm, const LayerRow& row, const Gpu& gpu, const std::string& table) {
    const PredictOptions own = options_of(row, {.method = Method::rooftile});
    const RefinedModel* model = models_[gpu.id].find(op, gpu, own);
    if (model == nullptr) return;
    OpShape shape = op_shape(gemm, *model, passes_of(row.phase).front());
    shape.choice = options_.choice;
    // MIOpen's rows are the fastest of all that applied, so all plans say what the time is the least of.
    if (model->family == KernelFamily::conv_miopen) return add_plans(shape, row, gpu, table, *model, {});
    add_plans(shape, row, gpu, table, *model, own.plan);
    const bool known = own.plan.algorithm || !own.plan.kernel.empty();
    if (options_.blind && known && !row.asked) add_plans(shape, row, gpu, table, *model, {});
  }

  void add_plans(const OpShape& shape, const LayerRow& row, const Gpu& gpu, const std::string& table,
                 const RefinedModel& model, const PlanOptions& options) {
    std::vector<LaunchPlan> plans;
    each_plan(shape, gpu, options, [&](const LaunchPlan& plan) {
      plans.push_back(plan);
      count_loads(plans.back(), shape, gpu);
    });
    if (plans.empty()) return;
    keep_likely(plans, model.rates);
    add_row(chosen_of(std::move(plans)), row, gpu, table, model);
  }

  void add_row(KernelTime kernels, const LayerRow& row, const Gpu& gpu, const std::string& table,
               const RefinedModel& model) {
    FitRow fit;
    fit.kernels = std::move(kernels);
    fit.measured = *row.measured.time - row.measured.host_overhead;
    fit.shape = shape_of(row);
    add_to(row, gpu, table, model, std::move(fit));
  }

  void add_to(const LayerRow& row, const Gpu& gpu, const std::string& table, const RefinedModel& model, FitRow fit) {
    FitRows& group = groups_[{static_cast<int>(model.family), gpu.id}];
    group.family = model.family;
    group.scope = gpu.id;
    group.architecture = gpu.architecture;
    group.vendor = gpu.vendor;
    group.board = board_of(gpu);
    group.spread_scope = spread_scope(group.family, gpu);
    group.choice = options_.choice;
    place_of(group.gpus, gpu.id, std::equal_to<>());
    place_of(group.tables, short_name(table), std::equal_to<>());
    fit.source = place_of(group.sources, source_of(table, row), std::equal_to<>());
    fit.gpu = place_of(group.rates, model.rates, [](const GpuRates& a, const GpuRates& b) {
      return a.sms == b.sms && a.sm_peak == b.sm_peak && a.dram == b.dram && a.power == b.power && a.clock == b.clock &&
             a.l2 == b.l2;
    });
    Harness harness{model.family, framework_of(row), gpu.id, gpu.launch_overhead, Seconds(0), 1, false};
    harness.flushes = model.rates.flushed;  // known by its name, and not fitted
    fit.harness = place_of(group.harnesses, harness, [](const Harness& a, const Harness& b) {
      return a.framework == b.framework && a.gpu == b.gpu;
    });
    group.rows.push_back(std::move(fit));
  }

  const FitRowsOptions& options_;
  std::map<std::pair<int, std::string>, FitRows> groups_;
  std::map<std::string, RefinedModels> models_;  // by GPU
};

// A row that a fit can use: one pass, or all gradients where they are made together, measured, not flagged, more than a
// fraction of a microsecond, no depthwise convolution.
bool usable(const LayerRow& row) {
  const bool one_kernel = std::holds_alternative<Attention>(row.op) || std::holds_alternative<StreamLayer>(row.op);
  if (passes_of(row.phase).size() != 1 && !(one_kernel && row.phase == Phase::bwd)) return false;
  if (!row.flag.empty() || !row.measured.time) return false;
  if (*row.measured.time - row.measured.host_overhead <= Seconds(0)) return false;
  const auto* conv = std::get_if<Conv>(&row.op);
  return conv == nullptr || !is_depthwise(*conv);
}

}  // namespace

KernelTime chosen_of(std::vector<LaunchPlan> plans) {
  // Shared: rows are copied from one fit to the next.
  return [plans = std::make_shared<const std::vector<LaunchPlan>>(std::move(plans))](const GpuRates& rates) {
    Seconds least = kNoLimit;
    const LaunchPlan* chosen = &plans->front();
    for (const LaunchPlan& plan : *plans) {
      const Seconds time = choice_time(plan, rates, least);
      if (time >= least) continue;
      least = time;
      chosen = &plan;
    }
    return plan_time(*chosen, rates);
  };
}

std::string source_of(const std::string& table, const LayerRow& row) {
  return std::filesystem::path(table).parent_path().filename().string() + "/" + row.framework;
}

std::size_t shape_of(const LayerRow& row) {
  // FNV-1a over the numbers of the op.
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&](std::int64_t number) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 1099511628211ULL;
    hash ^= hash >> 29U;
  };
  if (const auto* conv = std::get_if<Conv>(&row.op)) {
    for (const std::int64_t number : {conv->batch, conv->in_channels, conv->out_channels, conv->groups}) add(number);
    for (const ConvAxis& axis : conv->axes) {
      for (const std::int64_t number : {axis.in, axis.filter, axis.stride, axis.dilation, axis.pad_begin}) add(number);
    }
  } else if (const auto* gemm = std::get_if<Gemm>(&row.op)) {
    for (const std::int64_t number : {gemm->batch, gemm->m, gemm->n, gemm->k}) add(number);
  } else if (const auto* attention = std::get_if<Attention>(&row.op)) {
    for (const std::int64_t number :
         {attention->batch, attention->q_len, attention->kv_len, attention->heads, attention->kv_heads,
          attention->head_dim, attention->window, static_cast<std::int64_t>(attention->causal)}) {
      add(number);
    }
  } else if (const auto* recurrent = std::get_if<Recurrent>(&row.op)) {
    for (const std::int64_t number : {gates_of(*recurrent), recurrent->batch, recurrent->steps, recurrent->input,
                                      recurrent->hidden, recurrent->layers, recurrent->directions}) {
      add(number);
    }
  } else if (const auto* stream = std::get_if<StreamLayer>(&row.op)) {
    for (const std::int64_t number : {static_cast<std::int64_t>(stream->kind), stream->rows, stream->columns}) {
      add(number);
    }
  }
  return hash;
}

Result<std::vector<FitRows>> fit_rows(const std::vector<MeasuredTable>& tables, const FitRowsOptions& options) {
  GpuCache gpus;
  FitRowCollector collector(options);
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const std::vector<LayerRow>& rows = tables[table].table().rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!usable(rows[i]) || (options.keep && !options.keep(table, i))) continue;
      const auto gpu = gpus.find(rows[i].gpu);
      if (!gpu) {
        return fail(gpu.error().code, gpu.error().text(),
                    fmt::format("{}:{}, column gpu", tables[table].name(), rows[i].line));
      }
      collector.add(rows[i], **gpu, tables[table].name());
    }
  }
  return collector.take();
}

FitRows merged(const std::vector<const FitRows*>& parts, std::string scope,
               const std::function<std::size_t(const FitRows&)>& most_of) {
  FitRows all;
  all.scope = std::move(scope);
  for (const FitRows* part : parts) {
    all.family = part->family;
    all.architecture = part->architecture;
    all.vendor = part->vendor;
    const std::size_t gpus = all.rates.size(), harnesses = all.harnesses.size();
    all.rates.insert(all.rates.end(), part->rates.begin(), part->rates.end());
    all.harnesses.insert(all.harnesses.end(), part->harnesses.begin(), part->harnesses.end());
    all.gpus.insert(all.gpus.end(), part->gpus.begin(), part->gpus.end());
    for (const std::string& table : part->tables) place_of(all.tables, table, std::equal_to<>());
    std::vector<std::size_t> sources;
    for (const std::string& source : part->sources) sources.push_back(place_of(all.sources, source, std::equal_to<>()));
    const std::size_t taken = std::min(most_of(*part), part->rows.size());
    for (std::size_t i = 0; i < taken; ++i) {
      FitRow row = part->rows[i * part->rows.size() / taken];
      row.gpu += gpus;
      row.harness += harnesses;
      row.source = sources[row.source];
      all.rows.push_back(std::move(row));
    }
  }
  return all;
}

}  // namespace rooftile
