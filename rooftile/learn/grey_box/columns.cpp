#include "rooftile/learn/grey_box/columns.hpp"

#include <algorithm>
#include <utility>

namespace rooftile {

using regression::Matrix;
using regression::NumberTable;

std::span<const double> column_of(const NumberTable& table, std::string_view name) {
  return table.values.column(*table.find(name));
}

void add_column(NumberTable& table, std::string_view name, const std::vector<double>& values) {
  const std::size_t rows = table.rows(), columns = table.values.columns();
  Matrix wider(rows, columns + 1);
  std::copy(table.values.data(), table.values.data() + rows * columns, wider.data());
  std::copy(values.begin(), values.end(), wider.column(columns).begin());
  table.names.emplace_back(name);
  table.values = std::move(wider);
}

bool varies(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

bool varies(const std::vector<std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) { return label != labels.front(); });
}

std::vector<std::size_t> where(const std::vector<std::string>& labels, const std::string& label) {
  std::vector<std::size_t> chosen;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] == label) chosen.push_back(row);
  }
  return chosen;
}

std::set<std::string> different(const std::vector<std::string>& labels) { return {labels.begin(), labels.end()}; }

}  // namespace rooftile
