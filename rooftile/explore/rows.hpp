// All designs of a space as rows: CSV for spreadsheets, and columns of doubles for programs (docs/explore.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/explore/explore.hpp"

namespace rooftile {

// A file that grows beside its place and is renamed into it when done, so that nothing half-written stands there.
class RowFile {
 public:
  explicit RowFile(std::string path) : path_(std::move(path)) {}
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  // Errors: what the operating system says.
  Result<void> open();
  Result<void> write(std::string_view bytes);
  Result<void> finish();
  std::uint64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  Result<void> failed(int error);
  std::string path_, temporary_;
  int file_ = -1;
  std::uint64_t bytes_ = 0;
  std::uint64_t begun_ = 0;  // of bytes_, those that the disk was told to begin with
};

// One row a design: index, axes (base units), time_s, speedup over `base_time` (if above zero), bottleneck, the seconds
// that each thing limits, with `costs` area_mm2, power_w, price_usd and energy_j, and why a design is none, its numbers
// then empty. With `layer_times` also each unique layer's.
class CsvRows : public RowSink {
 public:
  CsvRows(RowFile& file, const DesignSpace& space, std::vector<LayerColumn> layers, bool layer_times, double base_time,
          bool costs = false);
  std::string header() const;
  bool wants_layers() const override { return layer_times_; }
  void encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const override;
  Result<void> write(std::string_view bytes) override { return file_.write(bytes); }

 private:
  RowFile& file_;
  const DesignSpace& space_;
  std::vector<LayerColumn> layers_;
  bool layer_times_;
  double base_time_;
  bool costs_;
};

// "rooftile/rows/1": a line of JSON, then blocks of columns of little-endian doubles.
class BinaryRows : public RowSink {
 public:
  BinaryRows(RowFile& file, const DesignSpace& space, std::vector<LayerColumn> layers, bool costs = false);
  std::string header() const;
  bool wants_layers() const override { return true; }
  void encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const override;
  Result<void> write(std::string_view bytes) override { return file_.write(bytes); }

 private:
  RowFile& file_;
  const DesignSpace& space_;
  std::vector<LayerColumn> layers_;
  bool costs_;
};

}  // namespace rooftile
