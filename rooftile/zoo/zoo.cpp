#include "rooftile/zoo/zoo.hpp"

#include <array>
#include <utility>

#include "rooftile/zoo/networks.hpp"

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

ZooEntry text(std::string description, const Transformer& shape, std::int64_t seq_len = 0) {
  return {shape.name, std::move(description), seq_len > 0 ? seq_len : shape.positions, false,
          [shape](const InputSize& size) { return shape(size.batch_size, size.seq_len); }};
}

// Sizes: the configurations that Hugging Face publishes; gpt3_xl and gpt3_27 with the sizes of Brown et al. (2020) for
// models of 1.3 and 2.7 billion weights, except that gpt3_xl is 3072 wide, as NeuSight measured it.
std::vector<ZooEntry> make_zoo() {
  return {
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
      text("BERT base, 512 positions (2018)", {"bert_base", 12, 768, 12, 3072, 30522, 512, true, "gelu", false}),
      text("BERT large, 512 positions (2018)", {"bert_large", 24, 1024, 16, 4096, 30522, 512, true, "gelu", false}),
      text("BERT base over questions of 384 positions (SQuAD)",
           {"bert_base_squad", 12, 768, 12, 3072, 30522, 512, true, "gelu", false}, 384),
      text("BERT large over questions of 384 positions (SQuAD)",
           {"bert_large_squad", 24, 1024, 16, 4096, 30522, 512, true, "gelu", false}, 384),
      text("GPT-2, 1024 positions (2019)", {"gpt2", 12, 768, 12, 3072, 50257, 1024, false, "gelu_new", true}),
      text("GPT-2 large, 1024 positions (2019)",
           {"gpt2_large", 36, 1280, 20, 5120, 50257, 1024, false, "gelu_new", true}),
      text("GPT-3 XL, 3072 wide, 2048 positions (2020)",
           {"gpt3_xl", 24, 3072, 24, 12288, 50257, 2048, false, "gelu_new", true}),
      text("GPT-3 2.7B, 2048 positions (2020)", {"gpt3_27", 32, 2560, 32, 10240, 50257, 2048, false, "gelu_new", true}),
      text("OPT 1.3B, 2048 positions (2022)", {"opt_13", 24, 2048, 32, 8192, 50272, 2048, false, "relu", false}),
  };
}

}  // namespace

const std::vector<ZooEntry>& zoo() {
  static const std::vector<ZooEntry> entries = make_zoo();
  return entries;
}

std::span<const ZooEntry> delta_networks() { return std::span(zoo()).first(kDeltaNetworks); }

}  // namespace rooftile
