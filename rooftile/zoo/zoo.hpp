// Networks built in: the four of the DeLTA paper as it uses them and further networks from code, and the transformers
// of data/transformers (docs/networks.md).
//
//     for (const ZooEntry& network : zoo()) assert(validate(network.build(1)));
//     assert(delta_networks().size() == 4);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/workload/workload.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

constexpr std::int64_t kSmallestImage = 32;  // that every network built in halves five times

// How large an input is; each from 1 to kMaxDimension, an image from kSmallestImage.
struct InputSize {
  std::int64_t batch_size = 1;
  std::int64_t seq_len = 1;       // positions of a text
  std::int64_t image_size = 224;  // height and width of an image
};

struct ZooEntry {
  std::string name;
  std::string description;
  std::optional<std::int64_t> seq_len;  // that a text has unless something else is asked for; none: images
  bool any_image_size;                  // not only images of `image_size`, but of any multiple of `image_step`
  std::function<Workload(const InputSize&)> builder;    // the result still needs validate()
  std::vector<std::string> aliases = {};                // other names of the same network
  std::shared_ptr<const Transformer> transformer = {};  // whose geometry it has; null: built from code
  std::int64_t image_size = 224;                        // height of its images; 0: takes none
  std::int64_t most_positions = 0;                      // that `builder` takes, those of its table; 0: any
  std::int64_t image_step = 1;
  std::int64_t least_positions = 1;  // that `builder` takes

  Workload build(std::int64_t batch_size) const { return builder({batch_size, seq_len.value_or(1), image_size}); }
};

const std::vector<ZooEntry>& zoo();

// AlexNet (96 filters, no groups), VGG-16, GoogLeNet and ResNet-152 (stride in the first 1x1 of a downsampling block).
std::span<const ZooEntry> delta_networks();

}  // namespace rooftile
