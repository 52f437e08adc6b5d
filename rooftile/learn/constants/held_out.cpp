#include "rooftile/learn/constants/held_out.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kOwnFolds = 5;

// The part of the rows that is held out together.
using Part = std::string;

// Rows of a GPU and a kind of operator: what is seen of one says something of another.
using Kind = std::pair<std::string, std::size_t>;

// A row that takes part, by its places.
struct Member {
  std::size_t table = 0, row = 0;
  Kind kind;
  Part part;
  double flops = 0;
};

class Members {
 public:
  Members(const std::vector<MeasuredTable>& tables, Tier tier) : tables_(tables), tier_(tier) {}

  Result<void> add_all(const FitRowsOptions& options) {
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      const std::vector<LayerRow>& rows = tables_[table].table().rows;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if (options.keep && !options.keep(table, row)) continue;
        members_.push_back(TRY(member(table, row)));
        if (rows[row].flag.empty()) parts_[members_.back().kind].insert(members_.back().part);
      }
    }
    if (tier_ == Tier::size) split_by_flops();
    return {};
  }

  const std::vector<Member>& all() const { return members_; }

  // Those that are held out, each once.
  std::vector<Part> parts() const {
    std::vector<Part> names;
    for (const Member& one : members_) {
      if (!one.part.empty() && std::find(names.begin(), names.end(), one.part) == names.end())
        names.push_back(one.part);
    }
    return names;
  }

  // The GPUs on which rows of a part are scored.
  std::set<std::string, std::less<>> scored_gpus(const Part& part) const {
    std::set<std::string, std::less<>> gpus;
    for (const Member& one : members_) {
      if (one.part == part && is_scored(one)) gpus.insert(one.kind.first);
    }
    return gpus;
  }

  // Whether rows that are not held out with it tell of its kind.
  bool is_scored(const Member& member) const {
    if (tier_ == Tier::source) {  // flagged rows, which no fit takes, are no source
      const auto known = parts_.find(member.kind);
      return known != parts_.end() && (known->second.size() > 1 || known->second.count(member.part) == 0);
    }
    return !member.part.empty();
  }

 private:
  Result<Member> member(std::size_t table, std::size_t row) {
    const LayerRow& layer = tables_[table].table().rows[row];
    const auto gpu = TRY(gpus_.find(layer.gpu));
    Member result = {.table = table, .row = row, .kind = {gpu->id, layer.op.index()}, .part = {}};
    switch (tier_) {
      case Tier::own:
        result.part = std::to_string(shape_of(layer) / 7 % kOwnFolds);
        break;
      case Tier::source:
        result.part = source_of(tables_[table].name(), layer);
        break;
      case Tier::size:
        if (const auto estimate = estimate_row(layer, {.method = Method::roofline}, gpus_)) {
          result.flops = estimate->flops.value();
        }
        break;
      case Tier::none:
        result.part = gpu->id;
        break;
    }
    return result;
  }

  void split_by_flops() {
    std::map<Kind, std::vector<double>> flops;
    for (const Member& one : members_) {
      if (tables_[one.table].table().rows[one.row].flag.empty()) flops[one.kind].push_back(one.flops);
    }
    for (auto& [kind, all] : flops) std::sort(all.begin(), all.end());
    for (Member& one : members_) {
      const std::vector<double>& all = flops[one.kind];
      if (!all.empty() && one.flops > all[(2 * all.size() - 1) / 3]) one.part = "large";
    }
  }

  const std::vector<MeasuredTable>& tables_;
  Tier tier_;
  GpuCache gpus_;
  std::vector<Member> members_;
  std::map<Kind, std::set<Part>> parts_;
};

// Parts that a tier needs to hold one out.
Result<void> check_parts(Tier tier, std::size_t parts) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::bad_input, fmt::format("tier {} needs rows of at least two {}", name_of(tier), what));
  };
  switch (tier) {
    case Tier::own:
      return parts < 2 ? refuse("shapes") : Result<void>();
    case Tier::source:
      return parts < 2 ? refuse("sources") : Result<void>();
    case Tier::size:
      return parts < 1 ? refuse("sizes of one GPU") : Result<void>();
    case Tier::none:
      return parts < 2 ? refuse("GPUs") : Result<void>();
  }
  return {};
}

}  // namespace

std::string_view name_of(Tier tier) {
  switch (tier) {
    case Tier::own:
      return "own";
    case Tier::source:
      return "source";
    case Tier::size:
      return "size";
    case Tier::none:
      return "none";
  }
  return "";
}

Result<HeldOut> hold_out(const std::vector<MeasuredTable>& tables, Tier tier, const CalibrateOptions& options) {
  Members members(tables, tier);
  TRY(members.add_all(options.rows));
  const std::vector<Part> names = members.parts();
  TRY(check_parts(tier, names.size()));

  std::vector<std::vector<const Part*>> parts(tables.size());  // null: takes no part
  HeldOut result;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    parts[table].resize(tables[table].table().rows.size());
    result.of_row.emplace_back(parts[table].size());
  }
  for (const Member& one : members.all()) {
    parts[one.table][one.row] = &one.part;
    if (!members.is_scored(one)) continue;
    const auto found = std::find(names.begin(), names.end(), one.part);
    result.of_row[one.table][one.row] = static_cast<std::size_t>(found - names.begin());
  }
  result.why_not_scored =
      tier == Tier::source ? "of GPUs that no other source measured" : "fitted: not of the largest third";

  for (std::size_t part = 0; part < names.size(); ++part) {
    CalibrateOptions others = options;
    others.known_gpus = tier != Tier::none;
    others.unknown_gpus = tier == Tier::none;
    others.unknown_harnesses = tier == Tier::source;
    others.only_gpus = members.scored_gpus(names[part]);
    if (others.only_gpus.empty()) {  // none of its rows is scored
      result.calibrations.emplace_back();
      continue;
    }
    others.rows.keep = [&](std::size_t table, std::size_t row) {
      return parts[table][row] != nullptr && *parts[table][row] != names[part];
    };
    if (options.progress) {  // the parts take about as many fits each
      others.progress = [&](std::size_t done, std::size_t of) {
        options.progress(part * of + done, names.size() * of);
      };
    }
    auto report = TRY(calibrate(tables, others));
    result.calibrations.push_back(std::move(report.calibration));
  }
  return result;
}

}  // namespace rooftile
