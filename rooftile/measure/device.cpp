#include "rooftile/measure/device.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "rooftile/error/nearest.hpp"
#include "rooftile/error/one_line.hpp"
#include "rooftile/gpu/toml.hpp"
#include "rooftile/measure/toml_text.hpp"

namespace rooftile::measure {
namespace {

struct TextField {
  std::string_view key;
  std::string Device::*field = nullptr;
};
constexpr std::array kTexts = {
    TextField{"name", &Device::name},     TextField{"compute_capability", &Device::compute_capability},
    TextField{"driver", &Device::driver}, TextField{"cuda", &Device::cuda},
    TextField{"cudnn", &Device::cudnn},   TextField{"cublas", &Device::cublas},
    TextField{"date", &Device::date},
};

struct NumberField {
  std::string_view key;
  double (*get)(const Device&) = nullptr;
  void (*set)(Device&, double) = nullptr;
};

// A field that is a plain number, or a quantity in base units.
template <auto field>
constexpr NumberField number_field(std::string_view key) {
  using Value = std::remove_reference_t<decltype(std::declval<Device&>().*field)>;
  if constexpr (std::is_same_v<Value, double>) {
    return {key, [](const Device& device) { return device.*field; },
            [](Device& device, double value) { device.*field = value; }};
  } else {
    return {key, [](const Device& device) { return (device.*field).value(); },
            [](Device& device, double value) { device.*field = Value(value); }};
  }
}
constexpr std::array kNumbers = {
    number_field<&Device::sm_count>("sm_count"),
    number_field<&Device::clock>("clock_hz"),
    number_field<&Device::memory_clock>("memory_clock_hz"),
    number_field<&Device::bus_bits>("bus_bits"),
    number_field<&Device::memory>("memory_bytes"),
    number_field<&Device::l2>("l2_bytes"),
    number_field<&Device::smem_per_sm>("smem_per_sm_bytes"),
    number_field<&Device::smem_per_cta>("smem_per_cta_bytes"),
    number_field<&Device::registers_per_sm>("registers_per_sm"),
    number_field<&Device::threads_per_sm>("threads_per_sm"),
    number_field<&Device::ctas_per_sm>("ctas_per_sm"),
    number_field<&Device::warp_size>("warp_size"),
    number_field<&Device::power_limit>("power_limit_w"),
};
constexpr std::string_view kEcc = "ecc";

// Sets what `key` names. The text says what is wrong.
std::optional<std::string> read_field(Device& device, std::string_view key, const toml::node& node) {
  for (const TextField& row : kTexts) {
    if (row.key != key) continue;
    const auto* text = node.as_string();
    if (text == nullptr) return fmt::format("{} must be a text in quotes", key);
    device.*row.field = one_line(text->get());
    return std::nullopt;
  }
  for (const NumberField& row : kNumbers) {
    if (row.key != key) continue;
    const std::optional<double> number = node.is_number() ? node.value<double>() : std::nullopt;
    if (!number || !std::isfinite(*number) || *number < 0) return fmt::format("{} must be a number from zero", key);
    row.set(device, *number);
    return std::nullopt;
  }
  if (key == kEcc) {
    const auto* flag = node.as_boolean();
    if (flag == nullptr) return fmt::format("{} must be true or false", key);
    device.ecc = flag->get();
    return std::nullopt;
  }
  std::vector<std::string> known = {std::string(kEcc)};
  for (const TextField& row : kTexts) known.emplace_back(row.key);
  for (const NumberField& row : kNumbers) known.emplace_back(row.key);
  return fmt::format("unknown key '{}'{}", one_line(key, 40), did_you_mean(key, known));
}

}  // namespace

std::string write_device(const Device& device) {
  std::string text = "# The GPU as it describes itself, and the software it ran. Numbers are in base units.\n";
  for (const TextField& row : kTexts) text += fmt::format("{} = {}\n", row.key, toml_text(device.*row.field));
  for (const NumberField& row : kNumbers) text += fmt::format("{} = {:.15g}\n", row.key, row.get(device));
  text += fmt::format("{} = {}\n", kEcc, device.ecc);
  return text;
}

Result<Device> parse_device(std::string_view toml, std::string_view where) {
  const toml::parse_result parsed = toml::parse(toml);
  const auto place = [&](const toml::source_region& region) {
    return fmt::format("{}:{}:{}", where, region.begin.line, region.begin.column);
  };
  if (!parsed) {
    return fail(ErrorCode::bad_input, one_line(parsed.error().description()), place(parsed.error().source()));
  }
  Device device;
  for (auto&& [key, node] : parsed.table()) {
    if (auto wrong = read_field(device, key.str(), node)) {
      return fail(ErrorCode::bad_input, std::move(*wrong), place(key.source()));
    }
  }
  if (device.name.empty() || device.sm_count < 1 || device.clock <= Hertz(0)) {
    return fail(ErrorCode::bad_input, "name, sm_count and clock_hz are needed", std::string(where));
  }
  return device;
}

}  // namespace rooftile::measure
