#include "rooftile/cli/app.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"

namespace rooftile::cli {
namespace {

constexpr int kError = 1, kWrongUsage = 2;

class CommandLine {
 public:
  CommandLine() : CommandLine("Predicts how long a neural network takes on a GPU, and what limits it.", "rooftile") {
    app_.footer(
        "Example: rooftile predict resnet152 --gpu titan-xp --batch-size 256\n"
        "Each command has its own --help.");
    add_predict(commands_);
    add_roofline(commands_);
    add_cost(commands_);
    add_sensitivity(commands_);
    add_explain(commands_);
    add_validate(commands_);
    add_fit(commands_);
    add_import(commands_);
    add_store(commands_);
    add_simulate(commands_);
    add_evaluate(commands_);
    add_explore(commands_);
    add_optimise(commands_);
    add_plan(commands_);
    add_gpus(commands_);
    add_models(commands_);
    add_support(commands_);
    add_diff(commands_);
    add_strip(commands_);
    add_completion(commands_);
  }

  explicit CommandLine(cluster::Ranks& ranks)
      : CommandLine("Explores GPU designs on many machines, as 'rooftile explore' does on one.", "rooftile-mpi") {
    speaks_ = ranks.transport.rank() == 0;
    app_.footer(
        "Example: mpirun -n 4 rooftile-mpi explore space.toml --checkpoint space.checkpoint\n"
        "Each command has its own --help.");
    add_explore(commands_, &ranks);
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& help) {
      return speaks_ ? app_.exit(help) : 0;  // --help, --version
    } catch (const CLI::ParseError& error) {
      return report(Error{ErrorCode::usage, plain(error), ""});
    }
    if (auto result = check_extras(app_); !result) return report(result.error());
    if (app_.get_subcommands().empty()) {
      if (speaks_) write_output("", app_.help());
      return kWrongUsage;
    }
    const Result<void> result = commands_.run(app_.get_subcommands().front());
    return result ? 0 : report(result.error());
  }

 private:
  CommandLine(const char* description, const char* program) : app_(description, program) {
    app_.set_version_flag("--version", fmt::format("{} {}", program, ROOFTILE_VERSION));
    app_.require_subcommand(0, 1);
    app_.allow_extras();
  }

  // An argument that nothing took is an error which names the nearest thing that would have.
  static Result<void> check_extras(const CLI::App& app) {
    for (const CLI::App* nested : app.get_subcommands()) {
      if (auto result = check_extras(*nested); !result) return result;
    }
    const std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return {};
    std::string extra = extras.front();
    for (const std::string& other : extras) {
      if (other.starts_with("-") && !extra.starts_with("-") && app.get_parent() != nullptr) extra = other;
    }
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    for (const CLI::App* nested : app.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(nested->get_name());
    }
    static const std::vector<std::string> kPlanned = {"compare"};
    const bool planned = std::find(kPlanned.begin(), kPlanned.end(), extra) != kPlanned.end();
    if (app.get_parent() == nullptr && planned) {
      return fail(ErrorCode::unsupported, fmt::format("the command '{}' is not built yet", extra));
    }
    const char* what = extra.starts_with("-") ? "option" : (app.get_parent() == nullptr ? "command" : "argument");
    return usage(fmt::format("unknown {} '{}'{}", what, extra, did_you_mean(extra, known)));
  }

  // CLI11's own messages, in words that say what to do.
  static std::string plain(const CLI::ParseError& error) {
    std::string text = error.what();
    const std::string option = text.substr(0, text.find(':'));
    if (text.find("At Most 1") != std::string::npos) return fmt::format("give {} only once", option);
    if (text.find("required TEXT missing") != std::string::npos) return fmt::format("{} needs a value", option);
    return text;
  }

  int report(const Error& error) const {
    if (!speaks_) return error.code == ErrorCode::usage ? kWrongUsage : kError;
    if (error.code != ErrorCode::usage) {
      write_error(error.text());
      return kError;
    }
    const auto chosen = app_.get_subcommands();
    const std::string command = chosen.empty() ? "" : chosen.front()->get_name() + " ";
    write_error(fmt::format("{} (see '{} {}--help')", error.text(), app_.get_name(), command));
    return kWrongUsage;
  }

  CLI::App app_;
  CommandList commands_{app_};
  bool speaks_ = true;
};

}  // namespace

int run(int argc, char** argv) {
  report_file_size_limit();
  return CommandLine().run(argc, argv);
}

int run_on_ranks(int argc, char** argv, cluster::Ranks& ranks) {
  report_file_size_limit();
  return CommandLine(ranks).run(argc, argv);
}

}  // namespace rooftile::cli
