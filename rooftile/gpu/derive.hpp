// Completing a GPU's facts from its architecture. The rules are listed, with their sources, in docs/gpus.md.
#pragma once

#include <string_view>

#include "rooftile/gpu/fact_table.hpp"

namespace rooftile {

// `own` with what it lacks: first the architecture's facts, then what the rules give (a bandwidth from bytes per
// clock, a latency in cycles from one in seconds, a peak from FLOPs per clock, …). Everything added that is not a
// vendor's statement about the architecture is marked as derived and says from what. Nothing is overwritten.
// `architecture` may be null, `compute_capability` empty.
FactTable derive_facts(const FactTable& own, const FactTable* architecture, std::string_view architecture_name,
                       std::string_view compute_capability = {});

}  // namespace rooftile
