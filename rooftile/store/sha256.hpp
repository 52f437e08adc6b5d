// SHA-256 (FIPS 180-4): what names a measurement by its content and shows that a stored one is still as it was.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rooftile::store {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view text);

}  // namespace rooftile::store
