#include "rooftile/store/content_key.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/store/sha256.hpp"

namespace rooftile::store {
namespace {

// ASCII's separators, with lengths beside them: no content can look like another one.
constexpr char kUnit = '\x1f', kRecord = '\x1e';

}  // namespace

ContentKeyer::ContentKeyer(const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view name = trimmed(columns[i]);
    if (name != "source" && name != "date") columns_.push_back({std::string(name), i});
  }
  std::stable_sort(columns_.begin(), columns_.end(), [](const Column& a, const Column& b) { return a.name < b.name; });
}

ContentKey ContentKeyer::key(std::span<const std::string> cells, std::uint32_t copy) const {
  std::string content;
  for (const Column& column : columns_) {
    const std::string_view cell = trimmed(cells[column.place]);
    if (cell.empty()) continue;
    fmt::format_to(std::back_inserter(content), "{}{}{}{}", column.name.size(), kUnit, cell.size(), kUnit);
    content.append(column.name).append(cell) += kRecord;
  }
  if (copy > 1) fmt::format_to(std::back_inserter(content), "{}", copy);
  const Sha256 digest = sha256(content);
  ContentKey key;
  std::copy_n(digest.begin(), key.bytes_.size(), key.bytes_.begin());
  return key;
}

}  // namespace rooftile::store
