// Constraints of a design space: expressions over parameters, as in "sm_count * mac_per_sm <= 16384 and l2_bandwidth >=
// 2 * dram_bandwidth".
//
// Values are in base units (bytes, bytes a second, hertz, cycles). Operators and functions are muParser's, where && and
// || may also be written `and` and `or`. A design stays where every constraint is true.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/explore/design_block.hpp"

namespace rooftile {

class Constraints {
 public:
  // Errors: what muParser says of an expression, with the nearest parameter to an unknown name; an assignment.
  static Result<Constraints> parse(const std::vector<std::string>& expressions);

  // Marks designs that a constraint excludes, also one that cannot be computed (a NaN). Not for two threads at once:
  // each parses its own.
  void apply(const DesignBlock& block, OutcomeBlock& outcome);

  Constraints(Constraints&&) noexcept;
  Constraints& operator=(Constraints&&) noexcept;
  ~Constraints();

 private:
  struct Compiled;
  explicit Constraints(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace rooftile
