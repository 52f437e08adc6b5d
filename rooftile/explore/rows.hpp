// All designs of a space as rows: CSV for spreadsheets, and columns of doubles for programs (docs/explore.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/whole_file.hpp"
#include "rooftile/explore/explore.hpp"

namespace rooftile {

// One row a design: index, axes (base units), time_s, speedup over `base_time` (if above zero), bottleneck, the seconds
// that each thing limits, with `costs` area_mm2, power_w, manufacturing_cost_usd and energy_j, and why a design is
// none, its numbers then empty. With `layer_times` also each unique layer's.
class CsvRows : public RowSink {
 public:
  CsvRows(WholeFile& file, const DesignSpace& space, std::vector<LayerColumn> layers, bool layer_times,
          double base_time, bool costs = false);
  std::string header() const;
  bool wants_layers() const override { return layer_times_; }
  void encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const override;
  Result<void> write(std::string_view bytes) override { return file_.write(bytes); }

 private:
  WholeFile& file_;
  const DesignSpace& space_;
  std::vector<LayerColumn> layers_;
  bool layer_times_;
  double base_time_;
  bool costs_;
};

// "rooftile/rows/1": a line of JSON, then blocks of columns of little-endian doubles.
class BinaryRows : public RowSink {
 public:
  BinaryRows(WholeFile& file, const DesignSpace& space, std::vector<LayerColumn> layers, bool costs = false);
  std::string header() const;
  bool wants_layers() const override { return true; }
  void encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const override;
  Result<void> write(std::string_view bytes) override { return file_.write(bytes); }

 private:
  WholeFile& file_;
  const DesignSpace& space_;
  std::vector<LayerColumn> layers_;
  bool costs_;
};

}  // namespace rooftile
