#include "rooftile/measure/device.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
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

class DeviceReader : private TomlReader {
 public:
  using TomlReader::TomlReader;

  Result<Device> read(const toml::table& root) {
    for (auto&& [key, node] : root) {
      TRY(read_field(key, node));
    }
    return std::move(device_);
  }

 private:
  // Sets what `key` names.
  Result<void> read_field(const toml::key& key, const toml::node& node) {
    const std::string_view name = key.str();
    for (const TextField& row : kTexts) {
      if (row.key != name) continue;
      const auto* text = node.as_string();
      if (text == nullptr) return error(key.source(), fmt::format("{} must be a string in quotes", name));
      device_.*row.field = one_line(text->get());
      return {};
    }
    for (const NumberField& row : kNumbers) {
      if (row.key != name) continue;
      const std::optional<double> number = node.is_number() ? node.value<double>() : std::nullopt;
      if (!number || !std::isfinite(*number) || *number < 0) {
        return error(key.source(), fmt::format("{} must be a number from zero", name));
      }
      row.set(device_, *number);
      return {};
    }
    if (name == kEcc) {
      const auto* flag = node.as_boolean();
      if (flag == nullptr) return error(key.source(), fmt::format("{} must be true or false", name));
      device_.ecc = flag->get();
      return {};
    }
    std::vector<std::string> known = {std::string(kEcc)};
    for (const TextField& row : kTexts) known.emplace_back(row.key);
    for (const NumberField& row : kNumbers) known.emplace_back(row.key);
    return unknown(key, "", known);
  }

  Device device_;
};

}  // namespace

std::string write_device(const Device& device) {
  std::string text = "# The GPU as it describes itself, and the software it ran. Numbers are in base units.\n";
  for (const TextField& row : kTexts) text += fmt::format("{} = {}\n", row.key, toml_text(device.*row.field));
  for (const NumberField& row : kNumbers) text += fmt::format("{} = {:.15g}\n", row.key, row.get(device));
  text += fmt::format("{} = {}\n", kEcc, device.ecc);
  return text;
}

Result<Device> parse_device(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a device file"));
  auto device = DeviceReader(where).read(root);
  if (!device) return device;
  if (device->name.empty() || device->sm_count < 1 || device->clock <= Hertz(0)) {
    return fail(ErrorCode::bad_input, "name, sm_count and clock_hz are needed", std::string(where));
  }
  return device;
}

}  // namespace rooftile::measure
