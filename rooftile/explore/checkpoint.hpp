// How far an exploration has come, in a file that a later run goes on from.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/explore_state.hpp"
#include "rooftile/explore/fingerprint.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

// "rooftile/checkpoint/1": that line, then the fingerprint, the blocks that are done and their results, sealed.
std::string checkpoint_bytes(const Fingerprint& fingerprint, const ExploreState& state);

// Errors, at `path`: bytes that are not a whole checkpoint; one of another exploration, and what is other.
Result<ExploreState> read_checkpoint(std::string_view bytes, const std::string& path, const DesignSpace& space,
                                     const ResultOptions& options, const Fingerprint& fingerprint);

// What the file holds; nothing done yet where there is none. Errors: those of read_checkpoint(); the operating
// system's.
Result<ExploreState> load_checkpoint(const std::string& path, const DesignSpace& space, const ResultOptions& options,
                                     const Fingerprint& fingerprint);

}  // namespace rooftile
