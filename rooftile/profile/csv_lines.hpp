// The CSV rows in what a profiler printed, where they stand among its own messages ("==PROF== …") and the output of the
// program it watched.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/csv.hpp"

namespace rooftile::profile {

struct CsvLine {
  std::size_t line = 0;            // of the file, from 1
  std::string_view text{};         // as it stands there
  std::vector<std::string> cells;  // empty: no CSV
  std::string reason{};            // why it is none
};

class CsvLines {
 public:
  explicit CsvLines(std::string_view text);

  // The next line that is neither blank nor a message of the tool ("==…"); nothing at the end. A quoted cell may go on
  // for a few lines.
  std::optional<CsvLine> next();

  // The tool's own errors met so far: "==ERROR== …" without the mark.
  const std::vector<std::string>& tool_errors() const { return tool_errors_; }

 private:
  std::string_view take_line();

  std::string_view rest_;
  std::size_t line_ = 0;
  std::vector<std::string> tool_errors_;
};

// The position of the column of that name.
std::optional<std::size_t> column(const std::vector<std::string>& header, std::string_view name);

}  // namespace rooftile::profile
