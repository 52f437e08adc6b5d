// Writing results: whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"

namespace rooftile::cli {

// Makes a file that grows past the shell's limit (ulimit -f) an error of the write, not the end of the program. Once,
// at the start.
void report_file_size_limit();

// One line on standard error, "rooftile: …"; nothing happens where that cannot be written to.
void write_error(std::string_view text);

// Makes the folder of an -o, and finds out before any work whether files can be put there. Nothing is done where none
// is named. Errors: what the operating system says.
Result<void> prepare_folder(const std::string& folder, const std::string& option = "-o");

// Writes to standard output if `path` is empty or "-", else a file that is there whole or not at all
// (write_whole_file). Errors: what the operating system says.
Result<void> write_bytes(const std::string& path, std::string_view bytes);

// The same of text, whose control characters standard output gets escaped: names in it may be of files.
Result<void> write_output(const std::string& path, std::string_view text);

// Whether anything went to standard output yet; or into a file. Of a signal handler's use.
bool printing_begun();
bool output_begun();

}  // namespace rooftile::cli
