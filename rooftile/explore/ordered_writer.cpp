#include "rooftile/explore/ordered_writer.hpp"

#include <cstddef>
#include <utility>

namespace rooftile {

std::vector<std::string> OrderedWriter::texts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (spare_.empty()) return std::vector<std::string>(sinks_.size());
  std::vector<std::string> texts = std::move(spare_.back());
  spare_.pop_back();
  for (std::string& text : texts) text.clear();
  return texts;
}

void OrderedWriter::write(std::uint64_t block, std::vector<std::string> texts, std::uint64_t designs) {
  std::unique_lock<std::mutex> lock(mutex_);
  caught_up_.wait(lock, [&] { return failed_ || block < next_ + ahead_; });
  waiting_.emplace(block, Block{std::move(texts), designs});
  if (writing_) return;  // that thread takes it when its turn comes
  writing_ = true;
  for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
    Block taken = std::move(first->second);
    waiting_.erase(first);
    lock.unlock();
    write_out(taken);
    lock.lock();
    spare_.push_back(std::move(taken.texts));
    ++next_;
    caught_up_.notify_all();
  }
  writing_ = false;
}

void OrderedWriter::give_up() {
  const std::lock_guard<std::mutex> lock(mutex_);
  failed_ = true;
  caught_up_.notify_all();
}

// By the one thread that writes.
void OrderedWriter::write_out(const Block& block) {
  for (std::size_t s = 0; s < sinks_.size() && !failed_; ++s) {
    if (auto result = sinks_[s]->write(block.texts[s]); !result) {
      error_ = result.error();
      failed_ = true;
    }
  }
  done_ += block.designs;
  if (progress_) progress_(done_);
}

}  // namespace rooftile
