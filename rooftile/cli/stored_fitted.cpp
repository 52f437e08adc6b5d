#include "rooftile/cli/stored_fitted.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/cli/values.hpp"
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

// "STORE.db:NAME" in two; of any other text the store is empty.
std::pair<std::string, std::string> parts_of(const std::string& selector) {
  const std::size_t colon = selector.rfind(".db:");
  constexpr std::size_t kSuffix = 3;
  if (colon == std::string::npos) return {"", selector};
  return {selector.substr(0, colon + kSuffix), selector.substr(colon + kSuffix + 1)};
}

}  // namespace

Result<regression::FittedModel> fitted_of_option(const std::string& selector) {
  const auto [db, name] = parts_of(selector);
  Error missing = {ErrorCode::not_found, fmt::format("no fitted model '{}'", one_line(name)), {}};
  if (db.empty()) {
    auto found = find_fitted(name);
    if (found || found.error().code != ErrorCode::not_found) return found;
    missing = found.error();
  }
  auto store = TRY(store_if_any(db));
  if (store) {
    const auto model = store::load_fitted(*store, name);
    if (model) return regression::parse_fitted_json(model->text, store->path() + ": " + name);
    if (model.error().code != ErrorCode::not_found) return tl::unexpected(model.error());
    missing.message += fmt::format("; the store {} does not have it", one_line(store->path()));
  }
  // It may be a method with a slip.
  const std::string hint = did_you_mean(name, method_names());
  if (hint.empty()) return tl::unexpected(std::move(missing));
  return fail(ErrorCode::usage, fmt::format("unknown method '{}'{}", one_line(name), hint), "--method");
}

Result<FittedRun> fitted_run(const Settings& set) {
  constexpr std::int64_t kMostGpus = 1 << 20, kMostIterations = std::int64_t{1} << 53;
  FittedRun run;
  run.columns = set.columns;
  if (!set.framework.empty()) run.columns["framework"] = set.framework;
  for (const char* option : {"gpu", "batch", "precision", "pass"}) {
    if (run.columns.contains(option)) {
      return fail(ErrorCode::usage, fmt::format("{} has an option of its own", option), "--set");
    }
  }
  if (const auto gpus = run.columns.extract("gpus")) {
    run.gpus = static_cast<int>(TRY(parse_count("--set", gpus.mapped(), kMostGpus)));
  }
  if (const auto iterations = run.columns.extract("iterations")) {
    run.iterations = TRY(parse_count("--set", iterations.mapped(), kMostIterations));
  }
  return run;
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
