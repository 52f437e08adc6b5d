#include "rooftile/learn/constants/family_calibration.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "rooftile/base/quantile.hpp"
#include "rooftile/calibration/spread_scope.hpp"
#include "rooftile/learn/constants/middle_harness.hpp"

namespace rooftile {
namespace {

// In rows (see Prior): the start of constants for any GPU is physics, that of one GPU's is what the others say.
constexpr double kAnyStrength = 100, kOwnStrength = 4;
constexpr std::size_t kMostPerGpu = 150, kMostOwn = 1500;
constexpr std::size_t kMiopenShare = 10;  // of the rows of three passes and three precisions, one in so many
constexpr std::size_t kFolds = 3;

std::size_t most_own(const FitRows&) { return kMostOwn; }

// Of a GPU's rows, where GPUs have constants in common.
std::size_t most_of(const FitRows& rows) {
  return rows.family == KernelFamily::conv_miopen ? std::max(kMostPerGpu, rows.rows.size() / kMiopenShare)
                                                  : kMostPerGpu;
}

std::size_t gpus_of(const FamilyRows& family, const std::string& spread_scope) {
  return static_cast<std::size_t>(std::count_if(family.gpus.begin(), family.gpus.end(), [&](const Choices& gpu) {
    return gpu.front().spread_scope == spread_scope;
  }));
}

bool has_foreign_spread(const CalibrateOptions& options) { return options.unknown_gpus && options.foreign_spreads; }

bool is_wanted(const Choices& gpu, const CalibrateOptions& options) {
  return options.only_gpus.empty() || options.only_gpus.contains(gpu.front().scope);
}

class Calibrator {
 public:
  Calibrator(const CalibrateOptions& options, const std::function<void()>& count) : options_(options), count_(count) {}

  void add(const FamilyRows& family) {
    std::map<std::string, Constants> by_vendor;  // where those of a GPU start
    const Fit any = fit_vendor(family, family.main_vendor(), {}, nullptr);
    by_vendor[family.main_vendor()] = any.entry.constants;
    add_entry(any, kAnyGpu);
    for (const std::string& vendor : family.other_vendors()) {
      const Fit own = fit_vendor(family, vendor, any.entry.constants, nullptr);
      by_vendor[vendor] = own.entry.constants;
      add_entry(own, vendor);
    }
    if (options_.unknown_gpus) add_architectures(family, by_vendor);
    std::map<std::string, std::vector<Harness>> harnesses;  // by vendor
    std::map<std::string, GroupResiduals> seen;             // by scope of a spread
    for (const Choices& gpu : family.gpus) {
      const std::string& vendor = gpu.front().vendor;
      Fit fit = fit_gpu(gpu, by_vendor.at(vendor));
      harnesses[vendor].insert(harnesses[vendor].end(), fit.harnesses.begin(), fit.harnesses.end());
      add_harness_middles(rows_of(gpu, fit.entry.choice), fit.residuals);
      seen[gpu.front().spread_scope].push_back(fit.residuals);
      if (options_.known_gpus && is_wanted(gpu, options_)) add_gpu(gpu, std::move(fit), by_vendor.at(vendor));
    }
    for (const auto& [vendor, of_vendor] : harnesses) {
      std::vector<Harness>& all = result_.harnesses;
      all.insert(all.end(), of_vendor.begin(), of_vendor.end());
      for (Harness& harness : middle_harnesses(of_vendor)) {
        if (vendor != family.main_vendor()) harness.gpu = vendor;
        all.push_back(std::move(harness));
      }
    }
    if (!has_foreign_spread(options_)) return;
    for (const auto& [scope, residuals] : seen) {
      ForeignResiduals foreign{family.family, scope, {}, residuals};
      if (gpus_of(family, scope) > 1) {
        leave_out(family, any.entry.constants, harnesses.at(std::string(vendor_of(scope))), foreign);
      }
      result_.foreign_middles += middles_of(foreign.gpus);
      result_.foreign.push_back(std::move(foreign));
    }
  }

