// rooftile import FILE…: measurements into the store.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/report/store.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

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

}  // namespace

Result<void> import_files(const ImportArguments& arguments) {
  store::ImportOptions options = arguments.options;
  if (!options.gpu.empty()) {
    const auto gpu = TRY(gpu_of_option(options.gpu));
    options.gpu = gpu.id;
  }
  auto store = TRY(store_for(arguments));
  if (auto sound = store::quick_check(store); !sound) return sound;
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
    if (auto committed = writer.commit(); !committed) return committed;
  }
  for (const store::ImportedFile& file : files) list_left_out(file);
  return write_output("", import_table(files) + (arguments.dry_run ? "\nNothing was stored (--dry-run).\n" : ""));
}

}  // namespace rooftile::cli
