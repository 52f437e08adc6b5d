// Exports that ship with the program, as they were read last: a table of measurements names the same few networks
// hundreds of times, and reading one takes longer than predicting it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// What `read` returned for that key, which has all that the result depends on but the batch size, or returns now. Once
// it was read at two batch sizes, any other follows from them where it can (workload/any_batch.hpp). Keeps the networks
// used last, some hundred MB of them at most; may be called by several threads. Errors: those of `read`, which are not
// kept.
Result<Workload> read_once(const std::string& key, std::int64_t batch, const std::function<Result<Workload>()>& read);

}  // namespace rooftile
