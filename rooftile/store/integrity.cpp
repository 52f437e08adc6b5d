#include "rooftile/store/integrity.hpp"

#include <string>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/store/database.hpp"
#include "rooftile/store/fitted.hpp"
#include "rooftile/store/measurements.hpp"

namespace rooftile::store {

Result<std::int64_t> check_everything(Store& store) {
  auto statement = store.database().prepare("PRAGMA integrity_check(1)");
  if (!statement) return tl::unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  if (const std::string found(statement->text(0)); found != "ok") {
    return fail(ErrorCode::bad_input,
                fmt::format("the store is damaged ({}); it was left as it is", one_line(found, 120)), store.path());
  }
  statement->reset();
  std::int64_t rows = 0;
  const auto count = [&](const StoredMeasurement&) -> Result<void> {
    ++rows;
    return {};
  };
  if (auto read = for_each_measurement(store, {}, count); !read) return tl::unexpected(read.error());
  const auto models = list_fitted(store);
  if (!models) return tl::unexpected(models.error());
  for (const FittedModel& model : *models) {
    if (const auto loaded = load_fitted(store, model.name); !loaded) return tl::unexpected(loaded.error());
  }
  return rows;
}

}  // namespace rooftile::store
