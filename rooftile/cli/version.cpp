#include "rooftile/cli/version.hpp"

namespace rooftile::cli {

const char* version() { return ROOFTILE_VERSION; }

}  // namespace rooftile::cli
