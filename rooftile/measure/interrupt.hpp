// Ctrl-C as a question that a loop asks between two pieces of work.
#pragma once

namespace rooftile::measure {

// From now on SIGINT and SIGTERM are noted; a second one ends the program as usual.
void watch_interrupts();

// Whether one came.
bool interrupted();

}  // namespace rooftile::measure
