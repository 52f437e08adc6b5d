#include "rooftile/explore/constraint.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <list>
#include <muParser.h>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/explore/constraint_units.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kLongest = 1000;  // characters of an expression

// `and` and `or` as muParser writes them; they are no names of parameters.
std::string with_symbols(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto is_word = [&](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    if (!is_word(i)) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (is_word(end)) ++end;
    const std::string_view word = text.substr(i, end - i);
    result += word == "and" ? "&&" : (word == "or" ? "||" : word);
    i = end;
  }
  return result;
}

// A lone '=' assigns in muParser.
bool assigns(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    const bool compared = i > 0 && (text[i - 1] == '<' || text[i - 1] == '>' || text[i - 1] == '!');
    if (!compared) return true;
  }
  return false;
}

ConstraintStage stage_of(Metric metric) {
  if (as_parameter(metric)) return ConstraintStage::parameters;
  const bool timed = metric == Metric::time || metric == Metric::energy;
  return timed ? ConstraintStage::times : ConstraintStage::costs;
}

std::string unknown_name(const std::string& name) {
  std::string help = did_you_mean(name, metric_names());
  if (help.empty()) help = fmt::format("; one of {}", fmt::join(metric_names(), ", "));
  return fmt::format("unknown name '{}'{}", one_line(name), help);
}

Error refused(const std::string& expression, const mu::Parser::exception_type& error) {
  const std::string text = one_line(expression);
  const bool unknown = error.GetCode() == mu::ecUNASSIGNABLE_TOKEN;
  const std::string message = unknown ? unknown_name(error.GetToken()) : one_line(error.GetMsg());
  return {ErrorCode::bad_input, message, fmt::format("constraint \"{}\"", text)};
}

}  // namespace

struct Constraints::Compiled {
  struct Expression {
    mu::Parser parser;  // refers to `values`
    std::vector<Metric> metrics;
    ConstraintStage stage = ConstraintStage::parameters;
  };
  std::array<double, kMetrics> values{};
  std::list<Expression> expressions;
};

Constraints::Constraints(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Constraints::Constraints(Constraints&&) noexcept = default;
Constraints& Constraints::operator=(Constraints&&) noexcept = default;
Constraints::~Constraints() = default;

Result<Constraints> Constraints::parse(const std::vector<std::string>& expressions) {
  auto compiled = std::make_unique<Compiled>();
  compiled->values.fill(1);
  for (const std::string& text : expressions) {
    const std::string where = fmt::format("constraint \"{}\"", one_line(text));
    if (text.size() > kLongest) return fail(ErrorCode::bad_input, "longer than 1000 characters", where);
    if (assigns(text)) return fail(ErrorCode::bad_input, "'=' assigns; write '==' to compare", where);
    const auto plain = in_base_units(text);
    if (!plain) return fail(plain.error().code, plain.error().message, where);
    try {
      Compiled::Expression& expression = compiled->expressions.emplace_back();
      for (std::size_t m = 0; m < kMetrics; ++m) {
        expression.parser.DefineVar(std::string(name_of(static_cast<Metric>(m))), &compiled->values[m]);
      }
      expression.parser.SetExpr(with_symbols(*plain));
      expression.parser.Eval();
      for (const auto& [name, place] : expression.parser.GetUsedVar()) {
        expression.metrics.push_back(*find_metric(name));
        expression.stage = std::max(expression.stage, stage_of(expression.metrics.back()));
      }
    } catch (const mu::Parser::exception_type& error) {
      return tl::unexpected(refused(text, error));
    }
  }
  return Constraints(std::move(compiled));
}

std::vector<Metric> Constraints::metrics() const {
  std::vector<Metric> all;
  for (const Compiled::Expression& expression : compiled_->expressions) {
    all.insert(all.end(), expression.metrics.begin(), expression.metrics.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void Constraints::apply(ConstraintStage stage, const DesignBlock& block, OutcomeBlock& outcome) {
  for (Compiled::Expression& expression : compiled_->expressions) {
    if (expression.stage != stage) continue;
    for (std::size_t i = 0; i < block.count; ++i) {
      if (outcome.unfit[i] != Unfit::none) continue;
      for (const Metric metric : expression.metrics) {
        compiled_->values[static_cast<std::size_t>(metric)] = column_of(metric, block, outcome)[i];
      }
      double value = 0;
      try {
        value = expression.parser.Eval();
      } catch (const mu::Parser::exception_type&) {  // an evaluation that fails is no yes
        value = 0;
      }
      if (value == 0 || value != value) outcome.unfit[i] = Unfit::constraint;
    }
  }
}

}  // namespace rooftile
