// What the types of units.hpp forbid, one case a macro (see CMakeLists.txt), and next to each what they allow.
#include "rooftile/base/units.hpp"

using rooftile::Bytes;
using rooftile::BytesPerSecond;
using rooftile::Seconds;

int main() {
  Bytes bytes(8);
  const Seconds seconds(2);

  bytes = bytes + bytes;
  const BytesPerSecond rate = bytes / seconds;
  const Bytes moved = rate * seconds;
  const double ratio = moved / bytes;
  bytes += moved;
  const bool more = bytes > moved;

#if defined(BYTES_PLUS_SECONDS)
  (void)(bytes + seconds);
#elif defined(BYTES_LESS_SECONDS)
  (void)(bytes - seconds);
#elif defined(COMPARE_BYTES_WITH_SECONDS)
  (void)(bytes < seconds);
#elif defined(ADD_SECONDS_TO_BYTES)
  bytes += seconds;
#elif defined(BYTES_PLUS_NUMBER)
  (void)(bytes + 1.0);
#elif defined(NUMBER_AS_BYTES)
  const Bytes number = 8.0;
#elif defined(RATE_AS_BYTES)
  const Bytes wrong = rate;
#elif defined(BYTES_AS_NUMBER)
  const double value = bytes;
#endif
  return more && ratio == 1.0 ? 0 : 1;
}
