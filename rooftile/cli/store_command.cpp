// rooftile store …: what is in the store, out of it again, and whether it is sound.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/whole_file.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/store.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/store/export.hpp"
#include "rooftile/store/integrity.hpp"

namespace rooftile::cli {
namespace {

// A GPU that is not in the catalogue is meant as its rows call it.
std::string id_of(const std::string& name) {
  const auto gpu = name.empty() ? tl::unexpected(Error{}) : find_gpu(name);
  return gpu ? gpu->id : name;
}

Result<store::MeasurementQuery> query_of(const StoreArguments& arguments) {
  store::MeasurementQuery query{id_of(arguments.gpu), arguments.op, arguments.precision, arguments.source, {}, {}};
  auto where = TRY(parse_where(arguments.where));
  query.where = std::move(where);
  return query;
}

std::string measurements(std::int64_t rows) { return counted(static_cast<std::size_t>(rows), "measurement"); }

Result<void> list(store::Store& store, const StoreArguments& arguments) {
  const auto query = TRY(query_of(arguments));
  const auto format = TRY(parse_format(arguments.format, arguments.output, {Format::table, Format::json}));
  auto counts = TRY(store::count_measurements(store, query));
  auto fitted = TRY(store::list_fitted(store));
  auto predictions = TRY(store::list_predictions(store));
  const StoreContents contents{store.path(), std::move(counts), std::move(fitted), std::move(predictions)};
  return write_output(arguments.output, format == Format::json ? store_json(contents) : store_table(contents));
}

Result<void> list_names(const StoreArguments& arguments) {
  TRY(check_suffix("-o", arguments.output, {Format::table}));
  const auto names = TRY(known_fitted_names(arguments.db));
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return write_output(arguments.output, text);
}

Result<void> export_rows(store::Store& store, const StoreArguments& arguments) {
  TRY(check_suffix("-o", arguments.output, {Format::csv}));
  const auto query = TRY(query_of(arguments));
  const store::ExportOptions options{arguments.provenance};
  if (arguments.output.empty() || arguments.output == "-") {
    const auto rows =
        store::export_measurements(store, query, options, [](std::string_view text) { return write_output("", text); });
    return rows ? Result<void>() : tl::unexpected(rows.error());
  }
  auto file = TRY(WholeFile::create(arguments.output));
  const auto rows =
      store::export_measurements(store, query, options, [&](std::string_view text) { return file.write(text); });
  if (!rows) return tl::unexpected(rows.error());
  return file.finish();
}

Result<void> remove_predictions(store::Store& store, const StoreArguments& arguments) {
  auto where = TRY(parse_where(arguments.where));
  const auto removed =
      TRY(store::remove_predictions(store, {id_of(arguments.gpu), arguments.precision, std::move(where)}));
  return write_output("", fmt::format("Removed {}.\n", counted(static_cast<std::size_t>(removed), "prediction")));
}

Result<void> remove(store::Store& store, const StoreArguments& arguments) {
  if (!arguments.name.empty()) {
    if (auto removed = store::remove_fitted(store, arguments.name); !removed) return removed;
    return write_output("", fmt::format("Removed the fitted model {}.\n", arguments.name));
  }
  if (arguments.predictions) return remove_predictions(store, arguments);
  const auto query = TRY(query_of(arguments));
  const auto removed = TRY(store::remove_measurements(store, query));
  return write_output("", fmt::format("Removed {}.\n", measurements(removed)));
}

Result<void> check(store::Store& store) {
  const auto rows = TRY(store::check_everything(store));
  return write_output("", fmt::format("{}: sound; {} as added\n", store.path(), measurements(rows)));
}

}  // namespace

Result<void> use_store(const StoreArguments& arguments) {
  if (arguments.names) return list_names(arguments);
  const bool writes = arguments.verb == StoreVerb::remove || arguments.verb == StoreVerb::add;
  auto store = TRY(open_store(arguments.db, writes ? store::Access::write : store::Access::read));
  switch (arguments.verb) {
    case StoreVerb::list:
      return list(store, arguments);
    case StoreVerb::show: {
      TRY(check_suffix("-o", arguments.output, {Format::json}));
      const auto model = store::load_fitted(store, arguments.name);
      return model ? write_output(arguments.output, model->text) : tl::unexpected(model.error());
    }
    case StoreVerb::add: {
      const auto name = TRY(add_fitted(store, arguments.file, arguments.name));
      return write_output("", fmt::format("Kept the fitted model {}; apply it with --fitted {}.\n", name, name));
    }
    case StoreVerb::export_rows:
      return export_rows(store, arguments);
    case StoreVerb::remove:
      return remove(store, arguments);
    case StoreVerb::check:
      return check(store);
  }
  return {};
}

}  // namespace rooftile::cli
