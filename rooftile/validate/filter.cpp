#include "rooftile/validate/filter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/validate/column_number.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kMaxDepth = 200;        // of parentheses and negations: the parser recurses
constexpr std::size_t kMaxConditions = 1000;  // each joint is a step deeper when rows are matched

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_operator(char c) { return c == '=' || c == '!' || c == '<' || c == '>'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool ends_word(char c) { return is_blank(c) || is_operator(c) || is_quote(c) || c == '(' || c == ')'; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

// Recursive descent over the text; the first error ends it.
class FilterParser {
 public:
  explicit FilterParser(std::string_view text) : text_(text) {}

  Result<Filter> parse() {
    const auto root = TRY(disjunction(0));
    skip_blanks();
    if (at_ < text_.size()) return expected("'and', 'or' or the end");
    filter_.root_ = root;
    filter_.text_ = text_;
    return std::move(filter_);
  }

 private:
  using Node = Filter::Node;
  using Kind = Filter::Kind;
  using Relation = Filter::Relation;

  tl::unexpected<Error> expected(const std::string& what) const {
    const std::string found =
        at_ < text_.size() ? fmt::format("not '{}'", one_line(text_.substr(at_), 20)) : "but the condition ends";
    return fail(ErrorCode::usage, fmt::format("expected {}, {}", what, found), fmt::format("character {}", at_ + 1));
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  // The word that begins here; empty if none does.
  std::string_view word() {
    skip_blanks();
    std::size_t end = at_;
    while (end < text_.size() && !ends_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  bool take_word(std::string_view wanted) {
    if (!same_word(word(), wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::size_t add(Node node) {
    filter_.nodes_.push_back(std::move(node));
    return filter_.nodes_.size() - 1;
  }

  // Nodes joined by `joint`, each read by `operand`.
  Result<std::size_t> joined(std::size_t depth, std::string_view joint, Kind kind,
                             Result<std::size_t> (FilterParser::*operand)(std::size_t)) {
    auto left = (this->*operand)(depth);
    while (left && take_word(joint)) {
      const auto right = TRY((this->*operand)(depth));
      Node node;
      node.kind = kind;
      node.left = *left;
      node.right = right;
      left = add(std::move(node));
    }
    return left;
  }

  Result<std::size_t> disjunction(std::size_t depth) {
    return joined(depth, "or", Kind::disjunction, &FilterParser::conjunction);
  }

  Result<std::size_t> conjunction(std::size_t depth) {
    return joined(depth, "and", Kind::conjunction, &FilterParser::term);
  }

  Result<std::size_t> term(std::size_t depth) {
    if (depth > kMaxDepth) return fail(ErrorCode::usage, "nested too deeply", fmt::format("character {}", at_ + 1));
    if (take_word("not")) {
      const auto inner = TRY(term(depth + 1));
      Node node;
      node.kind = Kind::negation;
      node.left = inner;
      return add(std::move(node));
    }
    if (take('(')) {
      auto inner = disjunction(depth + 1);
      if (inner && !take(')')) return expected("')'");
      return inner;
    }
    return condition();
  }

  Result<std::size_t> condition() {
    const std::string_view column = word();
    const bool keyword = same_word(column, "and") || same_word(column, "or");
    if (column.empty() || keyword) return expected("a column");
    if (filter_.columns_.size() == kMaxConditions) {
      return fail(ErrorCode::usage, fmt::format("more than {} conditions", kMaxConditions),
                  fmt::format("character {}", at_ + 1));
    }
    Node node;
    node.column = filter_.columns_.size();
    filter_.columns_.push_back({std::string(column), at_ + 1});
    at_ += column.size();
    if (ends_condition()) {
      node.relation = Relation::yes;
      filter_.columns_.back().alone = true;
      return add(std::move(node));
    }
    node.relation = TRY(read_relation());
    skip_blanks();
    const std::size_t place = at_;
    node.value = TRY(read_value());
    node.number = TRY(number_at(place, column, node.value));
    const bool ordered = node.relation != Relation::equal && node.relation != Relation::unequal;
    if (ordered && !node.number) {
      return fail(ErrorCode::usage, fmt::format("<, <=, > and >= take a number, not '{}'", one_line(node.value)),
                  fmt::format("character {}", place + 1));
    }
    return add(std::move(node));
  }

  // Whether nothing follows that a column could be compared with.
  bool ends_condition() {
    const std::string_view next = word();
    return at_ >= text_.size() || text_[at_] == ')' || same_word(next, "and") || same_word(next, "or");
  }

  Result<Relation> read_relation() {
    struct Sign {
      std::string_view text;
      Relation relation;
    };
    // Longer signs first.
    constexpr std::array kSigns = {Sign{"!=", Relation::unequal},  Sign{"<=", Relation::at_most},
                                   Sign{">=", Relation::at_least}, Sign{"==", Relation::equal},
                                   Sign{"=", Relation::equal},     Sign{"<", Relation::less},
                                   Sign{">", Relation::more}};
    skip_blanks();
    for (const Sign& sign : kSigns) {
      if (!text_.substr(at_).starts_with(sign.text)) continue;
      at_ += sign.text.size();
      return sign.relation;
    }
    return expected("=, !=, <, <=, > or >=");
  }

  Result<std::string> read_value() {
    skip_blanks();
    if (at_ < text_.size() && is_quote(text_[at_])) {
      const std::size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) {
        return fail(ErrorCode::usage, "unclosed quote", fmt::format("character {}", at_ + 1));
      }
      std::string value(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return value;
    }
    std::string value(word());
    if (value.empty()) return expected("a number, a word or quoted text");
    at_ += value.size();
    return value;
  }

  // The number that `value` is to the column, if it is one; a unit may follow behind a blank.
  Result<std::optional<double>> number_at(std::size_t place, std::string_view column, const std::string& value) {
    const auto read = [&](const std::string& text) -> Result<std::optional<double>> {
      auto number = number_of_column(column, text);
      if (number) return number;
      return fail(ErrorCode::usage, number.error().message, fmt::format("character {}", place + 1));
    };
    if (parse_number(value) && !ends_condition()) {
      const std::string_view unit = word();
      const auto number = unit.empty() ? std::nullopt : TRY(read(fmt::format("{} {}", value, unit)));
      if (number) {
        at_ += unit.size();
        return number;
      }
    }
    return read(value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Filter filter_;
};

Result<Filter> Filter::parse(std::string_view text) { return FilterParser(text).parse(); }

bool Filter::holds(const Node& node, std::string_view text) {
  const std::optional<double> number = node.number ? parse_number(text) : std::nullopt;
  const bool numbers = number.has_value();
  switch (node.relation) {
    case Relation::yes:
      return !text.empty() && text != "0" && !same_word(text, "no") && !same_word(text, "false");
    case Relation::equal:
      return numbers ? *number == *node.number : text == node.value;
    case Relation::unequal:
      return numbers ? *number != *node.number : text != node.value;
    case Relation::less:
      return numbers && *number < *node.number;
    case Relation::at_most:
      return numbers && *number <= *node.number;
    case Relation::more:
      return numbers && *number > *node.number;
    case Relation::at_least:
      return numbers && *number >= *node.number;
  }
  return false;
}

bool Filter::matches(const Node& node, const Cell& cell) const {
  switch (node.kind) {
    case Kind::condition:
      return holds(node, cell(columns_[node.column].column));
    case Kind::negation:
      return !matches(nodes_[node.left], cell);
    case Kind::conjunction:
      return matches(nodes_[node.left], cell) && matches(nodes_[node.right], cell);
    case Kind::disjunction:
      return matches(nodes_[node.left], cell) || matches(nodes_[node.right], cell);
  }
  return false;
}

std::optional<bool> Filter::decided(const Node& node, const KnownCell& known) const {
  if (node.kind == Kind::condition) {
    const auto text = known(columns_[node.column].column);
    return text ? std::optional(holds(node, *text)) : std::nullopt;
  }
  const auto left = decided(nodes_[node.left], known);
  if (node.kind == Kind::negation) return left ? std::optional(!*left) : std::nullopt;
  // Either side alone decides if it is false in a conjunction, true in a disjunction; else both are needed.
  const bool alone = node.kind == Kind::disjunction;
  const auto right = decided(nodes_[node.right], known);
  if (left == alone || right == alone) return alone;
  return left && right ? std::optional(!alone) : std::nullopt;
}

bool Filter::may_match(const KnownCell& known) const {
  return nodes_.empty() || decided(nodes_[root_], known).value_or(true);
}

bool Filter::matches(const Cell& cell) const { return nodes_.empty() || matches(nodes_[root_], cell); }

}  // namespace rooftile
