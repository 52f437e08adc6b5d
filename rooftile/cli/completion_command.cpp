// rooftile completion: a script for a shell, and the words that it asks for.
#include <string>
#include <vector>

#include "rooftile/cli/completion.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"

namespace rooftile::cli {
namespace {

struct CompletionArguments {
  const CLI::App* program = nullptr;
  std::string shell;
  std::vector<std::string> words;  // to complete; empty: the script is asked for
};

Result<void> run(CompletionArguments& arguments) {
  if (arguments.words.empty()) return write_output("", completion_script(arguments.shell));
  std::string text;
  for (const std::string& word : completions(*arguments.program, arguments.words)) text += word + "\n";
  return write_output("", text);
}

}  // namespace

void add_completion(CommandList& commands) {
  auto [app, arguments] = commands.add<CompletionArguments>("completion", "Print a completion script for a shell",
                                                            "source <(rooftile completion bash)", run);
  arguments.program = &commands.app();
  add_choice<std::string>(app, "SHELL", arguments.shell, {{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}},
                          "bash, zsh or fish")
      ->required();
  add_texts(app, "WORD", arguments.words, "WORD",
            "the words of a command line, after '--': print completions of the last");
}

}  // namespace rooftile::cli
