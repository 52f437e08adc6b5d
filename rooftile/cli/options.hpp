// The commands of the program: each is added with the struct that its options are read into and the function that
// carries it out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/cluster/ranks.hpp"

namespace rooftile::cli {

// An error of wrong usage.
inline tl::unexpected<Error> usage(std::string message) { return fail(ErrorCode::usage, std::move(message)); }

// A command, and what its options are read into.
template <class Arguments>
struct Command {
  CLI::App* app = nullptr;
  Arguments& arguments;
};

class CommandList {
 public:
  // `app` must outlive the list, and the list every parse: it owns what the options are read into.
  explicit CommandList(CLI::App& app) : app_(app) {}

  // A command that `action` carries out; of a parent, which add_parent() made, where there is one.
  template <class Arguments>
  Command<Arguments> add(const std::string& name, const std::string& description, const std::string& example,
                         Result<void> (*action)(Arguments&), CLI::App* parent = nullptr) {
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = add_app(parent, name, description, example);
    actions_.emplace(command, [arguments, action] { return action(*arguments); });
    return {command, *arguments};
  }

  // A command that only has others below it, of which one must be named.
  CLI::App* add_parent(const std::string& name, const std::string& description, const std::string& example) {
    CLI::App* command = add_app(nullptr, name, description, example);
    command->require_subcommand(1);
    return command;
  }

  const CLI::App& app() const { return app_; }

  // What CLI11 has no word for: at least one of these options is needed, by the command or another option of it.
  void need_any(const CLI::App* command, std::vector<const CLI::Option*> options, const CLI::Option* by = nullptr) {
    needs_.push_back({command, by, std::move(options)});
  }

  // Carries out a command that add() returned.
  Result<void> run(const CLI::App* command) const;

 private:
  CLI::App* add_app(CLI::App* parent, const std::string& name, const std::string& description,
                    const std::string& example) {
    CLI::App* command = (parent == nullptr ? &app_ : parent)->add_subcommand(name, description);
    command->footer("Example: " + example);
    command->allow_extras();  // App::run() says what they could have been
    return command;
  }

  struct Need {
    const CLI::App* command;
    const CLI::Option* by;  // null: the command itself
    std::vector<const CLI::Option*> any;
  };

  CLI::App& app_;
  std::vector<Need> needs_;
  std::map<const CLI::App*, std::function<Result<void>()>> actions_;
};

// Each adds the command that it names; the help lists commands in the order they are added.
void add_predict(CommandList& commands);
void add_page(CommandList& commands);
void add_predict_table(CommandList& commands);
void add_roofline(CommandList& commands);
void add_roofline_study(CommandList& commands);
void add_compare(CommandList& commands);
void add_cost(CommandList& commands);
void add_sensitivity(CommandList& commands);
void add_explain(CommandList& commands);
void add_validate(CommandList& commands);
void add_fit(CommandList& commands);  // with those below it, each of a file of its own
void add_fit_constants(CommandList& commands, CLI::App* fit);
void add_fit_factors(CommandList& commands, CLI::App* fit);
void add_fit_layers(CommandList& commands, CLI::App* fit);
void add_fit_network(CommandList& commands, CLI::App* fit);
void add_fit_grey_box(CommandList& commands, CLI::App* fit);
void add_import(CommandList& commands);
void add_store(CommandList& commands);
void add_simulate(CommandList& commands);
void add_evaluate(CommandList& commands);
void add_explore(CommandList& commands, cluster::Ranks* ranks = nullptr);  // ranks: not by this program alone
void add_scaling(CommandList& commands);
void add_optimise(CommandList& commands);
void add_plan(CommandList& commands);
void add_schedule(CommandList& commands);
void add_parallelise(CommandList& commands, cluster::Ranks* ranks = nullptr);
void add_serve(CommandList& commands);
void add_gpus(CommandList& commands);
void add_models(CommandList& commands);
void add_support(CommandList& commands);
void add_diff(CommandList& commands);
void add_strip(CommandList& commands);
void add_completion(CommandList& commands);

}  // namespace rooftile::cli
