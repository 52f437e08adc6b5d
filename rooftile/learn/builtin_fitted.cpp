#include "rooftile/learn/builtin_fitted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/learn/embedded.hpp"
#include "rooftile/regression/fitted_json.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kSuffix = ".json";

std::string name_of(const EmbeddedText& file) {
  return std::string(file.path.substr(0, file.path.size() - kSuffix.size()));
}

}  // namespace

std::vector<std::string> fitted_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& file : embedded_fitted()) names.push_back(name_of(file));
  return names;
}

Result<regression::FittedModel> find_fitted(const std::string& selector) {
  for (const EmbeddedText& file : embedded_fitted()) {
    if (name_of(file) == selector) return regression::parse_fitted_json(file.text, file.path);
  }
  const bool is_file = selector == "-" || selector.find('/') != std::string::npos || selector.ends_with(kSuffix);
  if (is_file) return regression::read_fitted_model(selector);
  const std::vector<std::string> names = fitted_names();
  return fail(ErrorCode::not_found,
              fmt::format("no fitted model '{}'; built in: {}; a file must end in {}{}", one_line(selector),
                          fmt::join(names, ", "), kSuffix, did_you_mean(selector, names)));
}

}  // namespace rooftile
