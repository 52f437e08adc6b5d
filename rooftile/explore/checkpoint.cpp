#include "rooftile/explore/checkpoint.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/explore/bytes.hpp"
#include "rooftile/explore/results_bytes.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kFirstLine = "rooftile/checkpoint/1\n";
constexpr std::size_t kMostBytes = std::size_t{8} << 30;  // far above any front

}  // namespace

std::string checkpoint_bytes(const Fingerprint& fingerprint, const ExploreState& state) {
  ByteWriter bytes;
  fingerprint.write(bytes);
  state.done.write(bytes);
  bytes.text(results_bytes(state.results));
  return std::string(kFirstLine) + sealed(bytes.bytes());
}

Result<ExploreState> read_checkpoint(std::string_view bytes, const std::string& path, const DesignSpace& space,
                                     const ResultOptions& options, const Fingerprint& fingerprint) {
  const auto wrong = [&](const char* what) { return fail(ErrorCode::bad_input, what, path); };
  if (!bytes.starts_with(kFirstLine)) return wrong("is not a checkpoint of this version");
  const auto content = unsealed(bytes.substr(kFirstLine.size()));
  if (!content) return wrong("is a damaged checkpoint; delete it to start again");
  ByteReader reader(*content);
  const Fingerprint own = Fingerprint::read(reader);
  if (const auto other = difference(fingerprint, own); other && reader.ok()) {
    return fail(
        ErrorCode::bad_input,
        fmt::format("is the checkpoint of another exploration: it has {}; name another file, or delete it", *other),
        path);
  }
  const auto done = BlockSet::read(reader, blocks_of(space));
  if (!done) return wrong("is a damaged checkpoint; delete it to start again");
  const auto results = read_results(reader.text(), space, options);
  if (!results || !reader.ended() || results->designs != designs_of(space, *done)) {
    return wrong("is a damaged checkpoint; delete it to start again");
  }
  return ExploreState{*results, *done};
}

Result<ExploreState> load_checkpoint(const std::string& path, const DesignSpace& space, const ResultOptions& options,
                                     const Fingerprint& fingerprint) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return ExploreState{ExploreResults(space, options), {}};
  if (!std::filesystem::is_regular_file(path, error)) {
    return fail(ErrorCode::io, "is not a regular file", path);
  }
  const auto bytes = TRY(read_text_file(path, kMostBytes));
  return read_checkpoint(bytes, path, space, options, fingerprint);
}

}  // namespace rooftile
