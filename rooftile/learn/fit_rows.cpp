#include "rooftile/learn/fit_rows.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "rooftile/predict/refined.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

template <class T, class Same>
std::size_t place_of(std::vector<T>& list, const T& item, const Same& same) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& other) { return same(other, item); });
  const auto place = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(item);
  return place;
}

class Collector {
 public:
  explicit Collector(const FitRowsOptions& options) : options_(options) {}

  void add(const LayerRow& row, const Gpu& gpu, const std::string& table) {
    PredictOptions own = options_of(row, {.method = Method::rooftile});
    const bool conv = std::holds_alternative<Conv>(row.op);
    const auto model = refined_model(conv ? RefinedOp::conv : RefinedOp::gemm, gpu, own);
    if (!model) return;
    add_plans(row, gpu, table, *model, own.plan);
    const bool known = own.plan.algorithm || !own.plan.kernel.empty();
    if (options_.blind && known) add_plans(row, gpu, table, *model, {});
  }

  std::vector<FitRows> take() {
    std::vector<FitRows> all;
    for (auto& [key, rows] : groups_) all.push_back(std::move(rows));
    return all;
  }

 private:
  void add_plans(const LayerRow& row, const Gpu& gpu, const std::string& table, const RefinedModel& model,
                 const PlanOptions& options) {
    FitRow fit;
    fit.measured = *row.measured.time - row.measured.host_overhead;
    OpShape shape = std::visit([&](const auto& op) { return op_shape(im2col(op), model, row.pass); }, row.op);
    shape.choice = options_.choice;
    each_plan(shape, gpu, options, [&](const LaunchPlan& plan) { fit.plans.push_back(plan); });
    for (const std::string& scope : {gpu.id, gpu.architecture}) add_to(scope, row, gpu, table, model, fit);
  }

  void add_to(const std::string& scope, const LayerRow& row, const Gpu& gpu, const std::string& table,
              const RefinedModel& model, FitRow fit) {
    FitRows& group = groups_[{static_cast<int>(model.family), scope}];
    group.family = model.family;
    group.scope = scope;
    group.choice = options_.choice;
    place_of(group.gpus, gpu.id, std::equal_to<>());
    place_of(group.tables, table, std::equal_to<>());
    fit.machine = place_of(group.machines, model.machine, [](const Machine& a, const Machine& b) {
      return a.sms == b.sms && a.macs_per_second == b.macs_per_second && a.dram == b.dram && a.watts == b.watts &&
             a.clock == b.clock && a.l2 == b.l2;
    });
    const Harness harness{model.family, row.framework, gpu.id, gpu.launch_overhead, Seconds(0), 1, false};
    fit.harness = place_of(group.harnesses, harness, [](const Harness& a, const Harness& b) {
      return a.framework == b.framework && a.gpu == b.gpu;
    });
    group.rows.push_back(std::move(fit));
  }

  const FitRowsOptions& options_;
  std::map<std::pair<int, std::string>, FitRows> groups_;
};

// A row that a fit can use: measured, not flagged, more than a fraction of a microsecond, a direct convolution.
bool usable(const LayerRow& row) {
  if (!row.flag.empty() || !row.measured.time) return false;
  if (*row.measured.time - row.measured.host_overhead <= Seconds(0)) return false;
  const auto* conv = std::get_if<Conv>(&row.op);
  return conv == nullptr || !is_depthwise(*conv);
}

}  // namespace

Result<std::vector<FitRows>> fit_rows(const std::vector<MeasuredTable>& tables, const FitRowsOptions& options) {
  GpuCache gpus;
  Collector collector(options);
  for (const MeasuredTable& table : tables) {
    for (const LayerRow& row : table.table().rows) {
      if (!usable(row)) continue;
      const auto cell = [&](const std::string& column) { return table.cell(row, column, gpus); };
      if (options.where && !options.where->matches(cell)) continue;
      const auto gpu = gpus.find(row.gpu);
      if (!gpu) return tl::unexpected(gpu.error());
      collector.add(row, **gpu, table.name());
    }
  }
  std::vector<FitRows> all = collector.take();
  if (all.empty()) return fail(ErrorCode::bad_input, "no row to fit");
  return all;
}

}  // namespace rooftile