  FamilyCalibration take() { return std::move(result_); }

 private:
  Fit fit_with(const FitRows& rows, const Prior& prior) {
    Fit result = fit(rows, {.prior = prior, .evaluations = options_.evaluations, .date = options_.date});
    count_();
    return result;
  }

  // Constants from every GPU of a vendor but `left_out`, from a start; without one from that of the family, which is
  // physics. The start itself where no GPU is left.
  Fit fit_vendor(const FamilyRows& family, const std::string& vendor, const std::optional<Constants>& start,
                 const Choices* left_out) {
    std::vector<const FitRows*> parts;
    for (const Choices& gpu : family.gpus) {
      if (&gpu != left_out && gpu.front().vendor == vendor) parts.push_back(&gpu.front());
    }
    if (parts.empty()) {
      count_();
      Fit none;
      none.entry.constants = start.value_or(unfitted_constants(family.family));
      return none;
    }
    const Prior prior = start ? Prior{*start, kOwnStrength} : Prior{.constants = {}, .strength = kAnyStrength};
    return fit_with(merged(parts, start ? vendor : std::string(kAnyGpu), most_of), prior);
  }

  void add_entry(Fit fit, std::string_view scope) {
    fit.entry.scope = scope;
    result_.entries.push_back(fit.entry);
    result_.fits.push_back(std::move(fit));
  }

  void add_architectures(const FamilyRows& family, const std::map<std::string, Constants>& by_vendor) {
    std::map<std::string, std::vector<const FitRows*>> parts;
    for (const Choices& gpu : family.gpus) parts[gpu.front().architecture].push_back(&gpu.front());
    for (const auto& [architecture, gpus] : parts) {
      const Prior prior{by_vendor.at(gpus.front()->vendor), kOwnStrength};
      add_entry(fit_with(merged(gpus, architecture, most_of), prior), architecture);
    }
  }

  // The better of the ways to choose a tile.
  Fit fit_gpu(const Choices& gpu, const Constants& any) {
    std::vector<Fit> fits;
    for (const FitRows& rows : gpu) {
      FitRows own = merged({&rows}, rows.scope, most_own);
      own.board = rows.board;
      fits.push_back(fit_with(own, {any, kOwnStrength}));
      fits.back().entry.choice = rows.choice;
    }
    return *std::min_element(fits.begin(), fits.end(),
                             [](const Fit& a, const Fit& b) { return a.entry.gmae < b.entry.gmae; });
  }

  static const FitRows& rows_of(const Choices& gpu, TileChoice choice) {
    return gpu.size() > 1 && choice == gpu.back().choice ? gpu.back() : gpu.front();
  }

  void add_gpu(const Choices& gpu, Fit fit, const Constants& any) {
    GroupResiduals groups = held_out_groups(rows_of(gpu, fit.entry.choice), any);
    result_.own_middles += middles_of(groups);
    add_entry(std::move(fit), gpu.front().scope);
    result_.own.emplace_back(result_.entries.size() - 1, std::move(groups));
  }

  // Parts of the rows, each under the constants of the others: the third that takes longest, and either half of the
  // shapes of the rest.
  GroupResiduals held_out_groups(const FitRows& rows, const Constants& any) {
    std::vector<double> times;
    for (const FitRow& row : rows.rows) times.push_back(row.measured.value());
    constexpr double kLarge = 2. / 3;
    const double large = quantile(std::move(times), kLarge);
    const auto fold_of = [&](const FitRow& row) {
      return row.measured.value() > large ? kFolds - 1 : row.shape % (kFolds - 1);
    };
    GroupResiduals groups;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      FitRows seen = rows;
      std::erase_if(seen.rows, [&](const FitRow& row) { return fold_of(row) == fold; });
      if (seen.rows.empty() || seen.rows.size() == rows.rows.size()) {
        count_();
        continue;
      }
      const Fit part = fit_with(merged({&seen}, rows.scope, most_own), {any, kOwnStrength});
      groups.emplace_back();
      for (const FitRow& row : rows.rows) {
        if (fold_of(row) != fold) continue;
        groups.back().push_back(residual_of(row, rows.rates, part.entry.constants, part.harnesses[row.harness]));
      }
    }
    return groups;
  }

