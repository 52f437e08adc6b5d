#include "rooftile/measure/gpu_id.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/embedded.hpp"
#include "rooftile/gpu/gpu_file.hpp"
#include "rooftile/gpu/select_gpu.hpp"

namespace rooftile::measure {

std::string gpu_id(std::string_view device_name) {
  const std::string id = fmt::format("{}", fmt::join(device_words(device_name), "-"));
  if (id.empty()) return "unknown";
  const auto known = select_gpu(device_name);
  return known ? *known : id;
}

std::string architecture_of(std::string_view device_name, std::string_view compute_capability) {
  constexpr std::string_view kFolder = "architectures/";
  const auto known = select_gpu(device_name);
  const std::string own = known ? find_gpu(*known).value().architecture : "";
  std::string found;  // of several the one that others vary: "turing", not "turing-tu11x"
  for (const EmbeddedText& file : embedded_gpu_files()) {
    if (!file.path.starts_with(kFolder)) continue;
    const auto architecture = read_gpu_file(file.text, file.path);
    if (!architecture || architecture->compute_capability != compute_capability) continue;
    if (architecture->name == own) return architecture->id;
    if (found.empty() || architecture->id.size() < found.size()) found = architecture->id;
  }
  return found;
}

}  // namespace rooftile::measure
