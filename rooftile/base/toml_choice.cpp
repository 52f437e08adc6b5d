#include "rooftile/base/toml_choice.hpp"

#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kTomlSuffix = ".toml";

}  // namespace

std::vector<std::string> toml_ids(std::span<const EmbeddedText> files) {
  std::vector<std::string> ids;
  for (const EmbeddedText& file : files) ids.emplace_back(file.path.substr(0, file.path.rfind(kTomlSuffix)));
  return ids;
}

Result<ChosenToml> choose_toml(std::span<const EmbeddedText> files, std::string_view selector, std::string_view what) {
  std::string name(selector);
  if (selector.ends_with(kTomlSuffix)) return ChosenToml{TRY(read_text_file(name, kMaxTomlFile)), std::move(name)};
  for (const EmbeddedText& file : files) {
    if (file.path == name + std::string(kTomlSuffix)) return ChosenToml{std::string(file.text), std::string(file.path)};
  }
  const std::vector<std::string> ids = toml_ids(files);
  return fail(ErrorCode::not_found,
              fmt::format("no {} '{}'{}, or a .toml file", what, one_line(name), one_of(name, ids)));
}

}  // namespace rooftile
