#include "rooftile/report/explain_section.hpp"

#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

template <class Q>
void read_as(ExplainedCell& cell) {
  const auto quantity = parse<Q>(cell.text);
  if (!quantity) return;
  cell.value = quantity->value();
  cell.unit = base_unit<Q>();
}

}  // namespace

ExplainedCell cell_of(std::string text) { return {std::move(text)}; }
ExplainedCell cell_of(double number) { return {grouped(number), number}; }
ExplainedCell cell_of(Bytes bytes) { return {fmt::format("{} B", grouped(bytes.value())), bytes.value(), "B"}; }

Section::Section(std::string name)
    : Section(std::move(name), {{"equation", "", Role::equation},
                                {"symbol", "", Role::name},
                                {"quantity", "", Role::quantity, Align::right},
                                {"meaning", "", Role::meaning}}) {}

void Section::add_case(std::string_view equation, Bottleneck which, Bottleneck limit, Seconds time,
                       std::string meaning) {
  add(equation, name_of(which), time, std::move(meaning));
  rows.back().marked = which == limit;
}

Bytes whole_bytes(Bytes bytes) { return Bytes(std::round(bytes.value())); }

ExplainedCell cell_of(const Fact& fact) {
  ExplainedCell cell{fact.text, parse_number(fact.text)};
  // A text is of one dimension at most.
  read_as<Bytes>(cell);
  read_as<BytesPerSecond>(cell);
  read_as<BytesPerCycle>(cell);
  read_as<FlopsPerSecond>(cell);
  read_as<Seconds>(cell);
  read_as<Cycles>(cell);
  read_as<Hertz>(cell);
  read_as<Watts>(cell);
  return cell;
}

ExplainedCell cell_of(const ConstantInfo& info, double value) {
  struct Prefixed {
    std::string_view unit;
    double base_units;
    std::string_view base;
  };
  constexpr Prefixed kPrefixed[] = {{"us", 1e-6, "s"}, {"pJ", 1e-12, "J"}};
  for (const Prefixed& known : kPrefixed) {
    if (info.unit == known.unit) return {grouped(value), value * known.base_units, std::string(known.base)};
  }
  return {grouped(value), value, std::string(info.unit)};
}

Section constants_list(std::string title, KernelFamily family, const Constants& constants) {
  Section section(std::move(title));
  const std::span<const ConstantInfo> infos = constant_table(family);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    section.add("", infos[i].name, cell_of(infos[i], constants.values[i]), std::string(infos[i].meaning));
  }
  return section;
}

}  // namespace rooftile
