#include "rooftile/store/fitted.hpp"

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/store/database.hpp"
#include "rooftile/store/sha256.hpp"

namespace rooftile::store {
namespace {

std::string digest_of(std::string_view text) {
  const Sha256 digest = sha256(text);
  return {digest.begin(), digest.end()};
}

Result<bool> is_taken(Database& database, std::string_view name) {
  auto statement = TRY(database.prepare("SELECT 1 FROM fitted WHERE name = ?"));
  return statement.bind(1, name).step();
}

Error unknown(Store& store, std::string_view name) {
  std::vector<std::string> names;
  if (const auto models = list_fitted(store)) {
    for (const FittedModel& model : *models) names.push_back(model.name);
  }
  return {ErrorCode::not_found,
          fmt::format("no fitted model named '{}'{}", one_line(name, 40), did_you_mean(name, names)), store.path()};
}

}  // namespace

Result<void> save_fitted(Store& store, const FittedModel& model, bool replace) {
  if (model.name.empty() || has_control_characters(model.name)) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a valid name for a fitted model", one_line(model.name, 40)));
  }
  Database& database = store.database();
  auto transaction = TRY(Transaction::begin(database));
  if (!replace) {
    const auto taken = TRY(is_taken(database, model.name));
    if (taken) {
      return fail(ErrorCode::usage,
                  fmt::format("a fitted model named '{}' already exists; remove it or choose another name",
                              one_line(model.name, 40)),
                  store.path());
    }
  }
  auto statement = TRY(database.prepare(
      "INSERT OR REPLACE INTO fitted (name, kind, fitted_on, date, digest, text) VALUES (?, ?, ?, ?, ?, ?)"));
  const std::string digest = digest_of(model.text);
  statement.bind(1, model.name).bind(2, model.kind).bind(3, model.fitted_on).bind(4, model.date);
  statement.bind_bytes(5, digest).bind(6, model.text);
  TRY(statement.run());
  return transaction.commit();
}

Result<FittedModel> load_fitted(Store& store, std::string_view name) {
  auto statement =
      TRY(store.database().prepare("SELECT name, kind, fitted_on, date, text, digest FROM fitted WHERE name = ?"));
  const auto row = TRY(statement.bind(1, name).step());
  if (!row) return tl::unexpected(unknown(store, name));
  const auto text = [&](int column) { return std::string(statement.text(column)); };
  FittedModel model{text(0), text(1), text(2), text(3), text(4)};
  if (text(5) == digest_of(model.text)) return model;
  return fail(ErrorCode::bad_input,
              fmt::format("the store is damaged: the fitted model '{}' is not as it was saved", one_line(name, 40)),
              store.path());
}

Result<std::vector<FittedModel>> list_fitted(Store& store) {
  auto statement = TRY(store.database().prepare("SELECT name, kind, fitted_on, date FROM fitted ORDER BY name"));
  std::vector<FittedModel> models;
  while (true) {
    const auto row = TRY(statement.step());
    if (!row) return models;
    const auto text = [&](int column) { return std::string(statement.text(column)); };
    models.push_back({text(0), text(1), text(2), text(3), {}});
  }
}

Result<void> remove_fitted(Store& store, std::string_view name) {
  auto statement = TRY(store.database().prepare("DELETE FROM fitted WHERE name = ?"));
  TRY(statement.bind(1, name).run());
  if (store.database().changes() == 0) return tl::unexpected(unknown(store, name));
  return {};
}

}  // namespace rooftile::store
