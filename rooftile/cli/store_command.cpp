// rooftile store …: what is in the store, out of it again, and whether it is sound.
#include <optional>
#include <utility>

#include <fmt/format.h>

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
  auto where = parse_where(arguments.where);
  if (!where) return tl::unexpected(where.error());
  query.where = std::move(*where);
  return query;
}

std::string measurements(std::int64_t rows) { return counted(static_cast<std::size_t>(rows), "measurement"); }

Result<void> list(store::Store& store, const StoreArguments& arguments) {
  const auto query = query_of(arguments);
  if (!query) return tl::unexpected(query.error());
  const auto format = parse_format("--format", arguments.format, arguments.output);
  if (!format) return tl::unexpected(format.error());
  if (*format == Format::csv) {
    return fail(ErrorCode::usage, "a list is written as table or json; 'rooftile store export' writes CSV", "--format");
  }
  auto counts = store::count_measurements(store, *query);
  if (!counts) return tl::unexpected(counts.error());
  auto fitted = store::list_fitted(store);
  if (!fitted) return tl::unexpected(fitted.error());
  auto predictions = store::list_predictions(store);
  if (!predictions) return tl::unexpected(predictions.error());
  const StoreContents contents{store.path(), std::move(*counts), std::move(*fitted), std::move(*predictions)};
  return write_output(arguments.output, *format == Format::json ? store_json(contents) : store_table(contents));
}

Result<void> list_names(const StoreArguments& arguments) {
  const auto names = known_fitted_names(arguments.db);
  if (!names) return tl::unexpected(names.error());
  std::string text;
  for (const std::string& name : *names) text += name + "\n";
  return write_output(arguments.output, text);
}

Result<void> export_rows(store::Store& store, const StoreArguments& arguments) {
  const auto query = query_of(arguments);
  if (!query) return tl::unexpected(query.error());
  const store::ExportOptions options{arguments.provenance};
  if (arguments.output.empty() || arguments.output == "-") {
    const auto rows = store::export_measurements(store, *query, options,
                                                 [](std::string_view text) { return write_output("", text); });
    return rows ? Result<void>() : tl::unexpected(rows.error());
  }
  auto file = WholeFile::create(arguments.output);
  if (!file) return tl::unexpected(file.error());
  const auto rows =
      store::export_measurements(store, *query, options, [&](std::string_view text) { return file->write(text); });
  if (!rows) return tl::unexpected(rows.error());
  return file->finish();
}

Result<void> remove_predictions(store::Store& store, const StoreArguments& arguments) {
  auto where = parse_where(arguments.where);
  if (!where) return tl::unexpected(where.error());
  const auto removed = store::remove_predictions(store, {id_of(arguments.gpu), arguments.precision, std::move(*where)});
  if (!removed) return tl::unexpected(removed.error());
  return write_output("", fmt::format("Removed {}.\n", counted(static_cast<std::size_t>(*removed), "prediction")));
}

Result<void> remove(store::Store& store, const StoreArguments& arguments) {
  if (!arguments.name.empty()) {
    if (auto removed = store::remove_fitted(store, arguments.name); !removed) return removed;
    return write_output("", fmt::format("Removed the fitted model {}.\n", arguments.name));
  }
  if (arguments.predictions) return remove_predictions(store, arguments);
  const auto query = query_of(arguments);
  if (!query) return tl::unexpected(query.error());
  const auto removed = store::remove_measurements(store, *query);
  if (!removed) return tl::unexpected(removed.error());
  return write_output("", fmt::format("Removed {}.\n", measurements(*removed)));
}

Result<void> check(store::Store& store) {
  const auto rows = store::check_everything(store);
  if (!rows) return tl::unexpected(rows.error());
  return write_output("", fmt::format("{}: sound; {} as added\n", store.path(), measurements(*rows)));
}

}  // namespace

Result<void> use_store(const StoreArguments& arguments) {
  if (arguments.names) return list_names(arguments);
  const bool writes = arguments.verb == StoreVerb::remove || arguments.verb == StoreVerb::add;
  auto store = open_store(arguments.db, writes ? store::Access::write : store::Access::read);
  if (!store) return tl::unexpected(store.error());
  switch (arguments.verb) {
    case StoreVerb::list:
      return list(*store, arguments);
    case StoreVerb::show: {
      const auto model = store::load_fitted(*store, arguments.name);
      return model ? write_output(arguments.output, model->text) : tl::unexpected(model.error());
    }
    case StoreVerb::add: {
      const auto name = add_fitted(*store, arguments.file, arguments.name);
      if (!name) return tl::unexpected(name.error());
      return write_output("", fmt::format("Kept the fitted model {}; apply it with --fitted {}.\n", *name, *name));
    }
    case StoreVerb::export_rows:
      return export_rows(*store, arguments);
    case StoreVerb::remove:
      return remove(*store, arguments);
    case StoreVerb::check:
      return check(*store);
  }
  return {};
}

}  // namespace rooftile::cli
