// What the messages between ranks hold. Each is sealed by a checksum; one that cannot be read is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/block_set.hpp"
#include "rooftile/explore/fingerprint.hpp"

namespace rooftile::cluster {

struct Hello {
  std::string host = {};
  std::uint64_t threads = 1;
  Fingerprint fingerprint = {};  // of what this rank would compute
};

// Blocks for one rank to do.
struct Work {
  std::uint64_t chunk = 0;  // a number that no other chunk has
  BlockRange blocks = {};
};

struct Done {
  std::uint64_t chunk = 0;
  std::uint64_t blocks = 0;  // its first ones; all of them unless the rank was stopped
  std::string results = {};  // results_bytes()
};

struct Failed {
  std::string host = {};
  Error error = {};
};

struct Finish {
  bool rank_lost = false;  // then nobody waits for the others at the end
};

std::string bytes_of(const Hello& hello);
std::string bytes_of(const Work& work);
std::string bytes_of(const Done& done);
std::string bytes_of(const Failed& failed);
std::string bytes_of(const Finish& finish);

// None if the bytes are not those of one.
std::optional<Hello> read_hello(std::string_view bytes);
std::optional<Work> read_work(std::string_view bytes);
std::optional<Done> read_done(std::string_view bytes);
std::optional<Failed> read_failed(std::string_view bytes);
std::optional<Finish> read_finish(std::string_view bytes);

}  // namespace rooftile::cluster
