#include "rooftile/validate/quantity.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/ops/pass_bytes.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"time", "l1", "l2", "dram", "launches"};

// Of a kernel that reads and writes the result of a convolution or GEMM.
Bytes bias_bytes(const LayerRow& row) {
  const Bytes element = size_of(row.precision);
  const Pass pass = passes_of(row.phase).front();
  if (const auto* conv = std::get_if<Conv>(&row.op)) return pass_bytes(*conv, element, pass).write * 2;
  if (const auto* gemm = std::get_if<Gemm>(&row.op)) return pass_bytes(*gemm, element, pass).write * 2;
  return {};
}

}  // namespace

std::string_view name_of(ComparedQuantity quantity) { return kNames[static_cast<std::size_t>(quantity)]; }

Result<ComparedQuantity> parse_quantity(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found != kNames.end()) return static_cast<ComparedQuantity>(found - kNames.begin());
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  return fail(ErrorCode::usage, fmt::format("unknown quantity '{}'{}", text, one_of(text, names)));
}

std::string_view unit_of(ComparedQuantity quantity) {
  switch (quantity) {
    case ComparedQuantity::time:
      return "s";
    case ComparedQuantity::l1:
    case ComparedQuantity::l2:
    case ComparedQuantity::dram:
      return "bytes";
    case ComparedQuantity::launches:
      return "launches";
  }
  return "";
}

Result<double> measured_value(const LayerRow& row, ComparedQuantity quantity) {
  const Measured& measured = row.measured;
  const auto counted = [](const auto& counter, const char* name) -> Result<double> {
    if (!counter) return fail(ErrorCode::not_found, fmt::format("no measured {}", name));
    if (!(*counter > Bytes(0))) return fail(ErrorCode::not_found, fmt::format("measured {} of zero", name));
    return counter->value();
  };
  switch (quantity) {
    case ComparedQuantity::time:
      if (!measured.time) return fail(ErrorCode::not_found, std::string(measured.untimed));
      if (!(*measured.time > measured.host_overhead)) {
        return fail(ErrorCode::not_found, "no time is left after host_overhead_us");
      }
      return (*measured.time - measured.host_overhead).value();
    case ComparedQuantity::l1:
      return counted(measured.l1, "L1 bytes");
    case ComparedQuantity::l2:
      return counted(measured.l2, "L2 bytes");
    case ComparedQuantity::dram:
      return counted(measured.dram, "DRAM bytes");
    case ComparedQuantity::launches:
      if (!measured.launches || *measured.launches <= 0) return fail(ErrorCode::not_found, "no measured launches");
      return *measured.launches;
  }
  return fail(ErrorCode::not_found, "nothing measured");
}

Compared compare(const LayerRow& row, const LayerEstimate& layer, ComparedQuantity quantity, double measured,
                 bool bias_kernel) {
  const Traffic& traffic = layer.traffic;
  const Bytes bias = bias_kernel ? bias_bytes(row) : Bytes(0);
  Compared result;
  result.measured = measured;
  switch (quantity) {
    case ComparedQuantity::time:
      result.predicted = layer.time.value();
      if (layer.time_low) result.low = layer.time_low->value();
      if (layer.time_high) result.high = layer.time_high->value();
      break;
    case ComparedQuantity::l1:
      result.predicted = (traffic.at_l1() + bias).value();
      break;
    case ComparedQuantity::l2:
      result.predicted = (traffic.at_l2() + bias).value();
      break;
    case ComparedQuantity::dram:
      result.predicted = (traffic.at_dram() + bias).value();
      break;
    case ComparedQuantity::launches:
      result.predicted = layer.kernels + (bias_kernel ? 1 : 0);
      break;
  }
  return result;
}

}  // namespace rooftile
