// The error of a number or shape that no operator can have. Private.
#pragma once

#include <string>
#include <utility>

#include "rooftile/base/error.hpp"

namespace rooftile {

inline tl::unexpected<Error> bad_input(std::string message) { return fail(ErrorCode::bad_input, std::move(message)); }

}  // namespace rooftile
