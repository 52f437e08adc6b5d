// Files compressed by gzip (RFC 1952), as the models in data/models and traces are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"

namespace rooftile {

// Whether the bytes begin as a gzip file does; no ONNX file begins like that.
bool is_gzip(std::string_view bytes);

// What they hold, all members one after the other. Errors: a damaged or cut file, more than `limit` bytes.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit);

// The bytes as one member, the same for the same bytes: without a name or a time. Errors: no memory.
Result<std::string> gzip(std::string_view bytes);

}  // namespace rooftile
