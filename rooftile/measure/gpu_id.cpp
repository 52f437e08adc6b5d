#include "rooftile/measure/gpu_id.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/embedded.hpp"
#include "rooftile/gpu/gpu_file.hpp"

namespace rooftile::measure {

std::string gpu_id(std::string_view device_name) {
  constexpr std::array<std::string_view, 6> kDropped = {"nvidia", "tesla", "geforce", "quadro", "graphics", "device"};
  std::vector<std::string> words(1);
  for (const char c : device_name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else {
      words.emplace_back();
    }
  }
  words.erase(std::remove_if(words.begin(), words.end(),
                             [&](const std::string& word) {
                               return word.empty() ||
                                      std::find(kDropped.begin(), kDropped.end(), word) != kDropped.end();
                             }),
              words.end());
  std::string id = fmt::format("{}", fmt::join(words, "-"));
  if (id.empty()) return "unknown";
  const auto known = find_gpu(id);
  return known ? known->id : id;
}

std::string architecture_of(std::string_view compute_capability) {
  constexpr std::string_view kFolder = "architectures/";
  for (const EmbeddedText& file : embedded_gpu_files()) {
    if (!file.path.starts_with(kFolder)) continue;
    const auto architecture = read_gpu_file(file.text, file.path);
    if (architecture && architecture->compute_capability == compute_capability) return architecture->id;
  }
  return {};
}

}  // namespace rooftile::measure
