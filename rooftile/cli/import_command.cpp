// rooftile import FILE…: measurements into the store.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/report/store.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/store/import.hpp"
#include "rooftile/store/measurements.hpp"

namespace rooftile::cli {
namespace {

struct ImportArguments {
  std::vector<std::string> files;
  std::string db;
  store::ImportOptions options;
  bool dry_run = false;
};

// Where nothing is to be stored, no file is made either.
Result<store::Store> store_for(const ImportArguments& arguments) {
  if (arguments.dry_run) {
    const auto path = TRY(store_path(arguments.db));
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return store::Store::in_memory();
  }
  return open_store(arguments.db, store::Access::write);
}

std::string rows(std::int64_t number) { return counted(static_cast<std::size_t>(number), "row"); }

void list_left_out(const store::ImportedFile& file) {
  for (const std::string& note : file.notes) write_error(file.file + ": " + note);
  if (file.unmeasured > 0) {
    write_error(fmt::format("{}: {} left out: nothing was measured", file.file, rows(file.unmeasured)));
  }
  if (file.bad_row_count == 0) return;
  write_error(fmt::format("{}: {} left out:", file.file, rows(file.bad_row_count)));
  for (const Error& error : file.bad_rows) write_error(error.text());
}

Result<void> run(ImportArguments& arguments) {
  store::ImportOptions options = arguments.options;
  if (!options.gpu.empty()) {
    const auto gpu = TRY(gpu_of_option(options.gpu));
    options.gpu = gpu.id;
  }
  auto store = TRY(store_for(arguments));
  TRY(store::quick_check(store));
  auto writer = TRY(store::MeasurementWriter::begin(store));

  const InterruptAsked signals;
  std::vector<store::ImportedFile> files;
  {
    constexpr std::uint64_t kSteps = 1000;  // of the share of one file
    Progress progress("steps");
    options.progress = [&](double share) {
      const auto done = static_cast<std::uint64_t>(kSteps * (static_cast<double>(files.size()) + share));
      progress.show(done, kSteps * arguments.files.size());
      return !InterruptAsked::flag();
    };
    for (const std::string& path : arguments.files) {
      auto file = TRY(store::import_file(writer, path, options));
      files.push_back(std::move(file));
    }
  }
  if (!arguments.dry_run) {
    TRY(writer.commit());
  }
  for (const store::ImportedFile& file : files) list_left_out(file);
  return write_output(
      "", import_table(files, page_width("")) + (arguments.dry_run ? "\nNothing was stored (--dry-run).\n" : ""));
}

}  // namespace

void add_import(CommandList& commands) {
  auto [app, arguments] = commands.add<ImportArguments>(
      "import", "Add measurements to the store: layer tables, profiles, PyTorch benchmarks",
      "rooftile import measured.csv trace.json --gpu t4 --source \"our lab\"", run);
  add_texts(app, "FILE", arguments.files, "FILE",
            "layer tables (CSV), profiles (ncu, nvprof, rocprof, PyTorch traces), output of PyTorch's benchmarks, or - "
            "(standard input)")
      ->required();
  store::ImportOptions& options = arguments.options;
  add_db(app, arguments.db);
  add_text(app, "--source", options.source, "NAME", "who made the measurements");
  add_value(app, "--date", options.date, "DATE", parse_date, "when they were made, as in 2026-01-31");
  add_text(app, "--gpu", options.gpu, "ID", "GPU for rows that name none");
  add_precision_name(app, options.precision, "precision for rows that name none");
  add_text(app, "--software", options.software, "NAME", "framework for rows that name none");
  add_skip_bad_rows(app, options.skip_bad_rows);
  app->add_flag("--dry-run", arguments.dry_run, "show what would be added, but store nothing");
}

}  // namespace rooftile::cli
