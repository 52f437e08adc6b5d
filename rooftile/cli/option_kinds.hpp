// Options of the kinds that many commands have. Each is read into its place as soon as the command line is parsed; what
// is wrong with it is a CLI::ValidationError, which names the option.
//
// The kind of an option says in the help what it takes, and tells completion.cpp what to offer: choices with a bar
// between them, or a word in capital letters (ID, MODEL, FILE, FOLDER, N, …); "X,…" takes several with commas.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/error.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {

// What is wrong with an option, as an exception that CLI11 lets through.
class OptionError : public CLI::ValidationError {
 public:
  explicit OptionError(rooftile::Error wrong)
      : CLI::ValidationError(wrong.text(), CLI::ExitCodes::ValidationError), error(std::move(wrong)) {}
  rooftile::Error error;
};

// What `read`, a Result<Value>(option, text), makes of the text; for an error where CLI11 takes one.
template <class Value, class Read>
Value read_option(const std::string& option, const std::string& text, const Read& read) {
  Result<Value> value = read(option, text);
  if (!value) throw OptionError(value.error());
  return *std::move(value);
}

// The name that messages have: "--output" of "-o,--output", "--minimise" of "--minimise,--minimize".
inline std::string long_name(const std::string& names) {
  const std::size_t begin = names.find("--");
  return begin == std::string::npos ? names : names.substr(begin, names.find(',', begin) - begin);
}

// An option with one value.
template <class Value, class Read>
CLI::Option* add_value(CLI::App* app, const std::string& names, Value& value, const std::string& kind, Read read,
                       const std::string& help) {
  const std::string option = long_name(names);
  return app
      ->add_option_function<std::string>(
          names,
          [&value, option, read](const std::string& text) {
            using Read_value = typename decltype(read(option, text))::value_type;
            value = read_option<Read_value>(option, text, read);
          },
          help)
      ->type_name(kind);
}

// An option that may be given several times, each text of which `read`, a Result<void>(option, text), puts where it
// belongs.
template <class Read>
CLI::Option* add_each(CLI::App* app, const std::string& names, const std::string& kind, Read read,
                      const std::string& help) {
  return app
      ->add_option_function<std::vector<std::string>>(
          names,
          [option = long_name(names), read](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              if (Result<void> done = read(option, text); !done) throw OptionError(done.error());
            }
          },
          help)
      ->allow_extra_args(false)
      ->type_name(kind);
}

// A text as it is: a file, a name, a condition.
inline CLI::Option* add_text(CLI::App* app, const std::string& names, std::string& value, const std::string& kind,
                             const std::string& help) {
  return app->add_option(names, value, help)->type_name(kind);
}

// Several texts, one after the other or by naming the option again.
inline CLI::Option* add_texts(CLI::App* app, const std::string& names, std::vector<std::string>& values,
                              const std::string& kind, const std::string& help) {
  CLI::Option* option = app->add_option(names, values, help)->type_name(kind);
  return names.starts_with("-") ? option->allow_extra_args(false) : option;
}

// "a,b": names, each once.
CLI::Option* add_names(CLI::App* app, const std::string& names, std::vector<std::string>& values,
                       const std::string& kind, const std::string& help);

// A whole number from 1 to `most`.
template <class Count>
CLI::Option* add_count(CLI::App* app, const std::string& names, Count& value, std::int64_t most,
                       const std::string& help) {
  return add_value(
      app, names, value, "N",
      [most](const std::string& option, const std::string& text) -> Result<Count> {
        const std::int64_t count = TRY(parse_count(option, text, most));
        if constexpr (std::is_arithmetic_v<Count>) {
          return static_cast<Count>(count);
        } else {
          return static_cast<typename Count::value_type>(count);
        }
      },
      help);
}

// One of several values by name.
template <class Value>
struct Choice {
  std::string name;
  Value value;
};
template <class Value, class Place>
CLI::Option* add_choice(CLI::App* app, const std::string& names, Place& place, const std::vector<Choice<Value>>& known,
                        const std::string& help) {
  std::vector<std::string> all;
  for (const Choice<Value>& choice : known) all.push_back(choice.name);
  return add_value(
      app, names, place, fmt::format("{}", fmt::join(all, "|")),
      [known, all](const std::string& option, const std::string& text) -> Result<Value> {
        const auto name = TRY(parse_choice(option, text, all));
        return std::find_if(known.begin(), known.end(), [&](const auto& choice) { return choice.name == name; })->value;
      },
      help);
}

}  // namespace rooftile::cli
