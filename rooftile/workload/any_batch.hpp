// A network at other batch sizes, without building it again.
//
//     auto any = AnyBatch::from(load(1), load(32));
//     if (any) largest = memory_of(any->at(57));
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

class AnyBatch {
 public:
  // Of the same network at two batch sizes; nothing where a size is neither the same in both nor in proportion to the
  // batch (rounded up to a multiple, say), so that nobody knows it at a third.
  static std::optional<AnyBatch> from(Workload one, Workload other);

  AnyBatch(AnyBatch&&) = default;
  AnyBatch& operator=(AnyBatch&&) = default;

  // Good until the next call.
  const Workload& at(std::int64_t batch);

 private:
  struct Size {
    std::int64_t* place;  // in a vector of workload_, which keeps its storage when it is moved
    std::int64_t of_one;  // sample
  };

  explicit AnyBatch(Workload workload) : workload_(std::move(workload)) {}

  Workload workload_;
  std::vector<Size> sizes_;  // that follow the batch
};

}  // namespace rooftile
