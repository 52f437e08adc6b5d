// GPU files: TOML in, Gpu out; the catalogue that is built in, and a user's own file.
//
//     const Gpu gpu = find_gpu("titan-xp").value();     // or "my-gpu.toml"
//     assert(gpu.name == "TITAN Xp");
//     for (const std::string& id : gpu_ids()) assert(find_gpu(id));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// Ids of the built-in catalogue, sorted.
std::vector<std::string> gpu_ids();

// The boards of the catalogue that are sold: all but the DeLTA paper's own versions of three of them.
Result<std::vector<Gpu>> boards_sold();

// Reads the text of a GPU file; `where` names it in errors. Missing bandwidths and latencies are derived from the
// architecture by the rules of docs/gpus.md and marked as derived; a number whose kind the text does not say is `own`.
// A base that is a file is looked for beside `where`. Errors: bad TOML, an unknown key or source, a number without a
// unit or outside its range, a fact that is needed and cannot be derived, a base that is none or leads back to the
// file; each with line and column.
Result<Gpu> parse_gpu(std::string_view toml, std::string_view where);

// `selector` is a catalogue id, an unambiguous part of one in any case, the name that a driver or a vendor gives
// ("NVIDIA GeForce RTX 4090", "A100-SXM4-80GB"), or a path ending in ".toml". An ambiguous part: an error that lists
// the matches. Unknown: an error with the nearest id.
Result<Gpu> find_gpu(std::string_view selector);

}  // namespace rooftile
