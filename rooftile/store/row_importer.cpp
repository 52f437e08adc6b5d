#include "rooftile/store/row_importer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/layer_table_row.hpp"

namespace rooftile::store {
namespace {

struct Filled {
  const char* column;
  std::string ImportOptions::*value;
};
constexpr std::array kFilled = {Filled{"gpu", &ImportOptions::gpu}, Filled{"precision", &ImportOptions::precision},
                                Filled{"framework", &ImportOptions::software}};

bool holds_a_measurement(std::string_view column) {
  constexpr std::array<std::string_view, 5> kMeasured = {"time_us", "time_ms", "time_s", "throughput",
                                                         "kernel_launches"};
  return std::find(kMeasured.begin(), kMeasured.end(), column) != kMeasured.end() || column.ends_with("_measured");
}

}  // namespace

Result<RowImporter> RowImporter::begin(MeasurementWriter& writer, ImportedFile& result, CsvRow header,
                                       const ImportOptions& options, const std::string& date) {
  LayerTableOptions reading;
  reading.precision = options.precision;
  reading.keep_unsupported = true;
  reading.measurements = true;
  auto given = TRY(LayerTableReader::from_header(header, result.file, reading));
  const std::size_t width = header.cells.size();
  const auto has = [&](const char* column) {
    return std::any_of(header.cells.begin(), header.cells.end(),
                       [&](const std::string& name) { return trimmed(name) == column; });
  };
  for (const Filled& filled : kFilled) {
    if (!(options.*filled.value).empty() && !has(filled.column)) header.cells.emplace_back(filled.column);
  }
  auto filled = TRY(LayerTableReader::from_header(header, result.file, reading));

  RowImporter importer(writer, result, options, std::move(given), std::move(filled));
  importer.width_ = width;
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    const std::string name(trimmed(header.cells[i]));
    if (!name.empty()) importer.places_.emplace(name, i);
    if (holds_a_measurement(name)) importer.measured_.push_back(i);
  }
  writer.begin_file({result.file, result.format, options.source, date}, header.cells);
  importer.columns_ = std::move(header.cells);
  return importer;
}

Result<void> RowImporter::add(CsvRow row) {
  table_.rows.clear();
  table_.unsupported.clear();
  const std::size_t line = row.line;
  const bool whole = row.cells.size() == width_;
  if (whole) {
    row.cells.resize(columns_.size());
    fill(row.cells);
  }
  ++result_->rows;
  if (auto read = (whole ? filled_ : given_).read(std::move(row), table_); !read) return reject(read.error());
  const bool later = table_.rows.empty();
  const std::vector<std::string>& cells = later ? table_.unsupported.front().cells : table_.rows.front().cells;
  if (!is_measured(cells)) {
    --result_->rows;
    ++result_->unmeasured;
    return {};
  }
  const Subject subject = later ? subject_of(table_.unsupported.front()) : subject_of(table_.rows.front());
  const bool added = TRY(writer_->add(subject, line, cells));
  result_->added += added ? 1 : 0;
  return {};
}

Result<void> RowImporter::reject(Error error) {
  if (!options_->skip_bad_rows) return tl::unexpected(std::move(error));
  --result_->rows;
  ++result_->bad_row_count;
  if (result_->bad_rows.size() < ImportedFile::kMostBadRows) result_->bad_rows.push_back(std::move(error));
  return {};
}

void RowImporter::fill(std::vector<std::string>& cells) const {
  for (const Filled& filled : kFilled) {
    const std::string& value = options_->*filled.value;
    const auto place = places_.find(filled.column);
    if (value.empty() || place == places_.end()) continue;
    if (trimmed(cells[place->second]).empty()) cells[place->second] = value;
  }
}

bool RowImporter::is_measured(const std::vector<std::string>& cells) const {
  return std::any_of(measured_.begin(), measured_.end(),
                     [&](std::size_t place) { return !trimmed(cells[place]).empty(); });
}

std::string_view RowImporter::cell(const std::vector<std::string>& cells, const std::string& column) const {
  const auto place = places_.find(column);
  return place == places_.end() ? std::string_view() : trimmed(cells[place->second]);
}

Subject RowImporter::subject_of(const LayerRow& row) {
  return {std::string(name_of(row.op)), gpu_id(row.gpu), std::string(name_of(row.precision)),
          std::string(name_of(row.phase)), row.framework};
}

Subject RowImporter::subject_of(const UnsupportedRow& row) {
  const auto text = [&](const char* column) { return std::string(cell(row.cells, column)); };
  return {lower_case(text("op")), gpu_id(text("gpu")), lower_case(text("precision")), lower_case(text("pass")),
          text("framework")};
}

const std::string& RowImporter::gpu_id(const std::string& name) {
  const auto known = gpus_.find(name);
  if (known != gpus_.end()) return known->second;
  std::string id = name;
  // A cell is no reason to open a file.
  if (!name.empty() && !lower_case(name).ends_with(".toml")) {
    if (const auto gpu = find_gpu(name)) id = gpu->id;
  }
  return gpus_.emplace(name, std::move(id)).first->second;
}

}  // namespace rooftile::store
