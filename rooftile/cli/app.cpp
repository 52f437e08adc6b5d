#include "rooftile/cli/app.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/version.hpp"
#include "rooftile/cli/working.hpp"

namespace rooftile::cli {
namespace {

constexpr int kError = 1, kWrongUsage = 2;

class CommandLine {
 public:
  explicit CommandLine(const Program& program) : app_(program.description, program.name), speaks_(program.speaks) {
    app_.set_version_flag("--version", fmt::format("{} {}", program.name, version()));
    app_.formatter(std::make_shared<HelpFormatter>());
    app_.require_subcommand(0, 1);
    app_.allow_extras();
    app_.footer(fmt::format("Example: {}\nEach command has its own --help.", program.example));
    program.add_commands(commands_);
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& help) {
      // Help for a command that does not exist is not that of all commands.
      const bool names_none = !chosen().get_subcommands({}).empty();
      if (const auto extras = check_extras(chosen()); names_none && !extras) return report(extras.error());
      std::ostringstream text;  // --help, --version
      app_.exit(help, text, text);
      return print(text.str(), 0);
    } catch (const OptionError& wrong) {
      return report(wrong.error);
    } catch (const CLI::ParseError& error) {
      const auto extras = check_extras(app_);  // a slip in a name is the likelier cause of what is missing
      return report(extras ? Error{ErrorCode::usage, plain(error), ""} : extras.error());
    }
    if (auto result = check_extras(app_); !result) return report(result.error());
    if (&chosen() == &app_) return print(app_.help(), kWrongUsage);
    // What a user types would stand in the same line.
    const bool types = ::isatty(STDIN_FILENO) == 1 && std::any_of(argv, argv + argc, [](const char* argument) {
                         return std::string_view(argument) == "-";
                       });
    const Result<void> result = run_chosen(speaks_ && !types);
    return result ? 0 : report(result.error());
  }

 private:
  // The status, or that of a text that could not be written.
  int print(const std::string& text, int status) const {
    if (!speaks_) return status;
    const auto printed = write_output("", text);
    return printed ? status : report(printed.error());
  }

  Result<void> run_chosen(bool says_working) {
    std::optional<Working> working;
    if (says_working) working.emplace();
    return commands_.run(&chosen());
  }

  // An argument that nothing took is an error which names the nearest thing that would have.
  static Result<void> check_extras(const CLI::App& app) {
    for (const CLI::App* nested : app.get_subcommands()) {
      TRY(check_extras(*nested));
    }
    std::vector<std::string> extras = app.remaining();
    std::erase(extras, "--");  // only says that what follows are no options
    if (extras.empty()) return {};
    std::string extra = extras.front();
    for (const std::string& other : extras) {
      if (other.starts_with("-") && !extra.starts_with("-") && app.get_parent() != nullptr) extra = other;
    }
    std::vector<std::string> known, hidden;
    for (const CLI::Option* option : app.get_options()) {
      std::vector<std::string>& names = option->get_group() == kHidden ? hidden : known;
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    const std::vector<std::string> below = names_below(app);
    known.insert(known.end(), below.begin(), below.end());
    const bool names_command = app.get_parent() == nullptr || !app.get_subcommands({}).empty();
    std::string hint = did_you_mean(extra, known);
    if (hint.empty()) hint = did_you_mean(extra, hidden);
    if (extra.starts_with("-") || names_command) {
      const char* what = extra.starts_with("-") ? "option" : "command";
      if (hint.empty()) hint = what_else(app, extra);
      return usage(fmt::format("unknown {} '{}'{}", what, one_line(extra), hint));
    }
    if (hint.empty()) hint = fmt::format("; {} takes {}", name_of(app), arguments_of(app));
    return usage(fmt::format("unexpected argument '{}'{}", one_line(extra), hint));
  }

  // For a name that is near none: all that could stand there.
  static std::string what_else(const CLI::App& app, std::string_view extra) {
    if (extra.starts_with("-") || app.get_parent() == nullptr) return {};
    return fmt::format("; one of {}", fmt::join(names_below(app), ", "));
  }

  static std::vector<std::string> names_below(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* nested : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(nested->get_name());
    }
    return names;
  }

