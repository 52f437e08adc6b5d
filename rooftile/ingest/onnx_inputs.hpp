// The shapes of a network's inputs: the file's own, and what the user asks for instead.
#pragma once

#include <cstdint>
#include <optional>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Sets the shape of each input, which has none yet. Returns the batch that the file was exported for, where another is
// asked for: it may be written elsewhere in the graph, too.
Result<std::optional<std::int64_t>> set_inputs(OnnxGraph& graph, const OnnxOptions& options);

}  // namespace rooftile
