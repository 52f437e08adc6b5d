#include "rooftile/cli/completion.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "rooftile/cli/settings.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/compare/grid.hpp"
#include "rooftile/compare/study.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/hosts/host_machine.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/report/comparison.hpp"

namespace rooftile::cli {
namespace {

constexpr std::string_view kMore = ",…";

std::vector<std::string> parts_of(std::string_view text, char between) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(between), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// The words that a part of a kind stands for, of which `typed` is the beginning: names that the program knows, or the
// part itself if it is a choice. One with capital letters is what somebody has to make up.
std::vector<std::string> words_of(const std::string& part, std::string_view typed);

// Of "start=cold/warm" the key, and once that is typed its values.
std::vector<std::string> words_of_pair(std::vector<std::string> names, const std::vector<std::string>& values,
                                       std::string_view typed) {
  for (std::string& name : names) name += '=';
  const std::size_t equals = typed.find('=');
  if (equals == std::string_view::npos) return names;
  const std::string key(typed.substr(0, equals + 1));
  if (std::find(names.begin(), names.end(), key) == names.end()) return {};
  std::vector<std::string> pairs;
  for (const std::string& value : values) pairs.push_back(key + value);
  return pairs;
}

std::vector<std::string> words_of(const std::string& part, std::string_view typed) {
  if (part.empty()) return {};
  if (part == "ID") return gpu_ids();
  if (part == "CLUSTER") return gpu_cluster_ids();
  if (part == "HOST") return host_machine_ids();
  if (part == "STUDY") return study_ids();
  if (part == "FIGURE") return comparison_columns();
  if (part == "COUNTRY") return grid_ids();
  if (part == "METHOD") return method_names();
  if (part == "FITTED" || part == "STORED") return known_fitted_names("").value_or(std::vector<std::string>());
  if (part == "MODEL") {
    std::vector<std::string> names;
    for (const ModelName& model : model_names()) names.push_back(model.name);
    return names;
  }
  if (part == "KEY=VALUE") {
    return words_of_pair(setting_names(), setting_values(typed.substr(0, typed.find('='))), typed);
  }
  if (const std::size_t equals = part.find('='); equals != std::string::npos && part.find('[') > equals) {
    std::vector<std::string> values;
    for (const std::string& value : parts_of(part.substr(equals + 1), '/')) {
      for (std::string& word : words_of(value, "")) values.push_back(std::move(word));
    }
    return words_of_pair(words_of(part.substr(0, equals), ""), values, typed);
  }
  const std::string word = part.substr(0, part.find('['));  // "kfold[=FOLDS]"
  const bool made_up = std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return made_up && part != "L1" && part != "L2" && part != "DRAM" ? std::vector<std::string>() : std::vector{word};
}

// Values of a kind; `typed` is what stands there so far. Where several go with commas, the last is completed, by one
// that is not there yet.
std::vector<std::string> values_of(std::string kind, const std::string& typed) {
  std::string before;
  if (kind.ends_with(kMore)) {
    kind.resize(kind.size() - kMore.size());
    before = typed.substr(0, typed.rfind(',') + 1);
  }
  const std::vector<std::string> there = parts_of(before, ',');
  std::vector<std::string> values;
  for (const std::string& part : parts_of(kind, '|')) {
    for (const std::string& word : words_of(part, std::string_view(typed).substr(before.size()))) {
      const auto same = [&](const std::string& one) {  // or another value of the same key
        const std::size_t equals = word.find('=');
        return equals == std::string::npos ? one == word : one.starts_with(word.substr(0, equals + 1));
      };
      if (std::none_of(there.begin(), there.end(), same)) values.push_back(before + word);
    }
  }
  return values;
}

struct Place {
  const CLI::App* command = nullptr;
  const CLI::Option* waiting = nullptr;  // an option whose value comes next
  std::size_t positionals = 0;           // that came already
};

const CLI::Option* option_of(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->check_name(name)) return option;
  }
  return nullptr;
}

const CLI::App* nested_of(const CLI::App& command, const std::string& name) {
  for (const CLI::App* nested : command.get_subcommands({})) {
    if (nested->check_name(name)) return nested;
  }
  return nullptr;
}

