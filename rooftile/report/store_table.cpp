#include <map>
#include <tuple>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/store.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string measurements(const std::vector<store::MeasurementCount>& counts, std::size_t width) {
  // Without passes and files, which are many.
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>, std::int64_t> rows;
  std::int64_t all = 0;
  for (const store::MeasurementCount& count : counts) {
    rows[{count.subject.gpu, count.subject.op, count.subject.precision, count.subject.software, count.origin.source,
          count.origin.date}] += count.rows;
    all += count.rows;
  }
  TextTable table({{"gpu", Align::left, Cut::never},
                   {"op"},
                   {"precision"},
                   {"software"},
                   {"source"},
                   {"date"},
                   {"rows", Align::right}});
  for (const auto& [key, number] : rows) {
    const auto& [gpu, op, precision, software, source, date] = key;
    table.add({or_dash(gpu), op, or_dash(precision), or_dash(software), or_dash(source), or_dash(date),
               grouped(static_cast<double>(number))});
  }
  return fmt::format("Measurements: {}\n{}{}", grouped(static_cast<double>(all)), table.empty() ? "" : "\n",
                     table.empty() ? "" : table.text(width));
}

std::string fitted(const std::vector<store::FittedModel>& models, std::size_t width) {
  if (models.empty()) return "Fitted models: none\n";
  TextTable table({{"name"}, {"kind"}, {"date"}, {"fitted on", Align::left}});
  for (const store::FittedModel& model : models) {
    table.add({model.name, model.kind, or_dash(model.date), or_dash(model.fitted_on)});
  }
  return fmt::format("Fitted models: {}\n\n{}", models.size(), table.text(width));
}

std::string predictions(const std::vector<store::SavedPrediction>& saved, std::size_t width) {
  if (saved.empty()) return "Predictions: none\n";
  TextTable table({{"model"},
                   {"gpu", Align::left, Cut::never},
                   {"method"},
                   {"precision"},
                   {"pass"},
                   {"batch", Align::right},
                   {"time", Align::right},
                   {"calibration"},
                   {"version"},
                   {"date"}});
  for (const store::SavedPrediction& one : saved) {
    table.add({one.model, one.gpu, one.method, one.precision, one.pass, std::to_string(one.batch_size), print(one.time),
               or_dash(one.calibration), one.version, one.date});
  }
  return fmt::format("Predictions: {}\n\n{}", saved.size(), table.text(width));
}

}  // namespace

std::string store_table(const StoreContents& contents, std::size_t width) {
  return fmt::format("{}\n\n{}\n{}\n{}", contents.path, measurements(contents.measurements, width),
                     fitted(contents.fitted, width), predictions(contents.predictions, width));
}

std::string store_check_text(const StoreCheck& check) {
  return fmt::format("{}: no damage found; {} intact\n", check.path,
                     counted(static_cast<std::size_t>(check.measurements), "measurement"));
}

std::string import_table(const std::vector<store::ImportedFile>& files, std::size_t width) {
  TextTable table({{"file", Align::left},
                   {"format", Align::left},
                   {"rows", Align::right},
                   {"added", Align::right},
                   {"known", Align::right},
                   {"wrong", Align::right}});
  const auto number = [](std::int64_t rows) { return grouped(static_cast<double>(rows)); };
  for (const store::ImportedFile& file : files) {
    table.add({file.file, file.format, number(file.rows), number(file.added), number(file.rows - file.added),
               number(file.bad_row_count)});
  }
  return table.text(width);
}

}  // namespace rooftile
