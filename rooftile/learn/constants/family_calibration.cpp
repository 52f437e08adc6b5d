#include "rooftile/learn/constants/family_calibration.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "rooftile/base/quantile.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/calibration/spread_scope.hpp"
#include "rooftile/learn/constants/middle_harness.hpp"

namespace rooftile {
namespace {

// In rows (see Prior): the start of constants for any GPU is physics, that of one GPU's is what the others say.
constexpr double kAnyStrength = 100, kOwnStrength = 4;
constexpr std::size_t kMostPerGpu = 150, kMostOwn = 1500, kMostSeen = 400;
constexpr std::size_t kMiopenShare = 10;  // of the rows of three passes and three precisions, one in so many
constexpr std::size_t kFolds = 3;

std::size_t most_own(const FitRows&) { return kMostOwn; }
std::size_t most_seen(const FitRows&) { return kMostSeen; }

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

bool has_own_entry(const Choices& gpu, const CalibrateOptions& options) {
  return options.known_gpus && (options.only_gpus.empty() || options.only_gpus.contains(gpu.front().scope));
}

bool has_unknown_harness(const CalibrateOptions& options) { return options.known_gpus && options.unknown_harnesses; }

// With its rows, or the sources of them, one by one.
bool is_left_out(const FamilyRows& family, const Choices& gpu, const CalibrateOptions& options) {
  const bool alone = gpus_of(family, gpu.front().spread_scope) < 2;
  return (has_foreign_spread(options) && !alone) || (has_unknown_harness(options) && gpu.front().sources.size() > 1);
}

// Those that rows speak of, of a GPU and its fit.
void add_harnesses(const FitRows& rows, const std::vector<Harness>& fitted, std::vector<MeasuredHarness>& all) {
  std::vector<std::optional<std::size_t>> sources(fitted.size());
  for (const FitRow& row : rows.rows) sources[row.harness] = sources[row.harness].value_or(row.source);
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    if (sources[i]) all.push_back({fitted[i], rows.vendor, rows.sources[*sources[i]]});
  }
}

// What is known of a row's harness where that was left out.
Harness found_harness(const Calibration& known, const FitRows& rows, const FitRow& row, const Constants& constants) {
  const Harness& own = rows.harnesses[row.harness];
  const Harness* found = find_harness(known, own.family, own.framework, own.gpu, rows.vendor);
  if (found != nullptr) return *found;
  Seconds start;
  if (on_tensor_cores(own.family)) {
    start = Seconds(constants[TensorConstant::start_cycles] / rows.rates[row.gpu].clock.value());
  }
  Harness unknown = unknown_harness(own.family, own.framework, own.overhead, start);
  unknown.range = range_of_unknown(known, unknown);
  return unknown;
}

// The harnesses of a family: as measured, and their middles.
std::vector<Harness> harnesses_of(const FamilyRows& family, const std::vector<MeasuredHarness>& measured) {
  std::vector<std::string> vendors = family.other_vendors();
  vendors.insert(vendors.begin(), family.main_vendor());
  std::vector<Harness> all;
  for (const std::string& vendor : vendors) {
    for (const MeasuredHarness& one : measured) {
      if (one.vendor == vendor) all.push_back(one.harness);
    }
    for (Harness& harness : middle_harnesses(vendor, measured)) {
      if (vendor != family.main_vendor()) harness.gpu = vendor;
      all.push_back(std::move(harness));
    }
  }
  return all;
}

void append(GroupResiduals& all, const GroupResiduals& some) { all.insert(all.end(), some.begin(), some.end()); }

// The fit of a GPU's rows, and the residuals of parts of them that were left out.
struct GpuFit {
  Fit fit;
  GroupResiduals held_out;
};

// The residuals of a GPU's sources left out: all, and of those frameworks that others tell something of.
struct SourceResiduals {
  GroupResiduals all, named;
};

class Calibrator {
 public:
  Calibrator(const CalibrateOptions& options, const std::function<void()>& count) : options_(options), count_(count) {}

