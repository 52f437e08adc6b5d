// A transformer's geometry from the config.json of a model of Hugging Face.
//
//     const std::string json = R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size":
//     1000})"; assert(parse_transformer_config(json, "config.json")->hidden == 64);
#pragma once

#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// Whether a JSON text is such a configuration and no workload.
bool is_transformer_config(std::string_view json);

// completed() and checked, of one of the model types that docs/networks.md lists; keys that decide no shape are
// ignored.
Result<Transformer> parse_transformer_config(std::string_view text, std::string_view where);

}  // namespace rooftile