  // "one MODEL", "A.json and B.json"; "none".
  static std::string arguments_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional()) names.push_back(option->get_name(true));
    }
    if (names.empty()) return "no argument";
    return names.size() == 1 ? "one " + names.front() : fmt::format("{}", fmt::join(names, " and "));
  }

  // The innermost command that was named; the program where none was.
  const CLI::App& chosen() const {
    const CLI::App* command = &app_;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
  }

  // "fit network"; empty of the program.
  static std::string name_of(const CLI::App& command) {
    std::string name;
    for (const CLI::App* app = &command; app->get_parent() != nullptr; app = app->get_parent()) {
      name = fmt::format("{}{}{}", app->get_name(), name.empty() ? "" : " ", name);
    }
    return name;
  }

  std::string name_of_chosen() const { return name_of(chosen()); }

  // What is missing, and where to find it.
  std::string missing(const std::string& option) const {
    const CLI::App& command = chosen();
    if (option == "A subcommand") {
      return fmt::format("{} needs one of {}", name_of_chosen(), fmt::join(names_below(command), ", "));
    }
    const CLI::Option* missed = command.get_option(option);
    if (!option.starts_with("-")) {
      return fmt::format("{} needs {}: {}", name_of_chosen(), option, missed->get_description());
    }
    const std::string kind = missed->get_type_name();
    std::string text = fmt::format("{} needs {}", name_of_chosen(), option == "--output" ? "-o" : option);
    if (kind.find('|') == std::string::npos) text += " " + kind;
    if (kind.starts_with("ID")) text += "; 'rooftile gpus list' lists them";
    return text;
  }

  // CLI11's own messages, in words that say what to do.
  std::string plain(const CLI::ParseError& error) const {
    std::string text = error.what();
    const std::string option = text.substr(0, text.find(':'));
    const auto two = [&](std::string_view verb, std::string_view instead) {
      const std::size_t at = text.find(verb);
      return text.substr(0, at) + std::string(instead) + text.substr(at + verb.size());
    };
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
      return missing(text.substr(0, text.rfind(" is required")));
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return two(" excludes ", " cannot be used with ");
    if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) return two(" requires ", " needs ");
    if (text.find("At Most 1") != std::string::npos) return fmt::format("give {} only once", option);
    if (text.find(" required ") != std::string::npos && text.ends_with(" missing")) {
      return fmt::format("{} needs a value", option);
    }
    return text;
  }

  int report(const Error& error) const {
    if (!speaks_) return error.code == ErrorCode::usage ? kWrongUsage : kError;
    if (error.code != ErrorCode::usage) {
      write_error(error.text());
      return error.code == ErrorCode::interrupted ? kInterrupted : kError;
    }
    const std::string command = name_of_chosen();
    write_error(
        fmt::format("{} (see '{} {}{}--help')", error.text(), app_.get_name(), command, command.empty() ? "" : " "));
    return kWrongUsage;
  }

  CLI::App app_;
  CommandList commands_{app_};
  bool speaks_;
};

// What no reader could foresee still ends with one line.
template <class Run>
int to_the_end(const Run& run) {
  report_file_size_limit();
  try {
    return run();
  } catch (const std::bad_alloc&) {
    write_error("out of memory");
  } catch (const std::exception& error) {
    write_error(fmt::format("internal error: {}", error.what()));
  }
  return kError;
}

}  // namespace

int run(int argc, char** argv, const Program& program) {
  if (program.speaks) end_on_interrupt();
  const int status = to_the_end([&] { return CommandLine(program).run(argc, argv); });
  if (status != 0 || !InterruptAsked::flag()) return status;
  if (program.speaks && !InterruptAsked::said_partial()) write_error("interrupted at the end: the result is complete");
  return kInterrupted;
}

Program rooftile_with(std::function<void(CommandList&)> add_commands) {
  return {.name = "rooftile",
          .description = "Predicts how long a neural network takes on a GPU, and what limits it.",
          .example = "rooftile predict resnet152 --gpu titan-xp --batch-size 256",
          .add_commands = std::move(add_commands)};
}

}  // namespace rooftile::cli
