#include "rooftile/cli/stored_fitted.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/cli/store_commands.hpp"
#include "rooftile/ingest/text_file.hpp"
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

}  // namespace

Result<regression::FittedModel> fitted_of_option(const std::string& selector, const std::string& db) {
  auto found = find_fitted(selector);
  if (found || found.error().code != ErrorCode::not_found) return found;
  const auto path = store_path(db);
  std::error_code error;
  // Without a store what is built in is all there is, unless one was named.
  if (db.empty() && (!path || !std::filesystem::exists(*path, error))) return found;
  auto store = open_store(db, store::Access::read);
  if (!store) return tl::unexpected(store.error());
  const auto model = store::load_fitted(*store, selector);
  if (!model && model.error().code != ErrorCode::not_found) return tl::unexpected(model.error());
  if (!model) return fail(ErrorCode::not_found, found.error().message + ", and the store has none of that name");
  return regression::parse_fitted_json(model->text, store->path() + ": " + selector);
}

Result<std::string> add_fitted(store::Store& store, const std::string& file, const std::string& name) {
  const auto text = read_text_file(file);
  if (!text) return tl::unexpected(text.error());
  const auto model = regression::parse_fitted_json(*text, file);
  if (!model) return tl::unexpected(model.error());
  const std::string kept = name.empty() ? std::filesystem::path(file).stem().string() : name;
  auto saved = store::save_fitted(store, {.name = kept,
                                          .kind = model->kind,
                                          .fitted_on = summary(model->fitted_on),
                                          .date = model->fitted_on.date,
                                          .text = *text});
  if (!saved) return tl::unexpected(saved.error());
  return kept;
}

}  // namespace rooftile::cli
