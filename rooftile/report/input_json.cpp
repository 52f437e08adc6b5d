#include "rooftile/report/input_json.hpp"

#include <nlohmann/json.hpp>

namespace rooftile {

nlohmann::ordered_json input_json(const InputShare& input) {
  return {{"host", input.host},
          {"feed", name_of(input.feed)},
          {"cores_s", input.cores.value()},
          {"disk_s", input.disk.value()},
          {"copy_s", input.copy.value()},
          {"waiting_s", input.waiting.value()},
          {"limit", name_of(input.limit())}};
}

}  // namespace rooftile
