// The program's version.
#pragma once

namespace rooftile::cli {

// "0.1.0".
const char* version();

}  // namespace rooftile::cli
