#include "rooftile/profile/profile.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/time_range.hpp"
#include "rooftile/ingest/gzip.hpp"
#include "rooftile/profile/csv_lines.hpp"
#include "rooftile/profile/readers.hpp"

namespace rooftile::profile {
namespace {

using Reader = Result<Profile> (*)(std::string_view text, std::string_view where, const ProfileOptions& options);

struct Format {
  bool (*is_header)(const std::vector<std::string>& cells);
  Reader read;
};

constexpr std::array<Format, 3> kCsvFormats = {
    {{is_ncu_header, read_ncu}, {is_nvprof_header, read_nvprof}, {is_rocprof_header, read_rocprof}}};
constexpr std::size_t kMostInflated = std::size_t{2} << 30;  // bytes; traces of long runs are large

// The reader of the first line that is a header.
Reader find_reader(std::string_view text, std::vector<std::string>& tool_errors) {
  CsvLines lines(text);
  while (const auto line = lines.next()) {
    for (const Format& format : kCsvFormats) {
      if (!line->cells.empty() && format.is_header(line->cells)) return format.read;
    }
  }
  tool_errors = lines.tool_errors();
  return nullptr;
}

// Kernels whose times are none; readers leave some without a time.
void drop_odd_times(Profile& profile) {
  std::vector<KernelProfile> kept;
  kept.reserve(profile.kernels.size());
  for (KernelProfile& kernel : profile.kernels) {
    if (kernel.time && !is_time(*kernel.time)) {
      profile.drop(kernel.line, fmt::format("kernel '{}' took {:.3g} s, which is not {}", one_line(kernel.name, 80),
                                            kernel.time->value(), kTimeRange));
    } else {
      kept.push_back(std::move(kernel));
    }
  }
  profile.kernels = std::move(kept);
}

Result<Profile> read_compressed(std::string_view bytes, std::string_view where, const ProfileOptions& options) {
  const auto text = gunzip(bytes, kMostInflated);
  if (!text) return fail(text.error().code, text.error().message, std::string(where));
  if (is_gzip(*text)) return fail(ErrorCode::bad_input, "is compressed twice", std::string(where));
  return read_profile(*text, where, options);
}

}  // namespace

void Profile::drop(std::size_t line, std::string reason) {
  ++dropped_count;
  if (dropped.size() < kMostDropped) dropped.push_back({line, std::move(reason)});
}

Result<Profile> read_profile(std::string_view text, std::string_view where, const ProfileOptions& options) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  }
  if (is_gzip(text)) return read_compressed(text, where, options);
  const char opening = text[text.find_first_not_of(" \t\r\n")];
  std::vector<std::string> tool_errors;
  const bool json = opening == '{' || opening == '[';
  // Chakra first: the length byte of its header may look like a bracket.
  const Reader read = is_chakra(text) ? read_chakra : json ? read_kineto : find_reader(text, tool_errors);
  if (read == nullptr) {
    if (!tool_errors.empty())
      return fail(ErrorCode::bad_input, "the profiler failed: " + tool_errors.front(), std::string(where));
    return fail(ErrorCode::bad_input,
                "unrecognised profile format: expected CSV from ncu, nvprof or rocprof, a PyTorch trace in JSON, or a "
                "Chakra trace",
                std::string(where));
  }
  auto profile = read(text, where, options);
  if (profile) drop_odd_times(*profile);
  if (!profile || !profile->kernels.empty()) return profile;
  std::string message = fmt::format("{}: no usable kernel", profile->format);
  if (!profile->dropped.empty()) {
    const Dropped& first = profile->dropped.front();
    message += fmt::format("; {} dropped, first of line {}: {}", profile->dropped_count, first.line, first.reason);
  } else if (!profile->notes.empty()) {
    message += "; " + profile->notes.front();
  }
  return fail(ErrorCode::bad_input, one_line(message, 1000), std::string(where));
}

}  // namespace rooftile::profile
