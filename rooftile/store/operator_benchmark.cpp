// What PyTorch's operator benchmark prints (github.com/pytorch/pytorch, benchmarks/operator_benchmark):
//
//   # Name: addmm_M64_N64_K128_cuda
//   # Input: M: 64, N: 64, K: 128, device: cuda, dtype: torch.float32
//   Forward Execution Time (us) : 12.345
//
// The letters mean what the tests there make of them: matmul and addmm multiply [M,N] by [N,K], bmm [M,K] by [K,N].
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/store/benchmark_rows.hpp"
#include "rooftile/store/text_lines.hpp"

namespace rooftile::store {
namespace {

using Input = std::map<std::string, std::string>;

Input input_of(std::string_view text) {
  Input input;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size());
    const std::string_view item = text.substr(0, end);
    const std::size_t colon = item.find(": ");
    if (colon != std::string_view::npos) {
      input.emplace(trimmed(item.substr(0, colon)), trimmed(item.substr(colon + 2)));
    }
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return input;
}

std::string value(const Input& input, const char* name, const char* other_name = "") {
  for (const char* key : {name, other_name}) {
    if (const auto found = input.find(key); found != input.end()) return found->second;
  }
  return {};
}

bool has_all(const Input& input, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string number = value(input, name);
    if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) return false;
  }
  return true;
}

// Empty where no precision of tables is meant.
std::string precision_of(const Input& input) {
  static const std::map<std::string, std::string> kPrecisions = {{"torch.float", "fp32"},    {"torch.float32", "fp32"},
                                                                 {"torch.half", "fp16"},     {"torch.float16", "fp16"},
                                                                 {"torch.bfloat16", "bf16"}, {"torch.int8", "int8"}};
  const auto found = kPrecisions.find(value(input, "dtype"));
  return found == kPrecisions.end() ? "" : found->second;
}

struct Case {
  std::string name;
  Input input;
};

void add_gemm(BenchmarkRows& rows, std::size_t line, const Case& test, const std::string& time) {
  const Input& in = test.input;
  const bool batched = test.name.starts_with("bmm");
  // An operand that was made transposed lies in memory the other way round.
  const auto stored = [&](const char* flag) { return value(in, flag) == "False" ? "T" : "N"; };
  rows.add(line, {{"op", "gemm"},
                  {"kind", batched ? "bmm" : std::string(test.name.substr(0, test.name.find('_')))},
                  {"name", test.name},
                  {"framework", "PyTorch"},
                  {"precision", precision_of(in)},
                  {"batch", batched ? value(in, "B") : "1"},
                  {"M", value(in, "M")},
                  {"N", value(in, batched ? "N" : "K")},
                  {"K", value(in, batched ? "K" : "N")},
                  {"transA", stored("trans_a")},
                  {"transB", stored("trans_b")},
                  {"time_us", time}});
}

void add_linear(BenchmarkRows& rows, std::size_t line, const Case& test, const std::string& time) {
  rows.add(line, {{"op", "gemm"},
                  {"kind", "linear"},
                  {"name", test.name},
                  {"framework", "PyTorch"},
                  {"precision", precision_of(test.input)},
                  {"batch", "1"},
                  {"M", value(test.input, "N")},
                  {"N", value(test.input, "OUT")},
                  {"K", value(test.input, "IN")},
                  {"transA", "N"},
                  {"transB", "T"},
                  {"time_us", time}});
}

void add_conv(BenchmarkRows& rows, std::size_t line, const Case& test, const std::string& time) {
  const Input& in = test.input;
  const std::string pad = value(in, "pad").empty() ? "0" : value(in, "pad");
  rows.add(line, {{"op", "conv"},
                  {"name", test.name},
                  {"framework", "PyTorch"},
                  {"precision", precision_of(in)},
                  {"pass", "fwd"},
                  {"N", value(in, "N")},
                  {"C", value(in, "IC", "in_c")},
                  {"H", value(in, "H")},
                  {"W", value(in, "W")},
                  {"K", value(in, "OC", "out_c")},
                  {"R", value(in, "kernel")},
                  {"S", value(in, "kernel")},
                  {"pad_h", pad},
                  {"pad_w", pad},
                  {"stride_h", value(in, "stride")},
                  {"stride_w", value(in, "stride")},
                  {"groups", value(in, "G")},
                  {"time_us", time}});
}

void add(BenchmarkRows& rows, std::size_t line, const Case& test, bool backward, const std::string& time) {
  const Input& in = test.input;
  const auto is = [&](const char* module) { return !backward && test.name.starts_with(module); };
  const bool conv = has_all(in, {"kernel", "stride", "N", "H", "W"});
  const bool one = (is("matmul_") || is("addmm_")) && has_all(in, {"M", "N", "K"});
  const bool batched = is("bmm") && has_all(in, {"B", "M", "N", "K"});
  if (one || batched) {
    add_gemm(rows, line, test, time);
  } else if (is("linear_") && has_all(in, {"N", "IN", "OUT"})) {
    add_linear(rows, line, test, time);
  } else if (is("Conv2d_") && conv && (has_all(in, {"IC", "OC"}) || has_all(in, {"in_c", "out_c"}))) {
    add_conv(rows, line, test, time);
  } else {
    rows.add(line, {{"op", "benchmark"},
                    {"name", test.name},
                    {"framework", "PyTorch"},
                    {"precision", precision_of(in)},
                    {"pass", backward ? "bwd" : "fwd"},
                    {"time_us", time}});
  }
}

}  // namespace

Result<ForeignRows> read_operator_benchmark(std::string_view text, std::string_view where) {
  BenchmarkRows rows("PyTorch operator benchmark text");
  TextLines lines(text);
  Case test;
  constexpr std::string_view kName = "# Name: ", kInput = "# Input: ", kTime = " Execution Time (us) :";
  while (const auto line = lines.next()) {
    const std::size_t at = line->find(kTime);
    if (line->starts_with(kName)) {
      test = {one_line(line->substr(kName.size())), {}};
    } else if (line->starts_with(kInput)) {
      test.input = input_of(line->substr(kInput.size()));
    } else if (at != std::string_view::npos) {
      const std::string_view number = trimmed(line->substr(at + kTime.size()));
      std::string_view rest = number;
      if (take_number<double>(rest).value_or(0) <= 0) {
        rows.leave_out("no time of " + test.name);
      } else if (value(test.input, "device") == "cpu") {
        rows.leave_out(test.name + " ran on the CPU");
      } else {
        add(rows, lines.number(), test, line->substr(0, at).ends_with("Backward"), std::string(number));
      }
    }
  }
  return rows.finish(where);
}

}  // namespace rooftile::store
