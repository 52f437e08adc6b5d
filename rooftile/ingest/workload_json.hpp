// A workload as JSON ("rooftile/workload/1", docs/formats.md), to write by hand or to keep.
//
//     #include "rooftile/ingest/model.hpp"
//
//     const Workload workload = load_model("alexnet").value();
//     assert(parse_workload_json(write_workload_json(workload), "alexnet.json") == workload);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Shapes are inferred from the inputs and each op's attributes. `batch_size` replaces dimension 0 of the inputs. Also
// reads a captured step ("rooftile/step/1"), which has the batch size that it was captured with.
Result<Workload> parse_workload_json(std::string_view text, std::string_view where,
                                     std::optional<std::int64_t> batch_size = {});

// Reading the result back gives an equal workload.
std::string write_workload_json(const Workload& workload);

}  // namespace rooftile
