#include "rooftile/report/memory.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/memory_json.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json whole(Bytes bytes) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const double rounded = std::round(bytes.value());
  return rounded > kExact ? Json(rounded) : Json(static_cast<std::int64_t>(rounded));
}

}  // namespace

std::string memory_parts(const MemoryUse& memory) {
  std::string text;
  for (const auto& [name, bytes] :
       {std::pair{"weights", memory.weights}, std::pair{"gradients", memory.gradients},
        std::pair{"optimizer", memory.optimizer}, std::pair{"activations", memory.activations},
        std::pair{"workspace", memory.workspace}}) {
    if (bytes > Bytes(0)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, print(bytes));
  }
  return text.empty() ? "none" : text;
}

Json memory_json(const MemoryUse& memory) {
  Json json = {{"weights", whole(memory.weights)}};
  if (memory.gradients > Bytes(0)) json["gradients"] = whole(memory.gradients);
  if (memory.optimizer > Bytes(0)) json["optimizer"] = whole(memory.optimizer);
  json["activations"] = whole(memory.activations);
  json["workspace"] = whole(memory.workspace);
  json["total"] = whole(memory.total());
  return json;
}

}  // namespace rooftile
