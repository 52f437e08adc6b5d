// What a network is fed with, by its inputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

enum class Feed {
  arrays,       // stored as the network reads them
  images,       // decoded and augmented
  text,         // tokenised
  environment,  // frames of a game, which has to be played
};
std::string_view name_of(Feed feed);
std::vector<std::string> feed_names();
std::optional<Feed> parse_feed(std::string_view name);

// What a batch is to the host.
struct FeedWork {
  Feed feed = Feed::arrays;
  double pixels = 0;         // of the network's images
  double source_pixels = 0;  // of those that they are cut from
  double tokens = 0;
  double steps = 0;    // of the environment
  Bytes stored, sent;  // read from the disk; copied to the GPU
};

// Integers are text; maps of one or three channels are images, larger than kStoredImage pixels a side; an input called
// frames, observations or states is of an environment; the rest is arrays. `feed` overrides it.
FeedWork feed_work(const Workload& workload, std::optional<Feed> feed = {});

}  // namespace rooftile
