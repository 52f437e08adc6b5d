#include "rooftile/measure/campaign.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/measure/row_file.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;

std::string_view name_of(Refusal why) {
  switch (why) {
    case Refusal::unsupported:
      return "unsupported";
    case Refusal::out_of_memory:
      return "out_of_memory";
    case Refusal::wrong_result:
      return "wrong_result";
    case Refusal::device_lost:
      return "device_lost";
  }
  return "";
}

class Campaign {
 public:
  Campaign(LayerRunner& runner, const CampaignOptions& options) : runner_(runner), options_(options) {}

  Result<CampaignReport> run(const std::vector<LayerCase>& cases) {
    const auto waiting = TRY(open(cases));
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      report_.left = waiting.size() - i;
      if (options_.stop()) return ended(CampaignEnd::stopped);
      if (options_.out_of_time()) return ended(CampaignEnd::out_of_time);
      const LayerCase& layer = *waiting[i];
      options_.progress({i, waiting.size(), key(layer)});
      const auto timing = runner_.time(layer);
      TRY(timing ? keep(layer, *timing) : note(layer, timing.error()));
      if (!timing && timing.error().why == Refusal::device_lost) {
        --report_.left;
        report_.message = timing.error().message;
        return ended(CampaignEnd::device_lost);
      }
    }
    report_.left = 0;
    return ended(CampaignEnd::finished);
  }

 private:
  std::string key(const LayerCase& layer) const { return key_of(layer, options_.context.l2); }

  CampaignReport ended(CampaignEnd end) {
    report_.end = end;
    return report_;
  }

  // Opens the files and says which cases are still to be measured.
  Result<std::vector<const LayerCase*>> open(const std::vector<LayerCase>& cases) {
    const fs::path folder = options_.folder;
    std::error_code error;
    fs::create_directories(folder / "layers", error);
    if (error) return fail(ErrorCode::io, error.message(), (folder / "layers").string());
    auto skipped = TRY(RowFile::open((folder / "skipped.csv").string(), {"case", "why", "message", "layer", "date"}));
    skipped_ = std::move(skipped);
    std::set<std::string> refused;
    if (!options_.retry) {
      for (const auto& row : skipped_->rows()) refused.insert(row.front());
    }

    std::set<std::string> done;
    std::vector<const LayerCase*> waiting;
    for (const LayerCase& layer : cases) {
      TRY(open_table(layer.op.index(), done));
      const std::string text = key(layer);
      if (done.count(text) > 0) {
        ++report_.done_before;
      } else if (refused.count(text) > 0) {
        ++report_.refused_before;
      } else {
        waiting.push_back(&layer);
      }
    }
    return waiting;
  }

  Result<void> open_table(std::size_t table, std::set<std::string>& done) {
    if (tables_[table]) return {};
    const fs::path path = fs::path(options_.folder) / "layers" / fmt::format("{}.csv", kTables[table]);
    auto file = TRY(RowFile::open(path.string(), columns_of(table)));
    for (std::string& text : keys_of(table, file.rows())) done.insert(std::move(text));
    tables_[table] = std::move(file);
    return {};
  }

  Result<void> keep(const LayerCase& layer, const LayerTiming& timing) {
    ++report_.measured;
    return tables_[layer.op.index()]->append(row_of(layer, timing, options_.context));
  }

  Result<void> note(const LayerCase& layer, const Refused& refused) {
    ++report_.refused;
    return skipped_->append({key(layer), std::string(name_of(refused.why)), one_line(refused.message),
                             one_line(layer.layer), options_.context.date});
  }

  LayerRunner& runner_;
  const CampaignOptions& options_;
  CampaignReport report_;
  std::optional<RowFile> skipped_;
  std::array<std::optional<RowFile>, kTables.size()> tables_;
};

}  // namespace

Result<CampaignReport> run_campaign(const std::vector<LayerCase>& cases, LayerRunner& runner,
                                    const CampaignOptions& options) {
  return Campaign(runner, options).run(cases);
}

std::string summary_of(const CampaignReport& report) {
  std::string text = fmt::format("{} layers measured", report.measured);
  if (report.done_before > 0) text += fmt::format(", {} from before", report.done_before);
  if (report.refused > 0) text += fmt::format(", {} refused (skipped.csv)", report.refused);
  if (report.refused_before > 0)
    text += fmt::format(", {} refused before (--retry tries them again)", report.refused_before);
  if (report.left > 0) text += fmt::format(", {} left", report.left);
  return text;
}

}  // namespace rooftile::measure
