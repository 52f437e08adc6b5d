// A transformer's geometry as a TOML file (docs/networks.md).
//
//     const std::string toml = "layers = 2\nhidden = 128\nheads = 4\nvocab = 1000\nseq_len = 64\n";
//     assert(parse_transformer(toml, "small.toml")->ffn == 512);
#pragma once

#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// completed() and checked; named after the file unless it says another name. Errors name line and column.
Result<Transformer> parse_transformer(std::string_view toml, std::string_view where);

}  // namespace rooftile
