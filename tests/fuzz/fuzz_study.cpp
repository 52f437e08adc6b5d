// Any text as a study: an error, or GPUs and applications that can be compared.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/compare/study.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto study = parse_study_file(text, "study.toml");
  if (!study) {
    require(is_one_line_error(study.error()));
    return 0;
  }
  require(!study->id.empty() && !study->gpus.empty() && !study->applications.empty());
  for (const StudyGpu& gpu : study->gpus) require(!gpu.price || is_positive(gpu.price->value()));
  for (const Application& application : study->applications) {
    require(application.batch >= 1 && !application.parts.empty());
    for (const Application::Part& part : application.parts) require(is_positive(part.times));
  }
  return 0;
}
