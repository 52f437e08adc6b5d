// Constraints on designs: expressions over metrics, as in "sm_count * mac_per_sm <= 16384 and manufacturing_cost <
// 400".
//
// Numbers have units ("power <= 300 W") or are in base units (bytes, bytes a second, hertz, cycles, seconds, mm2,
// watts, US dollars, joules). Operators
// and functions are muParser's, where && and || may also be written `and` and `or`. A design stays where every
// constraint is true.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/metric.hpp"

namespace rooftile {

// When all that an expression names is known: so a design that is excluded early takes no further work.
enum class ConstraintStage {
  parameters,  // nothing but parameters
  costs,       // also area, power or manufacturing cost
  times,       // also time or energy
};

class Constraints {
 public:
  // Errors: what muParser says of an expression, with the nearest metric to an unknown name; an assignment.
  static Result<Constraints> parse(const std::vector<std::string>& expressions);

  // What they name, each once.
  std::vector<Metric> metrics() const;

  // Marks designs that a constraint of that stage excludes, also one that cannot be computed (a NaN); those marked
  // already are left alone. Not for two threads at once: each parses its own.
  void apply(ConstraintStage stage, const DesignBlock& block, OutcomeBlock& outcome);

  Constraints(Constraints&&) noexcept;
  Constraints& operator=(Constraints&&) noexcept;
  ~Constraints();

 private:
  struct Compiled;
  explicit Constraints(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace rooftile
