#include "rooftile/cli/completion.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"

namespace rooftile::cli {
namespace {

// What may follow an option, whichever command it is of.
struct Values {
  const char* option = nullptr;
  const char* words = nullptr;
  const char* command = nullptr;  // that lists them, instead of words
  bool files = false;             // or a file
};
constexpr std::array kValues = {
    Values{"gpu", "", "rooftile gpus --names"},
    Values{"format", "table json csv html"},
    Values{"precision", "fp32 tf32 fp16 bf16 fp8 int8"},
    Values{"pass", "inference"},
    Values{"method", "rooftile delta roofline prior"},
    Values{"algorithm", "implicit_gemm winograd winograd_nonfused fft"},
    Values{"optimizer", "sgd momentum adam"},
    Values{"price-basis", "rented bought any"},
    Values{"model", "constants calibration layers network grey-box"},
    Values{"ways", "affine alphabet physics analytic scaled trees"},
    Values{"split", "holdout holdout= kfold kfold= none"},
    Values{"fitted", "", "rooftile store --names", true},
};

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string flags(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) text += (text.empty() ? "--" : " --") + name;
  }
  return text;
}

std::string bash_values() {
  std::string cases;
  for (const Values& values : kValues) {
    const std::string words =
        values.command != nullptr ? fmt::format("$({})", values.command) : std::string(values.words);
    cases += fmt::format(R"SH(    --{}) mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current"{}); return ;;
)SH",
                         values.option, words, values.files ? R"(; compgen -f -- "$current")" : "");
  }
  return cases;
}

std::string bash_script(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : subcommands(app)) {
    names += (names.empty() ? "" : " ") + command->get_name();
    std::string words = flags(*command);
    for (const CLI::App* nested : subcommands(*command)) words += " " + nested->get_name();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), words);
  }
  return fmt::format(
      R"SH(_rooftile() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  case $previous in
{}    completion) mapfile -t COMPREPLY < <(compgen -W "bash zsh fish" -- "$current"); return ;;
  esac
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "{} --help --version" -- "$current")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case ${{COMP_WORDS[1]}},$previous in
    gpus,show) words=$(rooftile gpus --names) ;;
    models,show) words=$(rooftile models --names) ;;
    predict,* | explain,* | plan,* | support,*) [[ $current == -* ]] || words=$(rooftile models --names) ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _rooftile rooftile
)SH",
      bash_values(), names, cases);
}

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_values(const std::string& option) {
  const auto* values =
      std::find_if(kValues.begin(), kValues.end(), [&](const Values& one) { return one.option == option; });
  if (values == kValues.end()) return {};
  const std::string words = values->command != nullptr ? fmt::format("({})", values->command) : values->words;
  return fmt::format(" {} -a '{}'", values->files ? "-r" : "-x", words);
}

std::string fish_script(const CLI::App& app) {
  std::string text =
      "complete -c rooftile -n __fish_use_subcommand -l help\ncomplete -c rooftile -n __fish_use_subcommand -l "
      "version\n";
  for (const CLI::App* command : subcommands(app)) {
    text += fmt::format("complete -c rooftile -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                        fish_quoted(command->get_description()));
    const std::string seen = fmt::format("'__fish_seen_subcommand_from {}'", command->get_name());
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        text += fmt::format("complete -c rooftile -n {} -l {}{} -d {}\n", seen, name, fish_values(name),
                            fish_quoted(option->get_description()));
      }
    }
  }
  for (const char* command : {"predict", "explain", "plan", "support"}) {
    text += fmt::format("complete -c rooftile -n '__fish_seen_subcommand_from {}' -a '(rooftile models --names)'\n",
                        command);
  }
  return text;
}

}  // namespace

Result<std::string> completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(app);
  if (shell == "fish") return fish_script(app);
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return fail(ErrorCode::usage,
              fmt::format("unknown shell '{}'{}; one of bash, zsh, fish", shell, did_you_mean(shell, shells)));
}

}  // namespace rooftile::cli
