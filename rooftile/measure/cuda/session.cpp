#include "rooftile/measure/cuda/session.hpp"

#include <chrono>
#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/measure/cuda/device_query.hpp"
#include "rooftile/measure/folder.hpp"

namespace rooftile::measure {

Result<Device> open_session(const Arguments& arguments) {
  auto device = use_device(arguments.device);
  if (!device) return device;
  if (auto opened = open_folder(arguments.folder, *device); !opened) return tl::unexpected(opened.error());
  if (auto noted = add_provenance(arguments.folder, *device, kVersion, arguments.command_line); !noted) {
    return tl::unexpected(noted.error());
  }
  return device;
}

std::function<bool()> deadline(double minutes) {
  using Clock = std::chrono::steady_clock;
  if (minutes <= 0) return [] { return false; };
  const auto end = Clock::now() +
                   std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::ratio<60>>(minutes));
  return [end] { return Clock::now() >= end; };
}

void show_progress(const std::string& line) {
  constexpr std::size_t kWidth = 100;
  if (::isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\x1b[K{}", one_line(line, kWidth));
  std::fflush(stderr);
}

void end_progress() {
  if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
}

void tell(const std::string& line) {
  constexpr std::size_t kLongest = 1000;
  end_progress();
  fmt::print(stderr, "rooftile-measure: {}\n", one_line(line, kLongest));
}

int report_error(const std::string& text) {
  tell(text);
  return kError;
}

int report_error(const Error& error) {
  tell(error.text());
  return error.code == ErrorCode::usage ? kWrongUsage : kError;
}

}  // namespace rooftile::measure
