// Facts of a GPU that is described as another one with some numbers of its own (docs/gpus.md, "Another GPU as the
// base").
#pragma once

#include <string_view>

#include "rooftile/gpu/fact_table.hpp"

namespace rooftile {

// `own`, and of `base` what it does not replace. A number of the base that follows from replaced ones (a peak from SMs
// and clock) is scaled as they are and marked as derived; one that `own` gives in another form (a bandwidth as a rate)
// is left to the rules of derive.hpp.
FactTable over_base(const FactTable& own, const FactTable& base, std::string_view base_id);

}  // namespace rooftile
