// Whether everything in the store is as it was stored.
#pragma once

#include <cstdint>

#include "rooftile/base/error.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::store {

// Reads all of it: the structure and the indexes of the file, each measurement and each fitted model against its
// digest. The number of measurements; the first thing that is wrong as an error.
Result<std::int64_t> check_everything(Store& store);

}  // namespace rooftile::store
