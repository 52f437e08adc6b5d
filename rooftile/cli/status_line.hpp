// The line of a terminal that says how the work is coming on: on standard error, if that is a terminal.
#pragma once

#include <string_view>

namespace rooftile::cli {

enum class Status { working, progress };

// In place of what stands there; `working` gives way to a progress that does, and to output. Any thread.
void show_status(std::string_view text, Status what);
void clear_status();

// To standard error, as it is: a terminal that is gone is no error. Of a signal handler's use, too.
void write_raw(std::string_view text);

// Where one stands: back to the first column, and all of it goes. Of a signal handler's use.
void clear_status_from_handler();

}  // namespace rooftile::cli
