// What a terminal says while a command works for long and shows no progress of its own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace rooftile::cli {

// "working, 5 s" (show_status), from the second second on, until it dies or output begins.
class Working {
 public:
  Working();
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  void tell();

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace rooftile::cli
