// Transformers as models: by their geometry, or from a file that gives it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// The workload at the sizes that the options ask for: a text of seq_len positions, or with `context` one more position.
// It still needs validate(). Errors: sizes that the network does not have.
Result<Workload> build_transformer(const Transformer& shape, const ModelOptions& options);

// The geometry of a model that is a transformer: built in, a TOML file, a Hugging Face configuration. Nothing for other
// models, which load_model() may know. Errors: those of a file.
Result<std::optional<Transformer>> find_transformer(const std::string& model);

// Of a TOML file (docs/networks.md).
Result<Workload> load_transformer(const std::string& path, const ModelOptions& options);

}  // namespace rooftile
