#include "rooftile/measure/row_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/write_all.hpp"

namespace rooftile::measure {
namespace {

tl::unexpected<Error> system_error(const std::string& path, int error) {
  return fail(ErrorCode::io, std::strerror(error), path);
}

}  // namespace

RowFile::RowFile(RowFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      size_(other.size_),
      rows_(std::move(other.rows_)) {}

RowFile& RowFile::operator=(RowFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  std::swap(rows_, other.rows_);
  return *this;
}

RowFile::~RowFile() {
  if (file_ >= 0) ::close(file_);
}

Result<RowFile> RowFile::open(const std::string& path, const std::vector<std::string>& columns) {
  constexpr mode_t kMode = 0666;  // less what the user's mask takes
  RowFile result(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode), path);
  if (result.file_ < 0) return system_error(path, errno);
  if (::flock(result.file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error(path, errno);
    return fail(ErrorCode::io, "another run is writing here; choose another folder", path);
  }
  auto text = TRY(read_text_file(path));
  const std::size_t end = text.rfind('\n');
  text.resize(end == std::string::npos ? 0 : end + 1);
  result.size_ = text.size();
  if (::ftruncate(result.file_, static_cast<off_t>(result.size_)) != 0) return system_error(path, errno);
  if (text.empty()) {
    TRY(result.append(columns));
    return result;
  }
  auto rows = TRY(parse_csv(text, path));
  if (rows.empty() || rows.front().cells != columns) {
    return fail(ErrorCode::bad_input, "has other columns: written by another version; choose another folder",
                path + ":1");
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    auto& cells = rows[i].cells;
    if (cells.size() != columns.size()) {
      return fail(ErrorCode::bad_input, fmt::format("{} cells in a table of {} columns", cells.size(), columns.size()),
                  fmt::format("{}:{}", path, rows[i].line));
    }
    result.rows_.push_back(std::move(cells));
  }
  return result;
}

Result<void> RowFile::append(const std::vector<std::string>& cells) {
  const std::string line = write_csv_row(cells);
  int error = write_all(file_, line);
  // A file system may find out only now that it is full.
  if (error == 0 && ::fdatasync(file_) != 0) error = errno;
  if (error == 0) {
    size_ += line.size();
    return {};
  }
  static_cast<void>(::ftruncate(file_, static_cast<off_t>(size_)) == 0);  // else the next run drops the torn line
  return system_error(path_, error);
}

}  // namespace rooftile::measure
