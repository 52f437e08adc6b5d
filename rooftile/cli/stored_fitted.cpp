#include "rooftile/cli/stored_fitted.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/learn/builtin_fitted.hpp"
#include "rooftile/regression/fitted_json.hpp"
#include "rooftile/store/fitted.hpp"

namespace rooftile::cli {
namespace {

// For people: "120 rows, t4, TensorFlow 1.10".
std::string summary(const regression::FittedOn& on) {
  std::string text = fmt::format("{} rows", on.rows);
  for (const auto* list : {&on.gpus, &on.software, &on.sources}) {
    if (!list->empty()) text += fmt::format(", {}", fmt::join(*list, ", "));
  }
  return text;
}

// The store that `db` names; none where the user has no store of their own.
Result<std::optional<store::Store>> store_if_any(const std::string& db) {
  const auto path = store_path(db);
  std::error_code error;
  if (db.empty() && (!path || !std::filesystem::exists(*path, error))) return std::optional<store::Store>();
  auto store = TRY(open_store(db, store::Access::read));
  return std::optional<store::Store>(std::move(store));
}

}  // namespace

Result<regression::FittedModel> fitted_of_option(const std::string& selector, const std::string& db) {
  auto found = find_fitted(selector);
  if (found || found.error().code != ErrorCode::not_found) return found;
  auto store = TRY(store_if_any(db));
  if (!store) return found;
  const auto model = store::load_fitted(*store, selector);
  if (!model && model.error().code != ErrorCode::not_found) return tl::unexpected(model.error());
  if (!model)
    return fail(ErrorCode::not_found, fmt::format("{}, and the store {} has none of that name", found.error().message,
                                                  one_line(store->path())));
  return regression::parse_fitted_json(model->text, store->path() + ": " + selector);
}

Result<std::vector<std::string>> known_fitted_names(const std::string& db) {
  std::vector<std::string> names = fitted_names();
  auto store = TRY(store_if_any(db));
  if (!store) return names;
  const auto stored = TRY(store::list_fitted(*store));
  for (const store::FittedModel& model : stored) names.push_back(model.name);
  return names;
}

Result<std::string> add_fitted(store::Store& store, const std::string& file, const std::string& name) {
  const auto text = TRY(read_text_file(file));
  const auto model = TRY(regression::parse_fitted_json(text, file));
  const std::string kept = name.empty() ? std::filesystem::path(file).stem().string() : name;
  TRY(store::save_fitted(store, {.name = kept,
                                 .kind = model.kind,
                                 .fitted_on = summary(model.fitted_on),
                                 .date = model.fitted_on.date,
                                 .text = text}));
  return kept;
}

}  // namespace rooftile::cli
