#include "rooftile/explore/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/explore/metric.hpp"
#include "rooftile/explore/number_text.hpp"

namespace rooftile {
namespace {

constexpr std::array kColumnsOfBlock = {"unfit", "time_s"};

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

void append(std::string& bytes, const std::vector<double>& column, std::size_t count) {
  append(bytes, column.data(), count * sizeof(double));
}

// Writes a column's numbers; one that stands there again, as axes of a grid do for many rows, is copied.
class ColumnText {
 public:
  char* write(char* at, double number) {
    if (std::bit_cast<std::uint64_t>(number) != number_ || size_ == 0) {
      number_ = std::bit_cast<std::uint64_t>(number);
      size_ = static_cast<std::size_t>(write_number(text_.data(), number) - text_.data());
    }
    std::memcpy(at, text_.data(), text_.size());  // all of it: a fixed size is faster than the right one
    return at + size_;
  }

 private:
  std::uint64_t number_ = 0;
  std::size_t size_ = 0;
  std::array<char, kLongestNumber> text_{};
};

}  // namespace

CsvRows::CsvRows(WholeFile& file, const DesignSpace& space, std::vector<LayerColumn> layers, bool layer_times,
                 double base_time, bool costs)
    : file_(file),
      space_(space),
      layers_(std::move(layers)),
      layer_times_(layer_times),
      base_time_(base_time),
      costs_(costs) {}

std::string CsvRows::header() const {
  std::vector<std::string> names = {"index"};
  for (const DesignAxis& axis : space_.axes) names.emplace_back(name_of(axis.parameter));
  for (const char* name : {"time_s", "speedup", "bottleneck"}) names.emplace_back(name);
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    names.push_back(fmt::format("limited_by_{}_s", name_of(static_cast<Bottleneck>(b))));
  }
  for (const Cost cost : kAllCosts) {
    if (costs_) names.emplace_back(column_name(cost));
  }
  names.emplace_back("unfit");
  if (layer_times_) {
    for (const LayerColumn& layer : layers_) names.push_back(fmt::format("{}/{}", layer.workload, layer.name));
  }
  return write_csv_row(names);
}

void CsvRows::encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const {
  constexpr std::size_t kCell = kLongestNumber + 8;  // characters that no cell exceeds
  const std::size_t cells =
      space_.axes.size() + kBottlenecks + (costs_ ? kCosts : 0) + (layer_times_ ? layers_.size() : 0) + 5;
  std::vector<char> row(cells * kCell);
  char* at = row.data();
  const auto number = [&](double value) {
    *at++ = ',';
    at = write_number(at, value);
  };
  const auto word = [&](std::string_view text) {
    *at++ = ',';
    at = std::copy(text.begin(), text.end(), at);
  };
  std::vector<ColumnText> axes(space_.axes.size());
  for (std::size_t i = 0; i < block.count; ++i) {
    at = std::to_chars(row.data(), row.data() + kCell, block.first + i).ptr;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      *at++ = ',';
      at = axes[a].write(at, block.values[static_cast<std::size_t>(space_.axes[a].parameter)][i]);
    }
    const bool fit = outcome.unfit[i] == Unfit::none;
    if (fit) {
      number(outcome.time[i]);
      number(base_time_ > 0 ? base_time_ / outcome.time[i] : 0);
      word(name_of(static_cast<Bottleneck>(outcome.limited_by(i))));
      for (const std::vector<double>& share : outcome.shares) number(share[i]);
      for (std::size_t c = 0; c < kCosts && costs_; ++c) number(outcome.costs[c][i]);
    } else {
      for (std::size_t c = 0; c < kBottlenecks + 3 + (costs_ ? kCosts : 0); ++c) *at++ = ',';
    }
    word(name_of(outcome.unfit[i]));
    for (std::size_t l = 0; layer_times_ && l < layers_.size(); ++l) {
      if (fit) {
        number(outcome.layers[l * outcome.stride + i]);
      } else {
        *at++ = ',';
      }
    }
    *at++ = '\n';
    bytes.append(row.data(), static_cast<std::size_t>(at - row.data()));
  }
}

BinaryRows::BinaryRows(WholeFile& file, const DesignSpace& space, std::vector<LayerColumn> layers, bool costs)
    : file_(file), space_(space), layers_(std::move(layers)), costs_(costs) {}

std::string BinaryRows::header() const {
  static_assert(std::endian::native == std::endian::little, "the format is little-endian");
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const DesignAxis& axis : space_.axes) columns.push_back(name_of(axis.parameter));
  for (const char* name : kColumnsOfBlock) columns.push_back(name);
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    columns.push_back(fmt::format("limited_by_{}_s", name_of(static_cast<Bottleneck>(b))));
  }
  for (const Cost cost : kAllCosts) {
    if (costs_) columns.push_back(column_name(cost));
  }
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const LayerColumn& layer : layers_) {
    layers.push_back({{"workload", layer.workload},
                      {"name", layer.name},
                      {"op", layer.op},
                      {"count", layer.count},
                      {"weight", layer.weight}});
  }
  nlohmann::ordered_json unfit = nlohmann::ordered_json::array();
  for (std::size_t u = 0; u < kUnfits; ++u) unfit.push_back(name_of(static_cast<Unfit>(u)));
  const nlohmann::ordered_json header = {
      {"schema", "rooftile/rows/1"}, {"gpu", space_.base.id}, {"block", kBlockDesigns},
      {"columns", columns},          {"layers", layers},      {"unfit", unfit}};
  // A layer's name of an ONNX file may be no UTF-8.
  std::string line = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  constexpr std::size_t kAlignment = 8;
  line.append(kAlignment - (line.size() + 1) % kAlignment, ' ');
  return line + '\n';
}

void BinaryRows::encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const {
  const std::uint64_t head[2] = {block.first, block.count};
  bytes.reserve(sizeof head +
                block.count * sizeof(double) * (space_.axes.size() + 2 + kBottlenecks + kCosts + layers_.size()));
  append(bytes, head, sizeof head);
  for (const DesignAxis& axis : space_.axes)
    append(bytes, block.values[static_cast<std::size_t>(axis.parameter)], block.count);
  std::vector<double> unfit(block.count);
  for (std::size_t i = 0; i < block.count; ++i) unfit[i] = static_cast<double>(outcome.unfit[i]);
  append(bytes, unfit, block.count);
  append(bytes, outcome.time, block.count);
  for (const std::vector<double>& share : outcome.shares) append(bytes, share, block.count);
  for (std::size_t c = 0; c < kCosts && costs_; ++c) append(bytes, outcome.costs[c], block.count);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    append(bytes, &outcome.layers[l * outcome.stride], block.count * sizeof(double));
  }
}

}  // namespace rooftile
