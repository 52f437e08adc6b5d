// rooftile store …: what is in the store, out of it again, and whether it is sound.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/whole_file.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/store.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/store/export.hpp"
#include "rooftile/store/integrity.hpp"

namespace rooftile::cli {
namespace {

// Which rows of the store are meant.
struct Selection {
  std::string gpu, op, precision, source;
  std::optional<Filter> where;

  bool all() const { return gpu.empty() && op.empty() && precision.empty() && source.empty() && !where; }
};

void add_selection(CLI::App* app, Selection& selection) {
  add_text(app, "--gpu", selection.gpu, "ID", "on this GPU only")->group("Rows");
  add_text(app, "--op", selection.op, "OP", "of this op only, as in conv")->group("Rows");
  add_precision_name(app, selection.precision, "of this precision only")->group("Rows");
  add_text(app, "--source", selection.source, "NAME", "of this source only")->group("Rows");
  add_where(app, selection.where)->group("Rows");
}

// A GPU that is not in the catalogue is meant as its rows call it.
std::string id_of(const std::string& name) {
  const auto gpu = name.empty() ? tl::unexpected(Error{}) : find_gpu(name);
  return gpu ? gpu->id : name;
}

store::MeasurementQuery query_of(const Selection& selection) {
  return {id_of(selection.gpu), selection.op, selection.precision, selection.source, selection.where, {}};
}

std::string measurements(std::int64_t rows) { return counted(static_cast<std::size_t>(rows), "measurement"); }

// --- list ------------------------------------------------------------------------------------------------------------

constexpr Writers<const StoreContents&> kStoreWriters = {
    {Format::table, store_table}, {Format::json, store_json}, {Format::csv, store_csv}};

struct ListArguments {
  std::string db;
  Selection rows;
  bool names = false;  // only what --method takes by name
  OutputArguments output;
};

Result<void> list(ListArguments& arguments) {
  TRY(check_names(arguments.names, arguments.output));
  if (arguments.names) {
    if (!arguments.rows.all()) return usage("--names lists fitted models, of which no rows can be chosen");
    std::string text;
    for (const std::string& name : TRY(known_fitted_names(arguments.db))) text += name + "\n";
    return write_output(arguments.output.file, text);
  }
  auto store = TRY(open_store(arguments.db, store::Access::read));
  auto counts = TRY(store::count_measurements(store, query_of(arguments.rows)));
  auto fitted = TRY(store::list_fitted(store));
  auto predictions = TRY(store::list_predictions(store, {id_of(arguments.rows.gpu), arguments.rows.precision, {}}));
  const StoreContents contents{store.path(), std::move(counts), std::move(fitted), std::move(predictions)};
  return write_report(arguments.output, kStoreWriters, contents);
}

// --- show, add: fitted models
// ------------------------------------------------------------------------------------------

struct ShowArguments {
  std::string db, name, output;
};

Result<void> show(ShowArguments& arguments) {
  auto store = TRY(open_store(arguments.db, store::Access::read));
  return write_output(arguments.output, TRY(store::load_fitted(store, arguments.name)).text);
}

struct AddArguments {
  std::string db, file, name;
};

Result<void> add(AddArguments& arguments) {
  auto store = TRY(open_store(arguments.db, store::Access::write));
  const auto name = TRY(add_fitted(store, arguments.file, arguments.name));
  return write_output("", fmt::format("Saved the fitted model {}; use it with --method {}.\n", name, name));
}

// --- export ----------------------------------------------------------------------------------------------------------

struct ExportArguments {
  std::string db;
  Selection rows;
  bool provenance = false;
  std::string output;
};

Result<void> export_rows(ExportArguments& arguments) {
  auto store = TRY(open_store(arguments.db, store::Access::read));
  const store::MeasurementQuery query = query_of(arguments.rows);
  const store::ExportOptions options{arguments.provenance};
  if (arguments.output.empty() || arguments.output == "-") {
    TRY(store::export_measurements(store, query, options,
                                   [](std::string_view text) { return write_output("", text); }));
    return {};
  }
  auto file = TRY(WholeFile::create(arguments.output));
  TRY(store::export_measurements(store, query, options, [&](std::string_view text) { return file.write(text); }));
  return file.finish();
}

// --- remove ----------------------------------------------------------------------------------------------------------

struct RemoveArguments {
  std::string db, name;
  Selection rows;
  bool predictions = false;
};

Result<void> remove(RemoveArguments& arguments) {
  const Selection& rows = arguments.rows;
  if (arguments.name.empty() == (rows.all() && !arguments.predictions)) {
    return usage(
        "store remove needs either the NAME of a fitted model, or --where, --gpu, --op, --precision or --source, or "
        "--predictions");
  }
  auto store = TRY(open_store(arguments.db, store::Access::write));
  if (!arguments.name.empty()) {
    TRY(store::remove_fitted(store, arguments.name));
    return write_output("", fmt::format("Removed the fitted model {}.\n", arguments.name));
  }
  if (arguments.predictions) {
    const auto removed = TRY(store::remove_predictions(store, {id_of(rows.gpu), rows.precision, rows.where}));
    return write_output("", fmt::format("Removed {}.\n", counted(static_cast<std::size_t>(removed), "prediction")));
  }
  const auto removed = TRY(store::remove_measurements(store, query_of(rows)));
  return write_output("", fmt::format("Removed {}.\n", measurements(removed)));
}

// --- check -----------------------------------------------------------------------------------------------------------

constexpr Writers<const StoreCheck&> kCheckWriters = {{Format::table, store_check_text},
                                                      {Format::json, store_check_json}};

struct CheckArguments {
  std::string db;
  OutputArguments output;
};

Result<void> check(CheckArguments& arguments) {
  auto store = TRY(open_store(arguments.db, store::Access::read));
  const auto rows = TRY(store::check_everything(store));
  return write_report(arguments.output, kCheckWriters, {store.path(), rows});
}

void add_list(CommandList& commands, CLI::App* parent) {
  auto [app, arguments] =
      commands.add<ListArguments>("list", "List measurements by GPU and op, fitted models and predictions",
                                  "rooftile store list --gpu t4", list, parent);
  add_db(app, arguments.db);
  add_selection(app, arguments.rows);
  app->add_flag("--names", arguments.names, "only the fitted models that --method takes, one per line")
      ->group("Output");
  add_output_options(app, arguments.output, kStoreWriters);
}

void add_remove(CommandList& commands, CLI::App* parent) {
  auto [app, arguments] = commands.add<RemoveArguments>(
      "remove", "Remove a fitted model, or the measurements or predictions that the options name",
      "rooftile store remove --source \"our lab\"", remove, parent);
  add_text(app, "NAME", arguments.name, "STORED", "name of a fitted model");
  add_db(app, arguments.db);
  add_selection(app, arguments.rows);
  app->add_flag("--predictions", arguments.predictions,
                "predictions, all or those of --gpu, --precision and --where, as in \"model = resnet50\"")
      ->excludes("--op")
      ->excludes("--source")
      ->group("Rows");
}

}  // namespace

void add_store(CommandList& commands) {
  CLI::App* parent = commands.add_parent("store", "List, export, remove or check what the store holds",
                                         "rooftile store export --gpu t4 --op gemm -o t4.csv");
  add_list(commands, parent);
  {
    auto [app, arguments] =
        commands.add<ShowArguments>("show", "Print a fitted model", "rooftile store show t4-layers", show, parent);
    add_text(app, "NAME", arguments.name, "STORED", "name of a fitted model")->required();
    add_db(app, arguments.db);
    add_file(app, "-o,--output", arguments.output, {Format::json});
  }
  {
    auto [app, arguments] = commands.add<AddArguments>("add", "Add a fitted model from 'rooftile fit -o'",
                                                       "rooftile store add t4-layers.json", add, parent);
    add_text(app, "FILE", arguments.file, "FILE", "a fitted model (JSON)")->required();
    add_db(app, arguments.db);
    add_text(app, "--name", arguments.name, "NAME",
             "its name in the store (default: the file name without its suffix)");
  }
  {
    auto [app, arguments] =
        commands.add<ExportArguments>("export", "Export measurements as a layer table (CSV)",
                                      "rooftile store export --gpu t4 --op gemm -o t4.csv", export_rows, parent);
    add_db(app, arguments.db);
    add_selection(app, arguments.rows);
    app->add_flag("--provenance", arguments.provenance, "include the columns source and date")->group("Output");
    add_file(app, "-o,--output", arguments.output, {Format::csv});
  }
  add_remove(commands, parent);
  auto [app, arguments] =
      commands.add<CheckArguments>("check", "Check that the store is undamaged", "rooftile store check", check, parent);
  add_db(app, arguments.db);
  add_output_options(app, arguments.output, kCheckWriters);
}

}  // namespace rooftile::cli
