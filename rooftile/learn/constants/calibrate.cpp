#include "rooftile/learn/constants/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

// In rows (see Prior): the start of constants for any GPU is physics, that of one GPU's is what the others say.
constexpr double kAnyStrength = 100, kOwnStrength = 4;
constexpr std::size_t kMostPerGpu = 150, kMostOwn = 1500;
constexpr std::size_t kMiopenShare = 10;  // of the rows of three passes and three precisions, one in so many
constexpr std::size_t kFolds = 3;

// The rows of a family on a GPU, with the plans of either way to choose a tile.
using Choices = std::vector<FitRows>;

std::size_t most_own(const FitRows&) { return kMostOwn; }

// Of a GPU's rows, where GPUs have constants in common.
std::size_t most_of(const FitRows& rows) {
  return rows.family == KernelFamily::conv_miopen ? std::max(kMostPerGpu, rows.rows.size() / kMiopenShare)
                                                  : kMostPerGpu;
}

// All GPUs of a family.
struct Family {
  KernelFamily family = KernelFamily::conv_simt;
  std::vector<Choices> gpus;

  // Whose libraries' kernels the constants for any GPU are of; another vendor's GPUs have constants of their own.
  std::string main_vendor() const {
    const std::string usual = "nvidia";
    const bool there =
        std::any_of(gpus.begin(), gpus.end(), [&](const Choices& gpu) { return gpu.front().vendor == usual; });
    return there ? usual : gpus.front().front().vendor;
  }
  std::vector<std::string> other_vendors() const {
    std::set<std::string> vendors;
    for (const Choices& gpu : gpus) vendors.insert(gpu.front().vendor);
    vendors.erase(main_vendor());
    return {vendors.begin(), vendors.end()};
  }
};

Result<std::vector<Family>> families(const std::vector<MeasuredTable>& tables, const CalibrateOptions& options) {
  std::map<KernelFamily, std::map<std::string, Choices>> found;
  for (const TileChoice choice : {TileChoice::least_time, TileChoice::by_channels}) {
    FitRowsOptions rows = options.rows;
    rows.choice = choice;
    if (choice == TileChoice::by_channels) {  // a choice that only convolutions know
      rows.keep = [&](std::size_t table, std::size_t row) {
        const bool conv = std::holds_alternative<Conv>(tables[table].table().rows[row].op);
        return conv && (!options.rows.keep || options.rows.keep(table, row));
      };
    }
    auto groups = TRY(fit_rows(tables, rows));
    for (FitRows& group : groups) {
      const bool has_choice = group.family == KernelFamily::conv_simt;
      if (has_choice || choice == TileChoice::least_time) found[group.family][group.scope].push_back(std::move(group));
    }
  }
  std::vector<Family> all;
  for (auto& [family, gpus] : found) {
    all.push_back({family, {}});
    for (auto& [gpu, choices] : gpus) all.back().gpus.push_back(std::move(choices));
  }
  if (all.empty()) return fail(ErrorCode::bad_input, "no row to fit");
  return all;
}

class Calibrator {
 public:
  Calibrator(const CalibrateOptions& options, const std::vector<Family>& all) : options_(options) {
    for (const Family& family : all) fits_ += fits_of(family);
  }

  void add(const Family& family) {
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
    for (const Choices& gpu : family.gpus) {
      const std::string& vendor = gpu.front().vendor;
      Fit fit = fit_gpu(gpu, by_vendor.at(vendor));
      harnesses[vendor].insert(harnesses[vendor].end(), fit.harnesses.begin(), fit.harnesses.end());
      if (options_.known_gpus) add_gpu(gpu, std::move(fit), by_vendor.at(vendor));
    }
    for (const auto& [vendor, of_vendor] : harnesses) {
      std::vector<Harness>& all = report_.calibration.harnesses;
      all.insert(all.end(), of_vendor.begin(), of_vendor.end());
      add_harness_means(of_vendor, vendor == family.main_vendor() ? "" : vendor);
    }
    if (has_foreign_spread(family)) add_foreign_spread(family, any.entry.constants, harnesses);
  }

  CalibrationReport take() { return std::move(report_); }

 private:
  bool has_foreign_spread(const Family& family) const {
    return options_.unknown_gpus && options_.foreign_spreads && family.gpus.size() > 1;
  }

  // How many fits add() makes.
  std::size_t fits_of(const Family& family) const {
    std::size_t fits = 1 + family.other_vendors().size();
    std::set<std::string> architectures;
    for (const Choices& gpu : family.gpus) {
      architectures.insert(gpu.front().architecture);
      fits += gpu.size() + (options_.known_gpus ? kFolds : 0) + (has_foreign_spread(family) ? 1 : 0);
    }
    return fits + (options_.unknown_gpus ? architectures.size() : 0);
  }

  void count_fit() {
    ++done_;
    if (options_.progress) options_.progress(done_, fits_);
  }

  Fit fit_with(const FitRows& rows, const Prior& prior) {
    Fit result = fit(rows, {.prior = prior, .evaluations = options_.evaluations, .date = options_.date});
    count_fit();
    return result;
  }

  // Constants from every GPU of a vendor but `left_out`, from a start; without one from that of the family, which is
  // physics. The start itself where no GPU is left.
  Fit fit_vendor(const Family& family, const std::string& vendor, const std::optional<Constants>& start,
                 const Choices* left_out) {
    std::vector<const FitRows*> parts;
    for (const Choices& gpu : family.gpus) {
      if (&gpu != left_out && gpu.front().vendor == vendor) parts.push_back(&gpu.front());
    }
    if (parts.empty()) {
      count_fit();
      Fit none;
      none.entry.constants = start.value_or(unfitted_constants(family.family));
      return none;
    }
    const Prior prior = start ? Prior{*start, kOwnStrength} : Prior{.constants = {}, .strength = kAnyStrength};
    return fit_with(merged(parts, start ? vendor : std::string(kAnyGpu), most_of), prior);
  }

