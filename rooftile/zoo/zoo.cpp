#include "rooftile/zoo/zoo.hpp"

#include <cassert>
#include <memory>
#include <optional>
#include <utility>

#include "rooftile/zoo/embedded.hpp"
#include "rooftile/zoo/networks.hpp"
#include "rooftile/zoo/transformer_toml.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kDeltaNetworks = 4;

ZooEntry images(std::string name, std::string description, Workload (*build)(std::int64_t)) {
  return {std::move(name), std::move(description), {}, false, [build](const InputSize& size) {
            return build(size.batch_size);
          }};
}

ZooEntry images_of_any_size(std::string name, std::string description, Workload (*build)(std::int64_t, std::int64_t)) {
  return {std::move(name), std::move(description), {}, true, [build](const InputSize& size) {
            return build(size.batch_size, size.image_size);
          }};
}

// A file of data/transformers. Its tests prove that it can be read.
ZooEntry text(const EmbeddedText& file) {
  auto shape = parse_transformer(file.text, file.path);
  assert(shape);
  const auto kept = std::make_shared<const Transformer>(*std::move(shape));
  return {kept->name,
          kept->description,
          kept->patch > 0 ? std::nullopt : std::optional(kept->seq_len),
          kept->patch > 0,
          [kept](const InputSize& size) {
            return build(*kept,
                         {.batch_size = size.batch_size, .seq_len = size.seq_len, .image_size = size.image_size});
          },
          kept->aliases,
          kept};
}

std::vector<ZooEntry> make_zoo() {
  std::vector<ZooEntry> entries = {
      images("alexnet", "AlexNet, 96 filters in the first layer, no groups (2012), as in the DeLTA paper", alexnet),
      images("vgg16", "VGG-16, configuration D (2014), as in the DeLTA paper", vgg16),
      images("googlenet", "GoogLeNet without auxiliary classifiers (2014), as in the DeLTA paper", googlenet),
      images_of_any_size("resnet152", "ResNet-152, stride in the first 1x1 (2015), as in the DeLTA paper", resnet152),
      images_of_any_size("resnet18", "ResNet-18 (2015)", resnet18),
      images_of_any_size("resnet34", "ResNet-34 (2015)", resnet34),
      images_of_any_size("resnet50", "ResNet-50, stride in the 3x3 (2015)", resnet50),
      images_of_any_size("resnet101", "ResNet-101, stride in the 3x3 (2015)", resnet101),
      images_of_any_size("resnet200", "ResNet-200, stride in the 3x3 (2016)", resnet200),
      images("vgg19", "VGG-19, configuration E (2014)", vgg19),
      images_of_any_size("densenet161", "DenseNet-161 (2016)", densenet161),
  };
  for (const EmbeddedText& file : embedded_transformers()) entries.push_back(text(file));
  return entries;
}

}  // namespace

const std::vector<ZooEntry>& zoo() {
  static const std::vector<ZooEntry> entries = make_zoo();
  return entries;
}

std::span<const ZooEntry> delta_networks() { return std::span(zoo()).first(kDeltaNetworks); }

}  // namespace rooftile
