#include "rooftile/validate/validate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

// Orders cells: numbers by value and before text, text by its characters.
struct CellOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    const auto x = parse_number(a), y = parse_number(b);
    if (x && y && *x != *y) return *x < *y;
    if (x.has_value() != y.has_value()) return x.has_value();
    return a < b;
  }
};

struct KeyOrder {
  bool operator()(const std::vector<std::string>& a, const std::vector<std::string>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), CellOrder{});
  }
};

// The comparisons of a group, by one method.
struct Parts {
  std::vector<Compared> sound, flagged;

  bool empty() const { return sound.empty() && flagged.empty(); }
  Score scored() const { return score(sound, flagged); }
};

// By key, and then by method.
using Groups = std::map<std::vector<std::string>, std::vector<Parts>, KeyOrder>;

// Adds up the rows of a run.
class Comparison {
 public:
  Comparison(const std::vector<MeasuredTable>& tables, const ValidateOptions& options)
      : tables_(tables), options_(options) {
    result_.quantity = options.quantity;
    result_.by = options.by;
    result_.ignored = options.ignore;
    if (options.where) result_.where = options.where->text();
    for (const MeasuredTable& table : tables) result_.tables.push_back(table.name());
    for (const PredictOptions& method : options.methods) result_.methods.push_back(label_of(method));
  }

  Result<Validation> run() {
    const std::size_t all = count_rows(tables_);
    std::size_t done = 0;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const LayerTable& table = tables_[i].table();
      result_.bad_rows.insert(result_.bad_rows.end(), table.bad_rows.begin(), table.bad_rows.end());
      for (const UnsupportedRow& row : table.unsupported) add_unsupported(tables_[i], row);
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        TRY(add(i, row));
        if (options_.progress) options_.progress(++done, all);
      }
    }
    if (!result_.bad_rows.empty()) leave_out("", "wrong", result_.bad_rows.size());
    if (result_.rows.empty()) return nothing_to_compare();
    count_missing_intervals();
    add_scores();
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& method, const std::string& reason, std::size_t rows = 1) {
    count_reason(result_.left_out, {rows, method, reason});
  }

  static void count_reason(std::vector<LeftOut>& reasons, LeftOut counted) {
    for (LeftOut& known : reasons) {
      if (known.method != counted.method || known.reason != counted.reason) continue;
      known.rows += counted.rows;
      return;
    }
    reasons.push_back(std::move(counted));
  }

  void add_unsupported(const MeasuredTable& table, const UnsupportedRow& row) {
    const auto cell = [&](const std::string& column) -> std::string_view {
      return column == "table" && !table.has(column) ? table.name() : table.raw(row.cells, column);
    };
    if (options_.where && !options_.where->matches(cell)) return;
    const bool flagged = !options_.flagged && !table.raw(row.cells, "flag").empty();
    leave_out("", flagged ? "flagged" : fmt::format("not predicted yet: {}", row.what));
  }

  Result<void> add(std::size_t table_index, std::size_t row_index) {
    const MeasuredTable& table = tables_[table_index];
    const LayerRow& row = table.table().rows[row_index];
    if (options_.where) {
      const auto cell = [&](const std::string& column) { return table.cell(row, column, gpus_); };
      if (!options_.where->matches(cell)) return {};
    }
    if (!options_.flagged && !table.raw(row.cells, "flag").empty()) {
      leave_out("", "flagged");
      add_flagged(table_index, row_index);
      return {};
    }
    if (const std::string why = options_.leave_out ? options_.leave_out(table_index, row_index) : ""; !why.empty()) {
      leave_out("", why);
      return {};
    }
    const auto measured = measured_value(row, options_.quantity);
    if (!measured) {
      leave_out("", measured.error().message);
      return {};
    }
    for (std::size_t method = 0; method < options_.methods.size(); ++method) {
      auto layer = estimated(table_index, row_index, method);
      if (layer) {
        if (!add_compared(result_.rows, {table_index, row_index, method, {}, std::move(*layer)}, *measured)) {
          leave_out(result_.methods[method], fmt::format("no {} predicted", name_of(options_.quantity)));
        }
      } else if (layer.error().code == ErrorCode::unsupported) {
        leave_out(result_.methods[method], layer.error().message);
      } else {
        Error error = layer.error();
        error.where = fmt::format("{}:{}, {}", table.name(), row.line, error.where);
        if (!options_.skip_bad_rows) return tl::unexpected(error);
        result_.bad_rows.push_back(std::move(error));
        return {};
      }
    }
    return {};
  }

  Result<LayerEstimate> estimated(std::size_t table, std::size_t row, std::size_t method) {
    PredictOptions predict = options_.methods[method];
    if (options_.calibration) predict.calibration = options_.calibration(table, row);
    return estimate_row(tables_[table].table().rows[row], predict, gpus_);
  }

  // What a flagged row adds to the figure beside; one that cannot be compared adds nothing, as its flag is reason
  // enough to leave it out.
  void add_flagged(std::size_t table, std::size_t row) {
    if (options_.leave_out && !options_.leave_out(table, row).empty()) return;
    const auto measured = measured_value(tables_[table].table().rows[row], options_.quantity);
    if (!measured) return;
    for (std::size_t method = 0; method < options_.methods.size(); ++method) {
      if (auto layer = estimated(table, row, method)) {
        add_compared(flagged_, {table, row, method, {}, std::move(*layer)}, *measured);
      }
    }
  }

  // Whether there is something to compare with.
  bool add_compared(std::vector<ComparedRow>& to, ComparedRow compared, double measured) const {
    const LayerRow& row = tables_[compared.table].table().rows[compared.row];
    compared.values = compare(row, compared.layer, options_.quantity, measured, options_.bias_kernel);
    if (const auto* network = std::get_if<NetworkRun>(&row.op)) {
      compared.values.samples = static_cast<double>(network->batch.value_or(1));
    }
    compared.layer.breakdown = {};
    if (!std::isfinite(compared.values.predicted) || compared.values.predicted <= 0) return false;
    to.push_back(std::move(compared));
    return true;
  }

  tl::unexpected<Error> nothing_to_compare() const {
    std::string reasons;
    for (const LeftOut& left : result_.left_out) {
      reasons += fmt::format("{} {} ({})", reasons.empty() ? "; left out:" : ",", left.reason, left.rows);
    }
    return fail(ErrorCode::bad_input, "no row to compare" + reasons);
  }

  void count_missing_intervals() {
    if (options_.quantity != ComparedQuantity::time) return;
    for (const ComparedRow& row : result_.rows) {
      if (options_.methods[row.method].method != Method::rooftile || interval_of(row.layer)) continue;
      count_reason(result_.no_interval, {1, result_.methods[row.method], why_no_interval(row.layer)});
    }
  }

  void add_scores() {
    Groups groups;
    std::vector<Parts> all(result_.methods.size());
    const auto collect = [&](const std::vector<ComparedRow>& rows, std::vector<Compared> Parts::*part) {
      for (const ComparedRow& row : rows) {
        auto& group = groups[key_of(row, tables_, options_.by, gpus_)];
        group.resize(result_.methods.size());
        (group[row.method].*part).push_back(row.values);
        (all[row.method].*part).push_back(row.values);
      }
    };
    collect(result_.rows, &Parts::sound);
    collect(flagged_, &Parts::flagged);
    for (const auto& [key, methods] : groups) add_group(result_.groups, key, methods);
    add_group(result_.overall, {}, all);
  }

  void add_group(std::vector<ScoredGroup>& to, const std::vector<std::string>& key,
                 const std::vector<Parts>& methods) const {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      if (!methods[i].empty()) to.push_back({key, result_.methods[i], methods[i].scored()});
    }
  }

  const std::vector<MeasuredTable>& tables_;
  const ValidateOptions& options_;
  GpuCache gpus_;
  Validation result_;
  std::vector<ComparedRow> flagged_;
};

