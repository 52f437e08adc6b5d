#include "rooftile/store/integrity.hpp"

#include <string>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/store/database.hpp"
#include "rooftile/store/fitted.hpp"
#include "rooftile/store/measurements.hpp"

namespace rooftile::store {

Result<std::int64_t> check_everything(Store& store) {
  auto statement = TRY(store.database().prepare("PRAGMA integrity_check(1)"));
  TRY(statement.step());
  if (const std::string found(statement.text(0)); found != "ok") {
    return fail(ErrorCode::bad_input,
                fmt::format("the store is damaged ({}); it was left as it is", one_line(found, 120)), store.path());
  }
  statement.reset();
  std::int64_t rows = 0;
  const auto count = [&](const StoredMeasurement&) -> Result<void> {
    ++rows;
    return {};
  };
  TRY(for_each_measurement(store, {}, count));
  const auto models = TRY(list_fitted(store));
  for (const FittedModel& model : models) {
    TRY(load_fitted(store, model.name));
  }
  return rows;
}

}  // namespace rooftile::store
