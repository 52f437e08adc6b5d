#include "rooftile/gpu/fact_unit.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"

namespace rooftile {
namespace {

template <class Q>
Result<double> parse_as(std::string_view text) {
  return parse<Q>(text).map([](Q quantity) { return quantity.value(); });
}

template <class Q>
std::string print_as(double base_units) {
  return print(Q(base_units));
}

std::string print_plain(double number) { return fmt::format("{:.6g}", number); }

struct Row {
  std::string_view example;
  Result<double> (*parse)(std::string_view) = nullptr;  // null: the number stands alone in the file
  std::string (*print)(double) = print_plain;
};

// In the order of FactUnit.
constexpr std::array kRows = {
    Row{"\"GDDR5X\""},
    Row{"2017-04-06"},
    Row{"30"},
    Row{"0.95"},
    Row{"\"50 MiB\"", parse_as<Bytes>, print_as<Bytes>},
    Row{"\"1051 GB/s\"", parse_as<BytesPerSecond>, print_as<BytesPerSecond>},
    Row{"\"128 B/clk\"", parse_as<BytesPerCycle>, print_as<BytesPerCycle>},
    Row{"\"12.15 TFLOP/s\"", parse_as<FlopsPerSecond>, print_as<FlopsPerSecond>},
    Row{"\"256 FLOP/clk\"", parse_as<FlopsPerCycle>, print_as<FlopsPerCycle>},
    Row{"\"1.58 GHz\"", parse_as<Hertz>, print_as<Hertz>},
    Row{"\"486 cycles\"", parse_as<Cycles>, print_as<Cycles>},
    Row{"\"4.2 us\"", parse_as<Seconds>, print_as<Seconds>},
    Row{"\"250 W\"", parse_as<Watts>, print_as<Watts>},
    Row{"\"1199 USD\"", parse_as<Dollars>, print_as<Dollars>},
    Row{"\"3.06 USD/h\"", parse_as<DollarsPerSecond>, print_as<DollarsPerSecond>},
};

const Row& row_of(FactUnit unit) { return kRows[static_cast<std::size_t>(unit)]; }

}  // namespace

bool is_quantity(FactUnit unit) { return row_of(unit).parse != nullptr; }

std::string_view example_of(FactUnit unit) { return row_of(unit).example; }

Result<double> parse_quantity(FactUnit unit, std::string_view text) { return row_of(unit).parse(text); }

std::string print_number(FactUnit unit, double base_units) { return row_of(unit).print(base_units); }

}  // namespace rooftile
