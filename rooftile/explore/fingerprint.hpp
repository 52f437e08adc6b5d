// What decides the numbers of an exploration, in named parts: explorations with the same fingerprint can be joined, and
// of others it can be said what differs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/explore/bytes.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

struct Fingerprint {
  struct Part {
    std::string name;   // "method": what a person calls it
    std::string value;  // "delta"; of what is too long to show, a hash
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
  bool operator==(const Fingerprint&) const = default;

  void write(ByteWriter& bytes) const;
  static Fingerprint read(ByteReader& bytes);
};

// The first part in which `there` differs from `here`: "another method ('rooftile', not 'delta')"; none if they are the
// same.
std::optional<std::string> difference(const Fingerprint& here, const Fingerprint& there);

// `version` is that of the program, `method` the label of the prediction's options.
Fingerprint fingerprint_of(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options,
                           std::string_view version, std::string_view method);

}  // namespace rooftile
