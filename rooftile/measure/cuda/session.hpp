// What the commands share: the GPU in use, its folder, time, and what is shown on the way.
#pragma once

#include <functional>
#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/cuda/commands.hpp"
#include "rooftile/measure/device.hpp"

namespace rooftile::measure {

inline constexpr const char* kVersion = ROOFTILE_VERSION;

// The GPU that the arguments name, in use from now on, and its folder open.
Result<Device> open_session(const Arguments& arguments);

// True once the minutes since this call are over; never for 0.
std::function<bool()> deadline(double minutes);

// Shows one line in place of the last on a terminal; elsewhere nothing.
void show_progress(const std::string& line);
void end_progress();

// A line on standard error.
void tell(const std::string& line);

}  // namespace rooftile::measure
