// Why something could not be measured.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace rooftile::measure {

enum class Refusal {
  unsupported,    // the library or the GPU has no such kernel: go on with the next
  out_of_memory,  // go on with the next
  wrong_result,   // the kernel computed something else than the reference: the time counts for nothing; go on
  device_lost,    // nothing more can be measured in this process: stop, what is done is kept
};

struct Refused {
  Refusal why = Refusal::unsupported;
  std::string message;  // one line

  bool operator==(const Refused&) const = default;
};

template <class T>
using Outcome = tl::expected<T, Refused>;

}  // namespace rooftile::measure
