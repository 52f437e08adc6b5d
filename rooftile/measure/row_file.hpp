// A CSV file that grows by one row at a time and survives being cut off.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile::measure {

class RowFile {
 public:
  // Opens the file at `path`, which is made with that header where it is missing or empty. A last line without its end
  // was torn by whatever stopped the run before: it is dropped. Errors: what the system says, another header, a file
  // that another run holds open.
  static Result<RowFile> open(const std::string& path, const std::vector<std::string>& columns);

  RowFile(RowFile&& other) noexcept;
  RowFile& operator=(RowFile&& other) noexcept;
  ~RowFile();

  // Rows that were there when it was opened, as many cells each as there are columns.
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  // On the disk when it returns. On an error (no space left) the file is as before.
  Result<void> append(const std::vector<std::string>& cells);

 private:
  RowFile(int file, std::string path) : file_(file), path_(std::move(path)) {}

  int file_ = -1;
  std::string path_;
  std::size_t size_ = 0;  // bytes of whole lines
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace rooftile::measure
