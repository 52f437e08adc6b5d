#include "rooftile/cluster/messages.hpp"

#include "rooftile/explore/bytes.hpp"

namespace rooftile::cluster {

std::string bytes_of(const Hello& hello) {
  ByteWriter bytes;
  bytes.text(hello.host);
  bytes.u64(hello.threads);
  hello.fingerprint.write(bytes);
  return sealed(bytes.bytes());
}

std::optional<Hello> read_hello(std::string_view bytes) {
  const auto content = unsealed(bytes);
  if (!content) return std::nullopt;
  ByteReader reader(*content);
  Hello hello;
  hello.host = reader.text();
  hello.threads = reader.u64();
  hello.fingerprint = Fingerprint::read(reader);
  if (!reader.ended() || hello.threads == 0) return std::nullopt;
  return hello;
}

std::string bytes_of(const Work& work) {
  ByteWriter bytes;
  bytes.u64(work.chunk);
  bytes.u64(work.blocks.first);
  bytes.u64(work.blocks.end);
  return sealed(bytes.bytes());
}

std::optional<Work> read_work(std::string_view bytes) {
  const auto content = unsealed(bytes);
  if (!content) return std::nullopt;
  ByteReader reader(*content);
  Work work;
  work.chunk = reader.u64();
  work.blocks.first = reader.u64();
  work.blocks.end = reader.u64();
  if (!reader.ended() || work.blocks.first >= work.blocks.end) return std::nullopt;
  return work;
}

std::string bytes_of(const Done& done) {
  ByteWriter bytes;
  bytes.u64(done.chunk);
  bytes.u64(done.blocks);
  bytes.text(done.results);
  return sealed(bytes.bytes());
}

std::optional<Done> read_done(std::string_view bytes) {
  const auto content = unsealed(bytes);
  if (!content) return std::nullopt;
  ByteReader reader(*content);
  Done done;
  done.chunk = reader.u64();
  done.blocks = reader.u64();
  done.results = reader.text();
  if (!reader.ended()) return std::nullopt;
  return done;
}

std::string bytes_of(const Failed& failed) {
  ByteWriter bytes;
  bytes.text(failed.host);
  bytes.u64(static_cast<std::uint64_t>(failed.error.code));
  bytes.text(failed.error.message);
  bytes.text(failed.error.where);
  return sealed(bytes.bytes());
}

std::optional<Failed> read_failed(std::string_view bytes) {
  const auto content = unsealed(bytes);
  if (!content) return std::nullopt;
  ByteReader reader(*content);
  Failed failed;
  failed.host = reader.text();
  const std::uint64_t code = reader.u64();
  failed.error.message = reader.text();
  failed.error.where = reader.text();
  if (!reader.ended() || code > static_cast<std::uint64_t>(ErrorCode::usage)) return std::nullopt;
  failed.error.code = static_cast<ErrorCode>(code);
  return failed;
}

std::string bytes_of(const Finish& finish) {
  ByteWriter bytes;
  bytes.u64(finish.rank_lost ? 1 : 0);
  return sealed(bytes.bytes());
}

std::optional<Finish> read_finish(std::string_view bytes) {
  const auto content = unsealed(bytes);
  if (!content) return std::nullopt;
  ByteReader reader(*content);
  const Finish finish = {.rank_lost = reader.u64() != 0};
  if (!reader.ended()) return std::nullopt;
  return finish;
}

}  // namespace rooftile::cluster
