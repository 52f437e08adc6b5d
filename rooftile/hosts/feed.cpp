#include "rooftile/hosts/feed.hpp"

#include <algorithm>
#include <array>

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"arrays", "images", "text", "environment"};
constexpr std::array<std::string_view, 4> kOfEnvironments = {"frames", "observation", "observations", "state"};

// Data sets of smaller images (CIFAR-10, ImageNet at 64x64) are stored without compression.
constexpr std::int64_t kStoredImage = 96;

// ImageNet's images: 1,281,167 of 146 GB in all, at about 500x375 pixels, of which a random part is cut.
constexpr double kPhotoPixels = 500.0 * 375, kPhotoBytes = 114e3;

bool is_image(const Shape& shape) {
  return shape.size() == 4 && (shape[1] == 1 || shape[1] == 3) && std::min(shape[2], shape[3]) > kStoredImage;
}

Feed feed_of(const Tensor& input) {
  if (std::find(kOfEnvironments.begin(), kOfEnvironments.end(), input.name) != kOfEnvironments.end()) {
    return Feed::environment;
  }
  if (!is_floating(input.dtype)) return Feed::text;
  return is_image(input.shape) ? Feed::images : Feed::arrays;
}

void add_input(const Tensor& input, Feed feed, double batch, FeedWork& work) {
  const Bytes size = size_of(input);
  work.sent += size;
  switch (feed) {
    case Feed::arrays:
      work.stored += size;
      break;
    case Feed::images: {
      const double channels = input.shape.size() == 4 ? static_cast<double>(input.shape[1]) : 1;
      const double pixels = elements(input.shape) / channels;
      const double source = std::max(pixels, kPhotoPixels * batch);
      work.pixels += pixels;
      work.source_pixels += source;
      work.stored += Bytes(source * (kPhotoBytes / kPhotoPixels));
      break;
    }
    case Feed::text:
      work.tokens += elements(input.shape);
      break;
    case Feed::environment:
      work.steps = batch;
      break;
  }
}

}  // namespace

std::string_view name_of(Feed feed) { return kNames[static_cast<std::size_t>(feed)]; }
std::vector<std::string> feed_names() { return {kNames.begin(), kNames.end()}; }

std::optional<Feed> parse_feed(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<Feed>(found - kNames.begin()));
}

FeedWork feed_work(const Workload& workload, std::optional<Feed> feed) {
  FeedWork work;
  const auto batch = static_cast<double>(workload.batch_size);
  for (const TensorId id : workload.inputs) {
    const Tensor& input = workload.tensors[id];
    const Feed own = feed.value_or(feed_of(input));
    work.feed = std::max(work.feed, own);
    add_input(input, own, batch, work);
  }
  // Four bytes of text a token (English, with the vocabularies of GPT-2 and BERT).
  constexpr double kTokenBytes = 4;
  work.stored += Bytes(work.tokens * kTokenBytes);
  return work;
}

}  // namespace rooftile
