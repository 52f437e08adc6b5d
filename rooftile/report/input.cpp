#include "rooftile/report/input.hpp"

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"

namespace rooftile {
namespace {

std::string waits_for(InputLimit limit) {
  return limit == InputLimit::copy ? "the copy over PCIe" : fmt::format("the {}", name_of(limit));
}

}  // namespace

std::string input_text(const InputShare& input) {
  return fmt::format("{} by {}: {} cores {}, disk {}, copy {}; {}", name_of(input.feed), input.host, input.host_cores,
                     print(input.cores), print(input.disk), print(input.copy),
                     input.waiting > Seconds(0)
                         ? fmt::format("GPU waits {} for {}", print(input.waiting), waits_for(input.limit()))
                         : "prepared while the GPU works");
}

}  // namespace rooftile
