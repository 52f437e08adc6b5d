// The rows of one file on their way into the store: empty cells filled, each row read as a layer table would.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table_reader.hpp"
#include "rooftile/store/import.hpp"
#include "rooftile/store/measurements.hpp"

namespace rooftile::store {

class RowImporter {
 public:
  // `header` is the first row of the table; `result` gets what becomes of the others. Both arguments must outlive it.
  // Errors: those of LayerTableReader.
  static Result<RowImporter> begin(MeasurementWriter& writer, ImportedFile& result, CsvRow header,
                                   const ImportOptions& options, const std::string& date);

  // Error: the row is wrong (unless those are to be listed), or cannot be stored.
  Result<void> add(CsvRow row);

 private:
  RowImporter(MeasurementWriter& writer, ImportedFile& result, const ImportOptions& options, LayerTableReader given,
              LayerTableReader filled)
      : writer_(&writer), result_(&result), options_(&options), given_(std::move(given)), filled_(std::move(filled)) {}

  Result<void> reject(Error error);
  void fill(std::vector<std::string>& cells) const;
  bool is_measured(const std::vector<std::string>& cells) const;
  std::string_view cell(const std::vector<std::string>& cells, const std::string& column) const;
  Subject subject_of(const LayerRow& row);
  Subject subject_of(const UnsupportedRow& row);
  const std::string& gpu_id(const std::string& name);

  MeasurementWriter* writer_;
  ImportedFile* result_;
  const ImportOptions* options_;
  LayerTableReader given_, filled_;  // of the columns as they are in the file; with those that are filled
  std::size_t width_ = 0;            // of the file
  std::vector<std::string> columns_;
  ColumnIndex places_;
  std::vector<std::size_t> measured_;             // places of the columns that hold something measured
  std::map<std::string, std::string> gpus_ = {};  // ids by the names of rows
  LayerTable table_;                              // the row at hand
};

}  // namespace rooftile::store
