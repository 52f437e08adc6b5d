// The subcommands' options: which there are, and how what the user typed becomes a command's arguments.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/cluster/ranks.hpp"

namespace rooftile::cli {

// An error of wrong usage.
inline tl::unexpected<Error> usage(std::string message) { return fail(ErrorCode::usage, std::move(message)); }

// The subcommands of an app, each with what carries it out once its options are read.
class CommandList {
 public:
  using Action = std::function<Result<void>()>;

  // `app` must outlive the list, and the list every parse: the actions own what the options are read into.
  explicit CommandList(CLI::App& app) : app_(app) {}

  CLI::App* add(const std::string& name, const std::string& description, const std::string& example, Action action) {
    CLI::App* command = app_.add_subcommand(name, description);
    command->footer("Example: " + example);
    command->allow_extras();
    actions_.emplace(command, std::move(action));
    return command;
  }

  const CLI::App& app() const { return app_; }

  // Carries out a command that add() returned.
  Result<void> run(const CLI::App* command) const { return actions_.at(command)(); }

 private:
  CLI::App& app_;
  std::map<const CLI::App*, Action> actions_;
};

// Each adds the command that it names; the help lists commands in the order they are added.
void add_predict(CommandList& commands);
void add_roofline(CommandList& commands);
void add_cost(CommandList& commands);
void add_sensitivity(CommandList& commands);
void add_explain(CommandList& commands);
void add_validate(CommandList& commands);
void add_fit(CommandList& commands);
void add_import(CommandList& commands);
void add_store(CommandList& commands);
void add_simulate(CommandList& commands);
void add_evaluate(CommandList& commands);
void add_explore(CommandList& commands, cluster::Ranks* ranks = nullptr);  // ranks: not by this program alone
void add_optimise(CommandList& commands);
void add_plan(CommandList& commands);
void add_gpus(CommandList& commands);
void add_models(CommandList& commands);
void add_support(CommandList& commands);
void add_diff(CommandList& commands);
void add_strip(CommandList& commands);
void add_completion(CommandList& commands);

}  // namespace rooftile::cli