  void add_entry(Fit fit, std::string_view scope) {
    fit.entry.scope = scope;
    report_.calibration.entries.push_back(fit.entry);
    report_.fits.push_back(std::move(fit));
  }

  void add_architectures(const Family& family, const std::map<std::string, Constants>& by_vendor) {
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
      fits.push_back(fit_with(merged({&rows}, rows.scope, most_own), {any, kOwnStrength}));
      fits.back().entry.choice = rows.choice;
    }
    return *std::min_element(fits.begin(), fits.end(),
                             [](const Fit& a, const Fit& b) { return a.entry.gmae < b.entry.gmae; });
  }

  void add_gpu(const Choices& gpu, Fit fit, const Constants& any) {
    fit.entry.spread = held_out_spread(gpu, fit.entry.choice, any);
    add_entry(std::move(fit), gpu.front().scope);
  }

  // Each part of the shapes under the constants of the others.
  std::optional<Spread> held_out_spread(const Choices& gpu, TileChoice choice, const Constants& any) {
    const FitRows& rows = gpu.size() > 1 && choice == gpu.back().choice ? gpu.back() : gpu.front();
    std::vector<double> residuals;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      FitRows seen = rows;
      std::erase_if(seen.rows, [&](const FitRow& row) { return row.shape % kFolds == fold; });
      if (seen.rows.empty()) {
        count_fit();
        continue;
      }
      const Fit part = fit_with(merged({&seen}, rows.scope, most_own), {any, kOwnStrength});
      for (const FitRow& row : rows.rows) {
        if (row.shape % kFolds != fold) continue;
        residuals.push_back(residual_of(row, rows.rates, part.entry.constants, part.harnesses[row.harness]));
      }
    }
    return spread_of(std::move(residuals));
  }

  // A harness for GPUs of a vendor on which nobody measured: the mean over those on which somebody did; and one for the
  // framework whatever its call.
  void add_harness_means(const std::vector<Harness>& measured, const std::string& vendor) {
    std::map<std::string, std::vector<Harness>> by_framework;
    for (const Harness& harness : measured) {
      by_framework[harness.framework].push_back(harness);
      const std::size_t slash = harness.framework.find('/');
      if (slash != std::string::npos) by_framework[harness.framework.substr(0, slash)].push_back(harness);
    }
    for (const auto& [framework, harnesses] : by_framework) {
      report_.calibration.harnesses.push_back(mean(framework, harnesses));
      report_.calibration.harnesses.back().gpu = vendor;
    }
  }

  static Harness mean(const std::string& framework, const std::vector<Harness>& harnesses) {
    Harness result = harnesses.front();
    result.framework = framework;
    result.gpu.clear();
    result.overhead = result.floor = Seconds(0);
    result.weight_sets = result.step_launches = 0;
    double rotating = 0;
    const auto count = static_cast<double>(harnesses.size());
    for (const Harness& harness : harnesses) {
      result.overhead += harness.overhead / count;
      result.floor += harness.floor / count;
      result.weight_sets += harness.weight_sets / count;
      result.step_launches += harness.step_launches / count;
      rotating += harness.rotates ? 1 : 0;
    }
    result.rotates = 2 * rotating > count;
    return result;
  }

  // Each GPU under the constants and the mean harness of the others.
  void add_foreign_spread(const Family& family, const Constants& any,
                          const std::map<std::string, std::vector<Harness>>& harnesses) {
    std::map<std::string, std::vector<double>> residuals;
    for (const Choices& gpu : family.gpus) {
      const std::string& vendor = gpu.front().vendor;
      const bool main = vendor == family.main_vendor();
      const Fit others = fit_vendor(family, vendor, main ? std::nullopt : std::optional(any), &gpu);
      const FitRows rows = merged({&gpu.front()}, "", most_own);
      for (const FitRow& row : rows.rows) {
        const Harness harness = foreign_harness(rows.harnesses[row.harness], harnesses.at(vendor));
        residuals[vendor].push_back(residual_of(row, rows.rates, others.entry.constants, harness));
      }
    }
    for (auto& [vendor, of_vendor] : residuals) {
      const auto spread = spread_of(std::move(of_vendor));
      if (spread) report_.calibration.foreign_spreads.push_back({family.family, vendor, *spread});
    }
  }

  // The mean over the other GPUs that the framework ran on; its own where there are none, for that is no matter of the
  // constants.
  static Harness foreign_harness(const Harness& own, const std::vector<Harness>& harnesses) {
    std::vector<Harness> others, same;
    for (const Harness& harness : harnesses) {
      if (harness.framework == own.framework) (harness.gpu == own.gpu ? same : others).push_back(harness);
    }
    return mean(own.framework, others.empty() ? same : others);
  }

  const CalibrateOptions& options_;
  std::size_t fits_ = 0, done_ = 0;
  CalibrationReport report_;
};

}  // namespace

Result<CalibrationReport> calibrate(const std::vector<MeasuredTable>& tables, const CalibrateOptions& options) {
  const auto all = TRY(families(tables, options));
  Calibrator calibrator(options, all);
  for (const Family& family : all) calibrator.add(family);
  return calibrator.take();
}

}  // namespace rooftile
