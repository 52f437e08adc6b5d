#include "rooftile/explore/optimise/limit.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <list>
#include <muParser.h>
#include <optional>
#include <string_view>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/explore/constraint.hpp"
#include "rooftile/explore/constraint_units.hpp"

namespace rooftile {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// The operators of an expression that stand in no bracket.
struct Operator {
  std::string_view text;
  std::size_t at = 0;
};
std::vector<Operator> outer_operators(std::string_view text) {
  constexpr std::array<std::string_view, 12> kOperators = {
      "and", "or", "&&", "||", "<=", ">=", "==", "!=", "<", ">", "?", ":"};
  std::vector<Operator> found;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    std::size_t length = 1;
    if (is_word(text[i])) {
      while (i + length < text.size() && is_word(text[i + length])) ++length;
    } else if (i + 1 < text.size() &&
               std::find(kOperators.begin(), kOperators.end(), text.substr(i, 2)) != kOperators.end()) {
      length = 2;
    }
    const std::string_view token = text.substr(i, length);
    if (depth == 0 && std::find(kOperators.begin(), kOperators.end(), token) != kOperators.end()) {
      found.push_back({token, i});
    }
    i += length;
  }
  return found;
}

// "a and b" as "a", "b"; what also says `or` or asks stays whole.
std::vector<std::string> parts_of(const std::string& expression) {
  const std::vector<Operator> operators = outer_operators(expression);
  const auto is_and = [](const Operator& o) { return o.text == "and" || o.text == "&&"; };
  if (std::any_of(operators.begin(), operators.end(), [](const Operator& o) {
        return o.text == "or" || o.text == "||" || o.text == "?" || o.text == ":";
      })) {
    return {expression};
  }
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (const Operator& o : operators) {
    if (!is_and(o)) continue;
    parts.push_back(trimmed(std::string_view(expression).substr(from, o.at - from)));
    from = o.at + o.text.size();
  }
  parts.push_back(trimmed(std::string_view(expression).substr(from)));
  return parts;
}

double both(double a, double b) { return a != 0 && b != 0 ? 1 : 0; }
double either(double a, double b) { return a != 0 || b != 0 ? 1 : 0; }

}  // namespace

struct Limits::Compiled {
  struct Limit {
    std::string text;
    std::vector<Metric> metrics;
    // With slack: what is to be less, and the bound. Without: an expression, and nothing.
    mu::Parser less;
    std::optional<mu::Parser> bound;
    bool strict = false;
    double scale = 1;
  };
  MetricValues values{};
  std::list<Limit> limits;  // their parsers refer to `values`

  mu::Parser parser(const std::string& text, Limit& limit) {
    mu::Parser result;
    result.DefineOprt("and", both, mu::prLAND, mu::oaLEFT, true);
    result.DefineOprt("or", either, mu::prLOR, mu::oaLEFT, true);
    for (std::size_t m = 0; m < kMetrics; ++m) {
      result.DefineVar(std::string(name_of(static_cast<Metric>(m))), &values[m]);
    }
    result.SetExpr(text);
    for (const auto& [name, place] : result.GetUsedVar()) {
      if (const auto metric = find_metric(name)) limit.metrics.push_back(*metric);
    }
    return result;
  }
};

Limits::Limits(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Limits::Limits(Limits&&) noexcept = default;
Limits& Limits::operator=(Limits&&) noexcept = default;
Limits::~Limits() = default;

Result<Limits> Limits::parse(const std::vector<std::string>& expressions) {
  TRY(Constraints::parse(expressions));
  auto compiled = std::make_unique<Compiled>();
  compiled->values.fill(1);
  for (const std::string& expression : expressions) {
    const std::vector<std::string> typed = parts_of(expression), parts = parts_of(TRY(in_base_units(expression)));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string& part = parts[i];
      Compiled::Limit& limit = compiled->limits.emplace_back();
      limit.text = typed[i];
      const std::vector<Operator> operators = outer_operators(part);
      const bool compares =
          operators.size() == 1 && (operators[0].text.front() == '<' || operators[0].text.front() == '>');
      try {
        if (compares) {
          const Operator& o = operators.front();
          const std::string left = trimmed(std::string_view(part).substr(0, o.at));
          const std::string right = trimmed(std::string_view(part).substr(o.at + o.text.size()));
          // "a >= b" is less written as -a <= -b: the bound stays on the right.
          const bool upwards = o.text.front() == '>';
          limit.less = compiled->parser(upwards ? "-(" + left + ")" : left, limit);
          limit.bound = compiled->parser(upwards ? "-(" + right + ")" : right, limit);
          limit.strict = o.text.size() == 1;
          limit.less.Eval();
          limit.bound->Eval();
        } else {
          limit.less = compiled->parser(part, limit);
          limit.less.Eval();
        }
      } catch (const mu::Parser::exception_type& error) {
        return fail(ErrorCode::bad_input, error.GetMsg(), "constraint \"" + part + "\"");
      }
    }
  }
  return Limits(std::move(compiled));
}

std::size_t Limits::size() const { return compiled_->limits.size(); }

const std::string& Limits::text(std::size_t limit) const {
  return std::next(compiled_->limits.begin(), static_cast<std::ptrdiff_t>(limit))->text;
}

bool Limits::has_slack(std::size_t limit) const {
  return std::next(compiled_->limits.begin(), static_cast<std::ptrdiff_t>(limit))->bound.has_value();
}

bool Limits::names(std::size_t limit, Metric metric) const {
  const auto& metrics = std::next(compiled_->limits.begin(), static_cast<std::ptrdiff_t>(limit))->metrics;
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

bool Limits::names(Metric metric) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (names(i, metric)) return true;
  }
  return false;
}

void Limits::set_scale(const MetricValues& base) {
  compiled_->values = base;
  for (Compiled::Limit& limit : compiled_->limits) {
    if (!limit.bound) continue;
    limit.scale = 1;
    for (mu::Parser* side : {&*limit.bound, &limit.less}) {
      const double size = std::abs(side->Eval());
      if (!std::isfinite(size) || size == 0) continue;
      limit.scale = size;
      break;
    }
  }
}

void Limits::excess(const MetricValues& values, std::vector<double>& result) {
  compiled_->values = values;
  result.clear();
  constexpr double kJust = 1e-12;  // beyond a bound that was met but had to be passed
  for (Compiled::Limit& limit : compiled_->limits) {
    double excess = std::numeric_limits<double>::infinity();
    try {
      if (limit.bound) {
        excess = (limit.less.Eval() - limit.bound->Eval()) / limit.scale;
        if (limit.strict && excess == 0) excess = kJust;
      } else {
        const double value = limit.less.Eval();
        excess = value != 0 && value == value ? -1 : 1;
      }
    } catch (const mu::Parser::exception_type&) {  // cannot be computed
    }
    result.push_back(excess == excess ? excess : std::numeric_limits<double>::infinity());
  }
}

}  // namespace rooftile