Result<void> check_columns(const std::vector<MeasuredTable>& tables, const ValidateOptions& options) {
  for (const std::string& column : options.by) {
    if (auto known = check_column(column, tables); !known)
      return fail(known.error().code, known.error().message, "--by");
  }
  if (!options.where) return {};
  for (const Filter::Use& use : options.where->columns()) {
    if (auto known = check_column(use.column, tables); !known) {
      return fail(known.error().code, known.error().message, fmt::format("--where: character {}", use.place));
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> key_of(const ComparedRow& row, const std::vector<MeasuredTable>& tables,
                                const std::vector<std::string>& by, GpuCache& gpus) {
  const MeasuredTable& table = tables[row.table];
  std::vector<std::string> key;
  key.reserve(by.size());
  for (const std::string& column : by) {
    key.emplace_back(table.cell(table.table().rows[row.row], column, gpus));
  }
  return key;
}

void add_scores(Validation& validation, const std::vector<KeyedComparison>& rows, const std::string& method) {
  std::map<std::vector<std::string>, std::vector<Compared>, KeyOrder> groups;
  std::vector<Compared> all;
  for (const KeyedComparison& row : rows) {
    groups[row.key].push_back(row.values);
    all.push_back(row.values);
  }
  for (const auto& [key, values] : groups) validation.groups.push_back({key, method, score(values)});
  validation.overall.push_back({{}, method, score(all)});
}

Result<Validation> validate(const std::vector<MeasuredTable>& tables, const ValidateOptions& options) {
  TRY(check_columns(tables, options));
  return Comparison(tables, options).run();
}

}  // namespace rooftile
