#include "rooftile/base/process.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rooftile {

Result<int> run_process(const std::vector<std::string>& arguments, const std::string& output) {
  constexpr mode_t kMode = 0666;  // less what the user's mask takes
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (file < 0) return fail(ErrorCode::io, std::strerror(errno), output);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, file, STDERR_FILENO);
  std::vector<std::string> texts = arguments;  // exec takes them as not constant
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, pointers.front(), &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(file);
  if (error != 0) return fail(ErrorCode::not_found, std::strerror(error), arguments.front());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(ErrorCode::io, std::strerror(errno), arguments.front());
  }
  constexpr int kSignalled = 128;  // as shells have it
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace rooftile
