#include "rooftile/store/predictions.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/time_range.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/store/database.hpp"

namespace rooftile::store {
namespace {

void bind(Statement& statement, const SavedPrediction& prediction) {
  statement.bind(1, prediction.model).bind(2, prediction.gpu).bind(3, prediction.method);
  statement.bind(4, prediction.precision).bind(5, prediction.pass).bind(6, prediction.batch_size);
  statement.bind(7, prediction.time.value());
  const auto bind_time = [&](int parameter, const std::optional<Seconds>& time) {
    if (time) {
      statement.bind(parameter, time->value());
    } else {
      statement.bind_nothing(parameter);
    }
  };
  bind_time(8, prediction.time_low);
  bind_time(9, prediction.time_high);
  statement.bind(10, prediction.calibration).bind(11, prediction.version);
}

// Every one with its id, in the order in which they were saved.
Result<void> for_each(Store& store, const std::function<void(std::int64_t, SavedPrediction)>& take) {
  auto statement = TRY(store.database().prepare(
      "SELECT model, gpu, method, precision, pass, batch_size, time_s, time_low_s, time_high_s, calibration, version, "
      "date, id FROM prediction ORDER BY id"));
  while (true) {
    const auto row = TRY(statement.step());
    if (!row) return {};
    const auto text = [&](int column) { return std::string(statement.text(column)); };
    const auto time = [&](int column) {
      const auto number = statement.number(column);
      return number ? std::optional(Seconds(*number)) : std::nullopt;
    };
    for (const int column : {6, 7, 8}) {
      if (const auto read = time(column); read && *read != Seconds(0) && !is_time(*read)) {
        return fail(ErrorCode::bad_input,
                    fmt::format("the store is damaged: a time of prediction {} is not {}; it was left as it is",
                                statement.integer(12), kTimeRange),
                    store.path());
      }
    }
    take(statement.integer(12), {text(0), text(1), text(2), text(3), text(4), statement.integer(5),
                                 time(6).value_or(Seconds(0)), time(7), time(8), text(9), text(10), text(11)});
  }
}

// The cells of a prediction by the names that a filter gives them.
std::map<std::string, std::string> cells_of(const SavedPrediction& prediction) {
  const auto seconds = [](const std::optional<Seconds>& time) {
    return time ? fmt::to_string(time->value()) : std::string();
  };
  return {{"model", prediction.model},
          {"gpu", prediction.gpu},
          {"method", prediction.method},
          {"precision", prediction.precision},
          {"pass", prediction.pass},
          {"batch_size", fmt::to_string(prediction.batch_size)},
          {"time_s", seconds(prediction.time)},
          {"time_low_s", seconds(prediction.time_low)},
          {"time_high_s", seconds(prediction.time_high)},
          {"calibration", prediction.calibration},
          {"version", prediction.version},
          {"date", prediction.date}};
}

Result<void> check_columns(const Filter& filter) {
  std::vector<std::string> names;
  for (const auto& [name, cell] : cells_of({})) names.push_back(name);
  for (const Filter::Use& use : filter.columns()) {
    if (std::find(names.begin(), names.end(), use.column) != names.end()) continue;
    return fail(ErrorCode::not_found,
                fmt::format("a prediction has no '{}'{}", one_line(use.column, 40), one_of(use.column, names)),
                fmt::format("--where: character {}", use.place));
  }
  return {};
}

bool is_meant(const PredictionQuery& query, const SavedPrediction& prediction) {
  if (!query.gpu.empty() && query.gpu != prediction.gpu) return false;
  if (!query.precision.empty() && query.precision != prediction.precision) return false;
  if (!query.where) return true;
  const auto cells = cells_of(prediction);
  return query.where->matches([&](const std::string& column) { return std::string_view(cells.at(column)); });
}

}  // namespace

Result<std::int64_t> save_predictions(Store& store, std::span<const SavedPrediction> predictions) {
  Database& database = store.database();
  auto transaction = TRY(Transaction::begin(database));
  auto known = TRY(database.prepare(
      "SELECT 1 FROM prediction WHERE model = ?1 AND gpu = ?2 AND method = ?3 AND precision = ?4 AND pass = ?5 AND "
      "batch_size = ?6 AND time_s = ?7 AND time_low_s IS ?8 AND time_high_s IS ?9 AND calibration = ?10 AND "
      "version = ?11"));
  auto insert = TRY(database.prepare(
      "INSERT INTO prediction (model, gpu, method, precision, pass, batch_size, time_s, time_low_s, time_high_s, "
      "calibration, version, date) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"));
  std::int64_t added = 0;
  for (const SavedPrediction& prediction : predictions) {
    bind(known, prediction);
    const auto there = known.step();
    known.reset();
    if (TRY(there)) continue;
    bind(insert, prediction);
    TRY(insert.bind(12, prediction.date).run());
    ++added;
  }
  TRY(transaction.commit());
  return added;
}

Result<std::vector<SavedPrediction>> list_predictions(Store& store, const PredictionQuery& query) {
  if (query.where) TRY(check_columns(*query.where));
  std::vector<SavedPrediction> predictions;
  const auto take = [&](std::int64_t, SavedPrediction prediction) {
    if (is_meant(query, prediction)) predictions.push_back(std::move(prediction));
  };
  TRY(for_each(store, take));
  return predictions;
}

Result<std::int64_t> remove_predictions(Store& store, const PredictionQuery& query) {
  if (query.where) {
    TRY(check_columns(*query.where));
  }
  Database& database = store.database();
  auto transaction = TRY(Transaction::begin(database));
  std::vector<std::int64_t> ids;
  const auto take = [&](std::int64_t id, const SavedPrediction& prediction) {
    if (is_meant(query, prediction)) ids.push_back(id);
  };
  TRY(for_each(store, take));
  auto statement = TRY(database.prepare("DELETE FROM prediction WHERE id = ?"));
  for (const std::int64_t id : ids) {
    TRY(statement.bind(1, id).run());
  }
  TRY(transaction.commit());
  return static_cast<std::int64_t>(ids.size());
}

}  // namespace rooftile::store