// Where the words before the last lead.
Place place_after(const CLI::App& program, const std::vector<std::string>& words) {
  Place place{&program};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (place.waiting != nullptr) {
      place.waiting = nullptr;
    } else if (word.starts_with("-") && word.size() > 1) {
      const CLI::Option* option = option_of(*place.command, word);
      if (option != nullptr && option->get_expected_max() > 0) place.waiting = option;
    } else if (const CLI::App* nested = nested_of(*place.command, word)) {
      place = {nested};
    } else {
      ++place.positionals;
    }
  }
  return place;
}

// The positional that the next one would be; the last takes any number where it takes several.
const CLI::Option* positional_of(const CLI::App& command, std::size_t already) {
  const auto positionals = command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (positionals.empty()) return nullptr;
  if (already < positionals.size()) return positionals[already];
  return positionals.back()->get_expected_max() > 1 ? positionals.back() : nullptr;
}

std::vector<std::string> names_in(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The words from which the last, so far `typed`, can be chosen.
std::vector<std::string> choices(const Place& place, const std::string& typed) {
  if (place.waiting != nullptr) return values_of(place.waiting->get_type_name(), typed);
  if (const std::size_t equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = option_of(*place.command, typed.substr(0, equals));
    if (option == nullptr) return {};
    std::vector<std::string> all = values_of(option->get_type_name(), typed.substr(equals + 1));
    for (std::string& word : all) word.insert(0, typed, 0, equals + 1);
    return all;
  }
  if (typed.starts_with("-")) return names_in(*place.command);
  if (const CLI::Option* positional = positional_of(*place.command, place.positionals)) {
    return values_of(positional->get_type_name(), typed);
  }
  std::vector<std::string> all;
  for (const CLI::App* nested : place.command->get_subcommands({})) {
    all.push_back(nested->get_name());
    if (all.back().starts_with(typed)) continue;  // else its other spelling may be meant
    all.insert(all.end(), nested->get_aliases().begin(), nested->get_aliases().end());
  }
  return all;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& program, const std::vector<std::string>& words) {
  const std::string typed = words.empty() ? "" : words.back();
  std::vector<std::string> all = choices(place_after(program, words), typed);
  std::erase_if(all, [&](const std::string& word) { return !word.starts_with(typed); });
  return all;
}

std::string completion_script(const std::string& shell) {
  if (shell == "fish") {
    return R"SH(function __rooftile_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (rooftile completion fish -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else  # a file, perhaps after --costs=
    set -l option (string match -r -- '^--[^=]*=' $words[-1])
    for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' $words[-1]))
      printf '%s%s\n' "$option" $path
    end
  end
end
complete -c rooftile -f -a '(__rooftile_complete)'
)SH";
  }
  if (shell == "zsh") {
    // Read from a file named _rooftile when it is first needed, or sourced.
    return R"SH(#compdef rooftile
_rooftile() {
  local -a found
  found=(${(f)"$(rooftile completion zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)"})
  if [[ $found[1] == *[=:] ]]; then
    compadd -S '' -a found  # a value follows
  elif (( $#found )); then
    compadd -a found
  else
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='  # a file after --costs=
    _files
  fi
}
if [[ $funcstack[1] == _rooftile ]]; then
  _rooftile "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _rooftile rooftile
fi
)SH";
  }
  // Bash takes --gpu=t4 and vendor:amd for three words, and replaces the last of them.
  return R"SH(_rooftile() {
  local IFS=$'\n' word last= words=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ($word == [=:] || $last == [=:]) && ${#words[@]} -gt 0 ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    last=$word
  done
  [[ $last != [=:] ]] || last=
  COMPREPLY=($(rooftile completion bash -- "${words[@]}" 2>/dev/null))
  COMPREPLY=("${COMPREPLY[@]#"${words[-1]%"$last"}"}")
  [[ ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace 2>/dev/null  # a value follows
}
complete -o default -F _rooftile rooftile
)SH";
}

}  // namespace rooftile::cli