  void add(const FamilyRows& family) {
    const Fit any = fit_vendor(family, family.main_vendor(), {}, nullptr);
    vendors_[family.main_vendor()] = any.entry.constants;
    add_entry(any, kAnyGpu);
    for (const std::string& vendor : family.other_vendors()) {
      const Fit own = fit_vendor(family, vendor, any.entry.constants, nullptr);
      vendors_[vendor] = own.entry.constants;
      add_entry(own, vendor);
    }
    if (options_.unknown_gpus) add_architectures(family);
    add_gpus(family);
    result_.harnesses = harnesses_of(family, measured_);
    find_constants_without(family);
    if (has_foreign_spread(options_)) {
      for (auto& [scope, foreign] : result_.foreign) {
        if (gpus_of(family, scope) > 1) leave_gpus_out(family, scope, foreign);
      }
    }
    if (has_unknown_harness(options_)) leave_sources_out(family);
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

  // What a vendor's other GPUs say, of each GPU that is left out later.
  void find_constants_without(const FamilyRows& family) {
    std::vector<std::optional<Constants>> without(family.gpus.size());
    each_on_threads(family.gpus.size(), [&](std::size_t i) {
      const Choices& gpu = family.gpus[i];
      if (!is_left_out(family, gpu, options_)) return;
      const std::string &vendor = gpu.front().vendor, main = family.main_vendor();
      const auto start = vendor == main ? std::nullopt : std::optional(vendors_.at(main));
      without[i] = fit_vendor(family, vendor, start, &gpu).entry.constants;
    });
    for (std::size_t i = 0; i < without.size(); ++i) {
      if (without[i]) without_[family.gpus[i].front().scope] = *without[i];
    }
  }

  void add_entry(Fit fit, std::string_view scope) {
    fit.entry.scope = scope;
    result_.entries.push_back(fit.entry);
    result_.fits.push_back(std::move(fit));
  }

  void add_architectures(const FamilyRows& family) {
    std::map<std::string, std::vector<const FitRows*>> parts;
    for (const Choices& gpu : family.gpus) parts[gpu.front().architecture].push_back(&gpu.front());
    const std::vector<std::pair<std::string, std::vector<const FitRows*>>> all(parts.begin(), parts.end());
    std::vector<Fit> fits(all.size());
    each_on_threads(all.size(), [&](std::size_t i) {
      const auto& [architecture, gpus] = all[i];
      const Prior prior{vendors_.at(gpus.front()->vendor), kOwnStrength};
      FitRows rows = merged(gpus, architecture, most_of);
      // Whose power tells whom the entry suits; where entries of GPUs are made, they have it.
      if (!options_.known_gpus && gpus.size() == 1) rows.board = gpus.front()->board;
      fits[i] = fit_with(rows, prior);
    });
    for (std::size_t i = 0; i < all.size(); ++i) add_entry(std::move(fits[i]), all[i].first);
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

  void add_gpus(const FamilyRows& family) {
    std::vector<GpuFit> fits(family.gpus.size());
    each_on_threads(fits.size(), [&](std::size_t i) {
      const Choices& gpu = family.gpus[i];
      const Constants& start = vendors_.at(gpu.front().vendor);
      fits[i].fit = fit_gpu(gpu, start);
      if (has_own_entry(gpu, options_)) {
        fits[i].held_out = held_out_groups(rows_of(gpu, fits[i].fit.entry.choice), start);
      }
    });
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const FitRows& rows = family.gpus[i].front();
      Fit& fit = fits[i].fit;
      choices_[rows.scope] = fit.entry.choice;
      add_harnesses(rows, fit.harnesses, measured_);
      result_.foreign[rows.spread_scope].calls.push_back(fit.residuals);
      if (!has_own_entry(family.gpus[i], options_)) continue;
      add_entry(std::move(fit), rows.scope);
      result_.own.emplace_back(result_.entries.size() - 1, std::move(fits[i].held_out));
    }
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

  // The residuals of a vendor's GPUs, each under the constants and the harnesses of the others.
  void leave_gpus_out(const FamilyRows& family, const std::string& scope, ForeignResiduals& foreign) {
    foreign.calls.clear();
    for (const Choices& gpu : family.gpus) {
      if (gpu.front().spread_scope != scope) continue;
      const Constants& others = without_.at(gpu.front().scope);
      const FitRows rows = merged({&gpu.front()}, "", most_own);
      std::vector<MeasuredHarness> elsewhere = measured_;
      std::erase_if(elsewhere, [&](const MeasuredHarness& one) { return one.harness.gpu == gpu.front().scope; });
      Calibration known;
      known.harnesses = harnesses_of(family, elsewhere);
      GroupResiduals calls(rows.harnesses.size());
      foreign.gpus.emplace_back();
      for (const FitRow& row : rows.rows) {
        const Harness harness = found_harness(known, rows, row, others);
        calls[row.harness].push_back(residual_beyond(row, rows.rates, others, harness));
        foreign.gpus.back().push_back(calls[row.harness].back());
      }
      for (std::vector<double>& call : calls) {
        if (!call.empty()) foreign.calls.push_back(std::move(call));
      }
    }
  }

  // The residuals of each GPU's sources, each under the constants that the others say.
  void leave_sources_out(const FamilyRows& family) {
    std::vector<SourceResiduals> residuals(family.gpus.size());
    each_on_threads(residuals.size(), [&](std::size_t i) {
      if (family.gpus[i].front().sources.size() > 1) residuals[i] = residuals_of_sources(family, family.gpus[i]);
    });
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      ForeignResiduals& foreign = result_.foreign.at(family.gpus[i].front().spread_scope);
      append(foreign.sources, residuals[i].all);
      append(foreign.named, residuals[i].named);
    }
  }

  SourceResiduals residuals_of_sources(const FamilyRows& family, const Choices& gpu) {
    const FitRows& all = rows_of(gpu, choices_.at(gpu.front().scope));
    const FitRows rows = merged({&all}, all.scope, most_own);
    SourceResiduals result;
    for (std::size_t source = 0; source < rows.sources.size(); ++source) {
      FitRows others = rows;
      std::erase_if(others.rows, [&](const FitRow& row) { return row.source == source; });
      const Fit fit = fit_with(merged({&others}, all.scope, most_seen), {without_.at(all.scope), kOwnStrength});
      std::vector<MeasuredHarness> known = measured_;
      std::erase_if(known, [&](const MeasuredHarness& one) {
        return one.harness.gpu == all.scope || one.source == rows.sources[source];
      });
      add_harnesses(others, fit.harnesses, known);
      Calibration seen;
      seen.harnesses = harnesses_of(family, known);
      std::vector<double> residuals;
      bool named = true;
      for (const FitRow& row : rows.rows) {
        if (row.source != source) continue;
        const Harness harness = found_harness(seen, rows, row, fit.entry.constants);
        named = named && !harness.framework.empty();
        residuals.push_back(residual_beyond(row, rows.rates, fit.entry.constants, harness));
      }
      if (named) result.named.push_back(residuals);
      result.all.push_back(std::move(residuals));
    }
    return result;
  }

  const CalibrateOptions& options_;
  const std::function<void()>& count_;
  FamilyCalibration result_;
  std::vector<MeasuredHarness> measured_;
  std::map<std::string, Constants> vendors_;   // where those of a GPU start
  std::map<std::string, TileChoice> choices_;  // of each GPU
  std::map<std::string, Constants> without_;   // by the GPU left out
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
    fits += gpu.size() + (has_own_entry(gpu, options) ? kFolds : 0) + (is_left_out(family, gpu, options) ? 1 : 0);
    const std::size_t sources = has_unknown_harness(options) ? gpu.front().sources.size() : 1;
    fits += sources > 1 ? sources : 0;
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
