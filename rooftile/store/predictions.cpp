#include "rooftile/store/predictions.hpp"

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

}  // namespace

Result<std::int64_t> save_predictions(Store& store, std::span<const SavedPrediction> predictions) {
  Database& database = store.database();
  auto transaction = Transaction::begin(database);
  if (!transaction) return tl::unexpected(transaction.error());
  auto known = database.prepare(
      "SELECT 1 FROM prediction WHERE model = ?1 AND gpu = ?2 AND method = ?3 AND precision = ?4 AND pass = ?5 AND "
      "batch_size = ?6 AND time_s = ?7 AND time_low_s IS ?8 AND time_high_s IS ?9 AND calibration = ?10 AND "
      "version = ?11");
  if (!known) return tl::unexpected(known.error());
  auto insert = database.prepare(
      "INSERT INTO prediction (model, gpu, method, precision, pass, batch_size, time_s, time_low_s, time_high_s, "
      "calibration, version, date) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  if (!insert) return tl::unexpected(insert.error());
  std::int64_t added = 0;
  for (const SavedPrediction& prediction : predictions) {
    bind(*known, prediction);
    const auto there = known->step();
    known->reset();
    if (!there) return tl::unexpected(there.error());
    if (*there) continue;
    bind(*insert, prediction);
    if (auto run = insert->bind(12, prediction.date).run(); !run) return tl::unexpected(run.error());
    ++added;
  }
  if (auto committed = transaction->commit(); !committed) return tl::unexpected(committed.error());
  return added;
}

Result<std::vector<SavedPrediction>> list_predictions(Store& store) {
  auto statement = store.database().prepare(
      "SELECT model, gpu, method, precision, pass, batch_size, time_s, time_low_s, time_high_s, calibration, version, "
      "date FROM prediction ORDER BY id");
  if (!statement) return tl::unexpected(statement.error());
  std::vector<SavedPrediction> predictions;
  while (true) {
    const auto row = statement->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return predictions;
    const auto text = [&](int column) { return std::string(statement->text(column)); };
    const auto time = [&](int column) {
      const auto number = statement->number(column);
      return number ? std::optional(Seconds(*number)) : std::nullopt;
    };
    predictions.push_back({text(0), text(1), text(2), text(3), text(4), statement->integer(5),
                           time(6).value_or(Seconds(0)), time(7), time(8), text(9), text(10), text(11)});
  }
}

}  // namespace rooftile::store
