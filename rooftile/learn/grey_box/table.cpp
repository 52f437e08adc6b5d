#include "rooftile/learn/grey_box/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"

namespace rooftile {
namespace {

class Refusals {
 public:
  explicit Refusals(const std::vector<MeasuredTable>& tables) : tables_(tables) {}

  void add(std::size_t table, std::size_t line, std::string why) {
    Error error{ErrorCode::unsupported, std::move(why), fmt::format("{}:{}", tables_[table].name(), line)};
    rows_.push_back({table, line, std::move(error)});
  }

  void add(std::vector<RefusedRow> rows) { std::move(rows.begin(), rows.end(), std::back_inserter(rows_)); }

  std::vector<RefusedRow> sorted() && {
    std::sort(rows_.begin(), rows_.end(), [](const RefusedRow& a, const RefusedRow& b) {
      return std::tie(a.table, a.line) < std::tie(b.table, b.line);
    });
    return std::move(rows_);
  }

 private:
  const std::vector<MeasuredTable>& tables_;
  std::vector<RefusedRow> rows_;
};

bool is_of_grey_boxes(const RowOp& op) { return std::holds_alternative<Conv>(op) || std::holds_alternative<Gemm>(op); }

// Rows that no grey box is for. Those whose GPU is wrong are wrong for every model.
void refuse_others(const std::vector<MeasuredTable>& tables, Refusals& refusals) {
  GpuCache gpus;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    for (const LayerRow& row : tables[table].table().rows) {
      if (is_of_grey_boxes(row.op)) continue;
      if (const auto gpu = gpu_of(row, fmt::format("{}:{}", tables[table].name(), row.line), gpus); !gpu) {
        refusals.add({{table, row.line, gpu.error()}});
      } else {
        refusals.add(table, row.line, fmt::format("the model is not for {} rows", name_of(row.op)));
      }
    }
    for (const UnsupportedRow& row : tables[table].table().unsupported) {
      refusals.add(table, row.line, fmt::format("not predicted yet: {}", row.what));
    }
  }
}

// The rows that the model has a time of.
GreyBoxRows rows_of_the_fit(const regression::FittedModel& model, const GreyBoxRows& all, Refusals& refusals) {
  std::map<std::pair<std::string, std::string>, std::string> reasons;  // by part and GPU
  std::vector<std::size_t> chosen;
  for (std::size_t row = 0; row < all.size(); ++row) {
    const auto [reason, is_new] = reasons.emplace(std::pair(all.parts[row], all.gpus[row]), "");
    if (is_new) reason->second = why_no_time(model, all, row);
    if (reason->second.empty()) {
      chosen.push_back(row);
    } else {
      refusals.add(all.tables[row], all.rows[row]->line, reason->second);
    }
  }
  return rows_of(all, chosen);
}

}  // namespace

Result<GreyBoxTimes> grey_box_times(const regression::FittedModel& model, const std::vector<MeasuredTable>& tables) {
  auto all = TRY(grey_box_rows(tables, {.measured = false, .list_refused = true}));
  Refusals refusals(tables);
  refusals.add(std::move(all.refused));
  refuse_others(tables, refusals);
  const GreyBoxRows rows = rows_of_the_fit(model, all, refusals);
  auto predicted = TRY(predict_grey_box(model, rows));

  std::vector<std::size_t> timed;
  GreyBoxTimes times;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    regression::Predicted& one = predicted[row];
    if (one.value > 0 && std::isfinite(one.value)) {
      timed.push_back(row);
      times.predicted.push_back(std::move(one));
    } else {
      refusals.add(rows.tables[row], rows.rows[row]->line, "no positive time predicted");
    }
  }
  times.rows = rows_of(rows, timed);
  times.refused = std::move(refusals).sorted();
  return times;
}

}  // namespace rooftile
