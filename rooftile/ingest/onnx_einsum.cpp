#include "rooftile/ingest/onnx_einsum.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

struct Equation {
  std::string a, b, result;
};

constexpr std::string_view kEllipsis = "...";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_label(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// How many dimensions of an operand "..." stands for.
std::size_t unnamed_dims(const std::string& term, std::size_t rank) {
  if (term.find(kEllipsis) == std::string::npos) return 0;
  const std::size_t named = term.size() - kEllipsis.size();
  return rank > named ? rank - named : 0;
}

// A digit for each dimension that "..." stands for, 0 for the last: those of two operands are aligned at their ends.
std::string name_dims(std::string term, std::size_t dims) {
  const std::size_t at = term.find(kEllipsis);
  if (at == std::string::npos) return term;
  std::string digits;
  for (std::size_t left = dims; left > 0; --left) digits += static_cast<char>('0' + left - 1);
  return term.replace(at, kEllipsis.size(), digits);
}

bool are_labels(const std::string& term) {
  return std::all_of(term.begin(), term.end(), is_label) &&
         std::all_of(term.begin(), term.end(), [&](char c) { return std::count(term.begin(), term.end(), c) == 1; });
}

bool has(const std::string& term, char label) { return term.find(label) != std::string::npos; }

Result<Equation> parse(const std::string& written, std::size_t rank_a, std::size_t rank_b) {
  std::string text;
  for (const char c : written) {
    if (c != ' ') text += c;
  }
  const std::size_t comma = text.find(','), arrow = text.find("->");
  const auto unsupported = [&] {
    return fail(ErrorCode::unsupported,
                fmt::format("the equation '{}' is not a product of two operands with distinct letters and a result",
                            one_line(written, 100)));
  };
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) return unsupported();
  if (std::any_of(text.begin(), text.end(), is_digit)) return unsupported();
  Equation equation = {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
  const std::size_t of_a = unnamed_dims(equation.a, rank_a), of_b = unnamed_dims(equation.b, rank_b);
  equation = {name_dims(equation.a, of_a), name_dims(equation.b, of_b),
              name_dims(equation.result, std::max(of_a, of_b))};
  if (!are_labels(equation.a) || !are_labels(equation.b) || !are_labels(equation.result)) return unsupported();
  for (const char label : equation.a + equation.b) {
    // A letter of one operand that the result has not is summed on its own first.
    const bool kept = has(equation.result, label) || (has(equation.a, label) && has(equation.b, label));
    if (!kept) return unsupported();
  }
  for (const char label : equation.result) {
    if (!has(equation.a + equation.b, label)) return unsupported();
  }
  return equation;
}

}  // namespace

Result<Einsum> read_einsum(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.inputs.size() != 2 || node.input(0) == kAbsent || node.input(1) == kAbsent) {
    return bad_input("does not have the two operands of its equation");
  }
  const std::size_t rank_a = graph.shape(node.inputs[0]).size(), rank_b = graph.shape(node.inputs[1]).size();
  const auto equation = TRY(parse(node.get_string("equation", ""), rank_a, rank_b));
  std::map<char, std::int64_t> sizes;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const std::string& labels = i == 0 ? equation.a : equation.b;
    const Shape& shape = graph.shape(node.inputs[i]);
    if (labels.size() != shape.size()) return bad_input(fmt::format("'{}' does not fit {}", labels, print(shape)));
    for (std::size_t k = 0; k < labels.size(); ++k) {
      const auto [found, fresh] = sizes.try_emplace(labels[k], shape[k]);
      if (!fresh && found->second != shape[k]) {
        return bad_input(fmt::format("'{}' is both {} and {}", labels[k], found->second, shape[k]));
      }
    }
  }
  Einsum einsum;
  std::string columns, summed;
  double products = 1;
  for (const auto& [label, size] : sizes) {
    products *= static_cast<double>(size);
    if (products > kMaxMacs || size < 1) return bad_input("too many multiply-accumulates");
  }
  double batch = 1, m = 1, n = 1, k = 1;
  for (const auto& [label, size] : sizes) {
    const bool in_a = has(equation.a, label), in_b = has(equation.b, label), in_result = has(equation.result, label);
    double& extent = !in_result ? k : in_a && in_b ? batch : in_a ? m : n;
    extent *= static_cast<double>(size);
    if (!in_result) summed += label;
    if (in_result && !in_a) columns += label;
  }
  if (std::max({batch, m, n, k}) > kMaxElements) return bad_input("too many elements");
  einsum.gemm = {.batch = static_cast<std::int64_t>(batch),
                 .m = static_cast<std::int64_t>(m),
                 .n = static_cast<std::int64_t>(n),
                 .k = static_cast<std::int64_t>(k)};
  const auto last_is = [](const std::string& operand, const std::string& labels) {
    return !operand.empty() && has(labels, operand.back());
  };
  einsum.gemm.trans_a = !summed.empty() && !last_is(equation.a, summed);
  einsum.gemm.trans_b = !columns.empty() && last_is(equation.b, summed);
  for (const char label : equation.result) einsum.output.push_back(sizes.at(label));
  return einsum;
}

Result<OpKind> make_einsum(const OnnxGraph& graph, const OnnxNode& node) {
  const auto einsum = TRY(read_einsum(graph, node));
  return einsum.gemm;
}

}  // namespace rooftile
