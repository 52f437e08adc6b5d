#include "rooftile/cli/progress.hpp"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "rooftile/cli/status_line.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

std::size_t columns_of_terminal() {
  constexpr std::size_t kUsual = 80;
  struct winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

std::string time_left(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 24 * kHour, kYear = 365 * kDay, kFew = 2;
  if (seconds < kFew * kMinute) return fmt::format("{:.0f} s left", seconds);
  if (seconds < kFew * kHour) return fmt::format("{:.0f} min left", seconds / kMinute);
  if (seconds < kFew * kDay) return fmt::format("{:.1f} h left", seconds / kHour);
  if (seconds < kFew * kYear) return fmt::format("{:.0f} days left", seconds / kDay);
  return "years left";
}

}  // namespace

Progress::Progress(std::string_view unit, std::uint64_t before)
    : unit_(unit), before_(before), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) clear_status();
}

void Progress::show(std::uint64_t done, std::uint64_t all) {
  show_part(static_cast<double>(done), static_cast<double>(all));
}

void Progress::show_part(double done, double all) {
  if (!terminal_ || done <= static_cast<double>(before_)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  constexpr double kPatience = 1, kBetween = 0.1;
  if (seconds < kPatience || std::chrono::duration<double>(now - last_).count() < kBetween) return;
  last_ = now;
  shown_ = true;
  show_status(line(done, all, seconds, columns_of_terminal()), Status::progress);
}

// The last column stays free: some terminals go to the next line after it.
std::string Progress::line(double done, double all, double seconds, std::size_t columns) const {
  const double rate = (done - static_cast<double>(before_)) / seconds, share = done / all;
  std::string text =
      fmt::format("{:>7}, {} {}/s, {}", percent(share, 1), four_digits(rate), unit_, time_left((all - done) / rate));
  constexpr std::size_t kMost = 30, kLeast = 5, kFrame = 2;
  const std::size_t taken = text.size() + kFrame + 1;
  if (columns >= taken + kLeast) {
    const std::size_t width = std::min(kMost, columns - taken);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    return fmt::format("[{:#<{}}{:.<{}}]{}", "", filled, "", width - filled, text);
  }
  text.erase(0, text.find_first_not_of(' '));
  return text.substr(0, columns - 1);
}

}  // namespace rooftile::cli
