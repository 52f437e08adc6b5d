#include "rooftile/cli/script.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>

#include "rooftile/base/process.hpp"
#include "rooftile/base/scratch_folder.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/write_all.hpp"
#include "rooftile/cli/status_line.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* kPython = "python3";

}  // namespace

bool is_script(std::string_view model) { return model.ends_with(".py"); }

Result<std::string> capture_script(const std::string& script) {
  const ScratchFolder folder;
  if (!folder.exists()) return fail(ErrorCode::io, std::strerror(errno), "a temporary folder");
  const std::string step = folder.file("step.json"), said = folder.file("said");
  const auto status = run_process({kPython, "-m", "rooftile", "capture", script, "-o", step}, said);
  if (!status) return fail(ErrorCode::not_found, "is needed to capture a script and was not found", kPython);
  const std::string words = read_text_file(said).value_or("");
  if (*status == 0) return read_text_file(step);
  if (words.find("No module named rooftile") != std::string::npos) {
    return fail(ErrorCode::not_found,
                fmt::format("{} has no package 'rooftile', which captures scripts; pip install ./python", kPython),
                script);
  }
  constexpr std::string_view kOwn = "rooftile: ";  // the last line, where the capture says what is wrong
  const std::size_t line = words.rfind(kOwn);
  if (line != std::string::npos && (line == 0 || words[line - 1] == '\n')) {
    return fail(ErrorCode::bad_input, words.substr(line + kOwn.size(), words.find('\n', line) - line - kOwn.size()));
  }
  clear_status();
  write_all(STDERR_FILENO, words);
  return fail(ErrorCode::bad_input, fmt::format("no step could be captured (exit status {})", *status), script);
}

}  // namespace rooftile::cli
