#include "rooftile/explore/constraint.hpp"

#include <cctype>
#include <list>
#include <muParser.h>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/error/nearest.hpp"
#include "rooftile/error/one_line.hpp"

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

Error refused(const std::string& expression, const mu::Parser::exception_type& error) {
  const std::string text = one_line(expression);
  const bool unknown = error.GetCode() == mu::ecUNASSIGNABLE_TOKEN;
  const std::string message = unknown ? fmt::format("unknown name '{}'{}", one_line(error.GetToken()),
                                                    did_you_mean(error.GetToken(), parameter_names()))
                                      : one_line(error.GetMsg());
  return {ErrorCode::bad_input, message, fmt::format("constraint \"{}\"", text)};
}

}  // namespace

struct Constraints::Compiled {
  DesignPoint point{};
  std::list<mu::Parser> parsers;  // each refers to `point`
};

Constraints::Constraints(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Constraints::Constraints(Constraints&&) noexcept = default;
Constraints& Constraints::operator=(Constraints&&) noexcept = default;
Constraints::~Constraints() = default;

Result<Constraints> Constraints::parse(const std::vector<std::string>& expressions) {
  auto compiled = std::make_unique<Compiled>();
  compiled->point.fill(1);
  for (const std::string& expression : expressions) {
    const std::string where = fmt::format("constraint \"{}\"", one_line(expression));
    if (expression.size() > kLongest) return fail(ErrorCode::bad_input, "longer than 1000 characters", where);
    if (assigns(expression)) return fail(ErrorCode::bad_input, "'=' assigns; write '==' to compare", where);
    try {
      mu::Parser& parser = compiled->parsers.emplace_back();
      for (std::size_t p = 0; p < kParameters; ++p) {
        parser.DefineVar(std::string(parameters()[p].name), &compiled->point[p]);
      }
      parser.SetExpr(with_symbols(expression));
      parser.Eval();
    } catch (const mu::Parser::exception_type& error) {
      return tl::unexpected(refused(expression, error));
    }
  }
  return Constraints(std::move(compiled));
}

void Constraints::apply(const DesignBlock& block, OutcomeBlock& outcome) {
  if (compiled_->parsers.empty()) return;
  for (std::size_t i = 0; i < block.count; ++i) {
    compiled_->point = block.point(i);
    for (mu::Parser& parser : compiled_->parsers) {
      double value = 0;
      try {
        value = parser.Eval();
      } catch (const mu::Parser::exception_type&) {  // an evaluation that fails is no yes
        value = 0;
      }
      if (value == 0 || value != value) {
        outcome.unfit[i] = Unfit::constraint;
        break;
      }
    }
  }
}

}  // namespace rooftile
