// The options of import and store.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/cli/store_input.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* kDbHelp = "the store's file (default: rooftile/rooftile.db in the user's data directory)";

// "2026-01-31", "2026-01" or "2026".
Result<void> check_date(const std::string& date) {
  constexpr std::string_view kShape = "0000-00-00";
  bool good = date.empty() || date.size() == 4 || date.size() == 7 || date.size() == kShape.size();
  for (std::size_t i = 0; good && i < date.size(); ++i) {
    good = kShape[i] == '-' ? date[i] == '-' : date[i] >= '0' && date[i] <= '9';
  }
  // Where a month and a day stand in it.
  const auto number = [&](std::size_t at) { return (date[at] - '0') * 10 + (date[at + 1] - '0'); };
  constexpr std::size_t kMonthAt = 5, kDayAt = 8;
  if (good && date.size() > kMonthAt) good = number(kMonthAt) >= 1 && number(kMonthAt) <= 12;
  if (good && date.size() > kDayAt) good = number(kDayAt) >= 1 && number(kDayAt) <= 31;
  if (good) return {};
  return usage(fmt::format("--date: '{}' is no date as in 2026-01-31, 2026-01 or 2026", date));
}

Result<void> run_import(ImportArguments& arguments) {
  if (arguments.files.empty()) return usage("import needs a FILE, or several");
  if (auto date = check_date(arguments.options.date); !date) return date;
  if (!arguments.options.precision.empty()) {
    const auto precision = TRY(parse_precision("--precision", arguments.options.precision));
    arguments.options.precision = name_of(precision);
  }
  return import_files(arguments);
}

struct Verb {
  const char* name;
  StoreVerb verb;
  const char* help;
};
constexpr std::array kVerbs = {
    Verb{"list", StoreVerb::list, "What there is: rows of measurements by GPU and op, fitted models, predictions"},
    Verb{"show", StoreVerb::show, "The text of a fitted model"},
    Verb{"add", StoreVerb::add, "Keep the fitted model of a file that 'rooftile fit -o' wrote"},
    Verb{"export", StoreVerb::export_rows, "Measurements as a layer table (CSV)"},
    Verb{"remove", StoreVerb::remove,
         "Remove a fitted model, or the measurements or predictions that the options name"},
    Verb{"check", StoreVerb::check, "Read everything and tell whether it is as it was stored"}};

Result<void> run_store(StoreArguments& arguments, const CLI::App& command) {
  for (const Verb& verb : kVerbs) {
    if (command.got_subcommand(verb.name)) arguments.verb = verb.verb;
  }
  const bool chooses = !arguments.gpu.empty() || !arguments.op.empty() || !arguments.precision.empty() ||
                       !arguments.source.empty() || !arguments.where.empty();
  if (arguments.provenance && arguments.verb != StoreVerb::export_rows) return usage("--provenance is of store export");
  if (arguments.names && arguments.verb != StoreVerb::list) return usage("--names is of store list");
  if (!arguments.format.empty() && arguments.verb != StoreVerb::list) return usage("--format is of store list");
  if (arguments.verb == StoreVerb::show && arguments.name.empty()) return usage("store show needs a NAME");
  if (arguments.verb == StoreVerb::add && arguments.file.empty()) return usage("store add needs a FILE.json");
  if (arguments.predictions && arguments.verb != StoreVerb::remove) return usage("--predictions is of store remove");
  if (arguments.verb == StoreVerb::remove && arguments.name.empty() == !(chooses || arguments.predictions)) {
    return usage(
        "store remove needs either the NAME of a fitted model, or --where, --gpu, --op, --precision or --source, or "
        "--predictions");
  }
  if (arguments.predictions && (!arguments.op.empty() || !arguments.source.empty())) {
    return usage("a prediction has neither op nor source: --predictions goes with --where, --gpu and --precision");
  }
  return use_store(arguments);
}

}  // namespace

void add_store_input(CLI::App* command, std::vector<std::string>& tables) {
  command->add_option_function<std::string>(
      "--db", [&tables](const std::string& db) { tables.push_back(db); }, "measurements of this store, too");
  // Without a place for it there is no store, and no table.
  command->add_flag_callback(
      "--stored", [&tables] { tables.push_back(store_path("").value_or("")); },
      "measurements of the user's own store, as 'rooftile import' keeps them, too");
}

void add_import(CommandList& commands) {
  const auto typed = std::make_shared<ImportArguments>();
  CLI::App* command = commands.add(
      "import", "Keep measurements in the store: layer tables, profiles, PyTorch's benchmarks",
      "rooftile import measured.csv trace.json --gpu v100-sxm2-16gb --source \"our lab\" --date 2026-01-31",
      [typed] { return run_import(*typed); });
  command->add_option("FILE", typed->files,
                      "layer tables (CSV), profiles (ncu, nvprof, rocprof, PyTorch traces), output of PyTorch's "
                      "benchmarks, or - (standard input)");
  command->add_option("--db", typed->db, kDbHelp);
  command->add_option("--source", typed->options.source, "who measured");
  command->add_option("--date", typed->options.date, "when, as in 2026-01-31");
  command->add_option("--gpu", typed->options.gpu, "GPU of rows that name none");
  command->add_option("--precision", typed->options.precision, "precision of rows that name none");
  command->add_option("--software", typed->options.software, "framework of rows that name none");
  command->add_flag("--skip-bad-rows", typed->options.skip_bad_rows, "leave out rows that are wrong, and list them");
  command->add_flag("--dry-run", typed->dry_run, "say what would be added, and store nothing");
}

void add_store(CommandList& commands) {
  const auto typed = std::make_shared<StoreArguments>();
  const auto self = std::make_shared<CLI::App*>();
  CLI::App* command = commands.add("store", "Show what the store holds, export or remove it, check it",
                                   "rooftile store export --gpu t4 --op gemm -o t4.csv",
                                   [typed, self] { return run_store(*typed, **self); });
  *self = command;
  command->add_option("--db", typed->db, kDbHelp);
  command->add_option("--gpu", typed->gpu, "measurements on this GPU only");
  command->add_option("--op", typed->op, "of this op only, as in conv");
  command->add_option("--precision", typed->precision, "of this precision only");
  command->add_option("--source", typed->source, "of this source only");
  command->add_option("--where", typed->where, "only these rows, as in \"gpu = t4 and K >= 64\"");
  command->add_flag("--names", typed->names, "of list: only the names that --fitted takes, for scripts");
  command->add_flag("--predictions", typed->predictions,
                    "with remove: predictions, all or those of --gpu, --precision and --where, as in "
                    "\"model = resnet50\"");
  command->add_flag("--provenance", typed->provenance, "with export: the columns source and date, too");
  command->add_option("--format", typed->format, "of list: table or json");
  command->add_option("-o,--output", typed->output, "write to this file");
  for (const Verb& verb : kVerbs) {
    CLI::App* nested = command->add_subcommand(verb.name, verb.help);
    const bool named = verb.verb == StoreVerb::show || verb.verb == StoreVerb::remove;
    if (named) nested->add_option("NAME", typed->name, "of a fitted model");
    if (verb.verb == StoreVerb::add) {
      nested->add_option("FILE", typed->file, "a fitted model (JSON)");
      nested->add_option("--name", typed->name, "what to call it (default: as the file, without its suffix)");
    }
    nested->fallthrough();
    nested->allow_extras();
  }
}

}  // namespace rooftile::cli
