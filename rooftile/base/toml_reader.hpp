// What every reader of TOML that people write has in common: bounds on the text, errors with line and column, texts,
// sources, and facts that name their source. Include this only in a .cpp file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/toml.hpp"

namespace rooftile {

// `what` is what the text should be, "a GPU file". Errors: larger than 1 MiB, more dots and brackets than any such
// file, not TOML.
Result<toml::table> parse_toml(std::string_view toml, std::string_view where, std::string_view what);

// Reads parts of one file. The reader of a kind of file derives from it.
class TomlReader {
 public:
  explicit TomlReader(std::string_view where) : where_(where) {}  // the name of the file; must outlive this

  // "mine.toml:3:8"
  std::string place(const toml::source_region& region) const;

  tl::unexpected<Error> error(const toml::source_region& region, std::string message) const;

  // "unknown key 'clok' in [core]; did you mean 'clock'?", or the list where nothing is near.
  tl::unexpected<Error> unknown(const toml::key& key, std::string_view in, const std::vector<std::string>& known) const;

  // A text in quotes, not empty, without control characters. `what` names it in errors.
  Result<std::string> words(const toml::node& node, std::string_view what) const;

  // The place in `known` of a text. Error: it is none of them, which are then listed.
  Result<std::size_t> choice(const toml::node& node, std::string_view what,
                             const std::vector<std::string>& known) const;

  // [sources] of `root`, where it has one: a text for each key.
  Result<void> read_sources(const toml::table& root);

  // The text of the source that `node` names.
  Result<std::string> source_of(const toml::node& node) const;

  // { value = …, source = "key", kind = "measured", note = "…" } into `fact`, which has its key, a source, a kind and a
  // note; a value it must have, and a source unless `fact` comes with one. `read_value` reads what stands behind
  // "value"; `example` is such a value; the kinds are the first `kinds` of their enumeration.
  template <class Fact, class ReadValue>
  Result<void> read_fact(const toml::node& node, std::string_view example, std::size_t kinds, Fact& fact,
                         const ReadValue& read_value) const;

 private:
  tl::unexpected<Error> not_a_fact(const toml::node& node, std::string_view key, std::string_view example) const;
  Result<void> check_fact(const toml::table& table, std::string_view key, std::string_view source) const;

  std::string_view where_;
  std::vector<std::pair<std::string, std::string>> sources_;
};

template <class Fact, class ReadValue>
Result<void> TomlReader::read_fact(const toml::node& node, std::string_view example, std::size_t kinds, Fact& fact,
                                   const ReadValue& read_value) const {
  using Kind = decltype(fact.kind);
  const auto* table = node.as_table();
  if (table == nullptr) return not_a_fact(node, fact.key, example);
  for (auto&& [name, part] : *table) {
    Result<void> done;
    if (name.str() == "value") {
      done = read_value(part);
    } else if (name.str() == "source") {
      done = source_of(part).map([&](const std::string& text) { fact.source = text; });
    } else if (name.str() == "kind") {
      std::vector<std::string> known;
      for (std::size_t i = 0; i < kinds; ++i) known.emplace_back(name_of(static_cast<Kind>(i)));
      done = choice(part, "kind", known).map([&](std::size_t which) { fact.kind = static_cast<Kind>(which); });
    } else if (name.str() == "note") {
      done = words(part, "note").map([&](const std::string& text) { fact.note = text; });
    } else {
      return unknown(name, " of " + fact.key, {"value", "source", "kind", "note"});
    }
    if (!done) return done;
  }
  return check_fact(*table, fact.key, fact.source);
}

}  // namespace rooftile