  // What a harness is off by beside the others of its GPU, which share the constants.
  void add_harness_middles(const FitRows& rows, const std::vector<double>& residuals) {
    const FitRows fitted = merged({&rows}, rows.scope, most_own);
    GroupResiduals groups(fitted.harnesses.size());
    for (std::size_t i = 0; i < fitted.rows.size(); ++i) groups[fitted.rows[i].harness].push_back(residuals[i]);
    if (groups.size() < 2) return;
    const auto count = static_cast<double>(groups.size());
    for (std::vector<double>& group : groups) {
      for (double& residual : group) residual *= count / (count - 1);  // of the mean, which it took part in
    }
    result_.harness_middles += middles_of(groups);
  }

  // The residuals of a vendor's GPUs, each under the constants and the middle harness of the others.
  void leave_out(const FamilyRows& family, const Constants& any, const std::vector<Harness>& harnesses,
                 ForeignResiduals& foreign) {
    const std::string vendor(vendor_of(foreign.scope));
    const bool main = vendor == family.main_vendor();
    foreign.calls.clear();
    for (const Choices& gpu : family.gpus) {
      if (gpu.front().spread_scope != foreign.scope) continue;
      const Fit others = fit_vendor(family, vendor, main ? std::nullopt : std::optional(any), &gpu);
      const FitRows rows = merged({&gpu.front()}, "", most_own);
      GroupResiduals calls(rows.harnesses.size());
      foreign.gpus.emplace_back();
      for (const FitRow& row : rows.rows) {
        const Harness harness = foreign_harness(rows.harnesses[row.harness], harnesses);
        calls[row.harness].push_back(residual_beyond(row, rows.rates, others.entry.constants, harness));
        foreign.gpus.back().push_back(calls[row.harness].back());
      }
      for (std::vector<double>& call : calls) {
        if (!call.empty()) foreign.calls.push_back(std::move(call));
      }
    }
  }

  const CalibrateOptions& options_;
  const std::function<void()>& count_;
  FamilyCalibration result_;
};

}  // namespace

std::string FamilyRows::main_vendor() const {
  const std::string usual = "nvidia";
  const bool there =
      std::any_of(gpus.begin(), gpus.end(), [&](const Choices& gpu) { return gpu.front().vendor == usual; });
  return there ? usual : gpus.front().front().vendor;
}

std::vector<std::string> FamilyRows::other_vendors() const {
  std::set<std::string> vendors;
  for (const Choices& gpu : gpus) vendors.insert(gpu.front().vendor);
  vendors.erase(main_vendor());
  return {vendors.begin(), vendors.end()};
}

std::size_t FamilyRows::rows() const {
  std::size_t rows = 0;
  for (const Choices& gpu : gpus) rows += gpu.front().rows.size();
  return rows;
}

std::size_t fits_of(const FamilyRows& family, const CalibrateOptions& options) {
  std::size_t fits = 1 + family.other_vendors().size();
  std::set<std::string> architectures;
  for (const Choices& gpu : family.gpus) {
    architectures.insert(gpu.front().architecture);
    fits += gpu.size() + (options.known_gpus && is_wanted(gpu, options) ? kFolds : 0);
    fits += has_foreign_spread(options) && gpus_of(family, gpu.front().spread_scope) > 1 ? 1 : 0;
  }
  return fits + (options.unknown_gpus ? architectures.size() : 0);
}

FamilyCalibration calibrate_family(const FamilyRows& family, const CalibrateOptions& options,
                                   const std::function<void()>& count) {
  Calibrator calibrator(options, count);
  calibrator.add(family);
  return calibrator.take();
}

}  // namespace rooftile
