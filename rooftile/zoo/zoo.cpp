#include "rooftile/zoo/zoo.hpp"

#include <cassert>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "rooftile/zoo/embedded.hpp"
#include "rooftile/zoo/networks.hpp"
#include "rooftile/zoo/transformer_toml.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kDeltaNetworks = 4;

// Of images of one height.
ZooEntry images(std::string name, std::string description, Workload (*build)(std::int64_t),
                std::int64_t image_size = 224) {
  return {std::move(name),
          std::move(description),
          {},
          false,
          [build](const InputSize& size) { return build(size.batch_size); },
          {},
          {},
          image_size};
}

ZooEntry images_of_any_size(std::string name, std::string description, Workload (*build)(std::int64_t, std::int64_t)) {
  return {std::move(name), std::move(description), {}, true, [build](const InputSize& size) {
            return build(size.batch_size, size.image_size);
          }};
}

ZooEntry called(ZooEntry entry, std::vector<std::string> aliases) {
  entry.aliases = std::move(aliases);
  return entry;
}

// Of steps of so many positions, unless others are asked for.
ZooEntry sequences(std::string name, std::string description, std::int64_t length,
                   Workload (*build)(std::int64_t, std::int64_t)) {
  return {std::move(name), std::move(description), length, false,
          [build](const InputSize& size) { return build(size.batch_size, size.seq_len); }};
}

ZooEntry sound(std::string name, std::string description, Workload (*build)(std::int64_t, std::int64_t)) {
  constexpr std::int64_t kSamples = 160000;
  ZooEntry entry = sequences(std::move(name), std::move(description), kSamples, build);
  entry.least_positions = kLeastWav2Vec2Samples;
  return entry;
}

ZooEntry speech(std::string name, std::string description, Workload (*build)(std::int64_t, std::int64_t)) {
  ZooEntry entry = sequences(std::move(name), std::move(description), kMostWhisperTokens, build);
  entry.most_positions = kMostWhisperTokens;
  return entry;
}

// Detectors in five sizes.
void add_yolo(std::vector<ZooEntry>& entries, const std::string& name, const std::string& description,
              Workload (*build)(char, std::int64_t, std::int64_t)) {
  constexpr std::int64_t kImage = 640;
  for (const char scale : std::string_view("nsmlx")) {
    const std::string size = scale == 'n' ? "" : ", size " + std::string(1, scale);
    ZooEntry entry = {name + scale, description + size, {}, true, [build, scale](const InputSize& input) {
                        return build(scale, input.batch_size, input.image_size);
                      }};
    entry.image_size = kImage;
    entry.image_step = kYoloStep;
    if (name == "yolo11") entry.aliases = {std::string("yolov11") + scale};
    entries.push_back(std::move(entry));
  }
}

// A file of data/transformers. Its tests prove that it can be read.
ZooEntry text(const EmbeddedText& file) {
  auto shape = parse_transformer(file.text, file.path);
  assert(shape);
  const auto kept = std::make_shared<const Transformer>(*std::move(shape));
  const bool images = kept->patch > 0;
  return {kept->name,
          kept->description,
          images ? std::nullopt : std::optional(kept->seq_len),
          images,
          [kept](const InputSize& size) {
            return build(*kept,
                         {.batch_size = size.batch_size, .seq_len = size.seq_len, .image_size = size.image_size});
          },
          kept->aliases,
          kept,
          images ? kept->image_size : 0};
}

std::vector<ZooEntry> make_zoo() {
  std::vector<ZooEntry> entries = {
      images("alexnet", "AlexNet, 96 filters in the first layer, no groups (2012), as in the DeLTA paper", alexnet),
      images("vgg16", "VGG-16, configuration D (2014), as in the DeLTA paper", vgg16),
      images("googlenet", "GoogLeNet without auxiliary classifiers (2014), as in the DeLTA paper", googlenet),
      images_of_any_size("resnet152", "ResNet-152, stride in the first 1x1 (2015), as in the DeLTA paper", resnet152),
      images_of_any_size("resnet18", "ResNet-18 (2015)", resnet18),
      images_of_any_size("resnet34", "ResNet-34 (2015)", resnet34),
      called(images_of_any_size("resnet50", "ResNet-50, stride in the 3x3 (2015)", resnet50), {"resnet50v1.5"}),
      images_of_any_size("resnet101", "ResNet-101, stride in the 3x3 (2015)", resnet101),
      images_of_any_size("resnet200", "ResNet-200, stride in the 3x3 (2016)", resnet200),
      images_of_any_size("resnet50_v1", "ResNet-50 as published, stride in the first 1x1 (2015)", resnet50_v1),
      images_of_any_size("resnet152_v1.5", "ResNet-152, stride in the 3x3, as in Torch", resnet152_v1_5),
      images("alexnet_caffe", "AlexNet as in Caffe, two groups (2012)", alexnet_caffe),
      images("alexnet_owt", "AlexNet of \"One weird trick\", 64 filters in the first layer (2014)", alexnet_owt),
      images("vgg19", "VGG-19, configuration E (2014)", vgg19),
      images_of_any_size("densenet161", "DenseNet-161 (2016)", densenet161),
      called(images_of_any_size("mobilenet_v1", "MobileNet, depthwise separable convolutions (2017)", mobilenet_v1),
             {"mobilenetv1_100"}),
      called(images(
                 "xception", "Xception, 299x299 (2016)", [](std::int64_t batch) { return xception(batch, 299); }, 299),
             {"legacy_xception"}),
      images_of_any_size("resnext101_32x4d", "ResNeXt-101, 32 groups of 4 (2017)", resnext101_32x4d),
      images_of_any_size("se_resnext101_32x4d", "the same with squeeze and excitation (2018)", se_resnext101_32x4d),
      images_of_any_size("convnext_v2_tiny", "ConvNeXt V2 tiny (2023)", convnext_v2_tiny),
      images_of_any_size("convnext_v2_base", "ConvNeXt V2 base", convnext_v2_base),
      images_of_any_size("convnext_v2_large", "ConvNeXt V2 large", convnext_v2_large),
      images_of_any_size("convnext_v2_huge", "ConvNeXt V2 huge", convnext_v2_huge),
      images("sam_vit_b", "the encoder of images of Segment Anything, ViT-B, 1024x1024 (2023)", sam_vit_b, 1024),
      images("sam_vit_l", "the same, ViT-L", sam_vit_l, 1024),
      images("sam_vit_h", "the same, ViT-H", sam_vit_h, 1024),
      images("swin_l", "Swin-L, windows of 7 (2021)", swin_l),
      images("swin_v2_t_window16", "Swin v2-T, windows of 16 (2022)", swin_v2_t_window16, 256),
      images("swin_v2_s_window16", "Swin v2-S, windows of 16", swin_v2_s_window16, 256),
      images("swin_v2_b_window16", "Swin v2-B, windows of 16", swin_v2_b_window16, 256),
      images("swin_v2_l_window16", "Swin v2-L, windows of 16", swin_v2_l_window16, 256),
      images("swin_v2_b_window24", "Swin v2-B, windows of 24, 384x384", swin_v2_b_window24, 384),
      images("ssd300_vgg16", "SSD300 on VGG-16, PASCAL VOC (2016)", ssd300_vgg16, 300),
      called(images("ssd300_resnet34", "SSD300 on ResNet-34, as in MLPerf Training", ssd300_resnet34, 300),
             {"SSD-ResNet34"}),
      called(
          images("ssd300_resnet50", "SSD300 on ResNet-50, as in NVIDIA's DeepLearningExamples", ssd300_resnet50, 300),
          {"ssd", "ssd300"}),
      called(images("faster_rcnn_resnet101", "Faster R-CNN on ResNet-101, 300 regions of 600x1000 (2015)",
                    faster_rcnn_resnet101, 600),
             {"faster_rcnn"}),
      called(images("mask_rcnn_resnet50_fpn", "Mask R-CNN on ResNet-50 and a pyramid, 1000 regions of 800x1344 (2017)",
                    mask_rcnn_resnet50_fpn, 800),
             {"mask_rcnn"}),
      called(images("retinanet_resnet50_fpn", "RetinaNet on ResNet-50 and a pyramid, 800x1344 (2017)",
                    retinanet_resnet50_fpn, 800),
             {"retinanet"}),
      images("retinanet_resnext50_fpn", "RetinaNet on ResNeXt-50 32x4d, 800x800, as in MLPerf Inference",
             retinanet_resnext50_fpn, 800),
      called(images("unet", "U-Net, 572x572 (2015)", unet, 572), {"UNet_Medical"}),
      images("stable_diffusion_1.5_unet", "the denoiser of Stable Diffusion 1.5, latents of 64x64",
             stable_diffusion_unet, 512),
      called(images("stable_diffusion_1.5",
                    "a step of Stable Diffusion 1.5 with guidance: the denoiser on twice the batch", stable_diffusion,
                    512),
             {"stable_diffusion_1.5_txt2img", "stable_diffusion_1.5_img2img"}),
      images("stable_diffusion_1.5_inpaint", "the same with a mask", stable_diffusion_inpaint, 512),
      images("stable_diffusion_1.5_controlnet", "the same steered by an image, with ControlNet (2023)",
             stable_diffusion_controlnet, 512),
      images("stable_diffusion_xl_unet", "the denoiser of Stable Diffusion XL, latents of 128x128",
             stable_diffusion_xl_unet, 1024),
      called(
          images("stable_diffusion_xl", "a step of Stable Diffusion XL with guidance: the denoiser on twice the batch",
                 stable_diffusion_xl, 1024),
          {"sdxl"}),
      images("dit_xl_2", "DiT-XL/2, latents of 32x32 (2022)", dit_xl_2, 256),
      called(images("stable_diffusion_3_medium", "the denoiser of Stable Diffusion 3 Medium, latents of 128x128 (2024)",
                    stable_diffusion_3_medium, 1024),
             {"sd3_medium"}),
      called(images("flux_1_dev", "the denoiser of FLUX.1 dev, latents of 128x128, 512 words (2024)", flux_1_dev, 1024),
             {"flux", "flux_1"}),
      images("flux_1_schnell", "the denoiser of FLUX.1 schnell, 256 words, no embedding of guidance", flux_1_schnell,
             1024),
      images("wgan_generator", "the generator of WGAN-GP, 64x64 (2017)", wgan_generator, 0),
      images("wgan_critic", "the critic of WGAN-GP, 64x64 (2017)", wgan_critic, 64),
      images("a3c", "A3C, four frames of 84x84 (2016)", a3c, 84),
      images("ncf", "neural collaborative filtering on MovieLens-20M, as in MLPerf Training", ncf, 0),
      images("dlrm", "DLRM on Criteo's terabyte, as in MLPerf Training v0.7 (2019)", dlrm, 0),
      called(
          sequences("gnmt_v2", "GNMT v2, both texts of 50 positions, as in NVIDIA's DeepLearningExamples", 50, gnmt_v2),
          {"gnmt"}),
      sequences("sockeye", "Sockeye's translation with 5 LSTMs, IWSLT15, both texts of 25 positions (2017)", 25,
                sockeye),
      sequences("deep_speech_2", "Deep Speech 2, ten seconds of 100 frames each (2015)", 1000, deep_speech_2),
      sound("wav2vec2_base", "wav2vec 2.0 base, ten seconds of 16,000 samples each (2020)", wav2vec2_base),
      sound("wav2vec2_large", "wav2vec 2.0 large", wav2vec2_large),
      speech("whisper_tiny", "Whisper tiny, 30 s of speech and a text of 448 positions (2022)", whisper_tiny),
      speech("whisper_base", "Whisper base", whisper_base),
      speech("whisper_small", "Whisper small", whisper_small),
      speech("whisper_medium", "Whisper medium", whisper_medium),
      speech("whisper_large_v2", "Whisper large-v2 (2022)", whisper_large_v2),
      called(speech("whisper_large_v3", "Whisper large-v3 (2023)", whisper_large_v3), {"whisper_large"}),
      called(
          speech("whisper_large_v3_turbo", "Whisper large-v3 turbo, 4 decoder layers (2024)", whisper_large_v3_turbo),
          {"whisper_turbo"}),
  };
  add_yolo(entries, "yolov5", "YOLOv5 of Ultralytics, release 6.0 on, 640x640 (2021)", yolov5);
  add_yolo(entries, "yolov8", "YOLOv8 of Ultralytics, 640x640 (2023)", yolov8);
  add_yolo(entries, "yolo11", "YOLO11 of Ultralytics, 640x640 (2024)", yolo11);
  for (const EmbeddedText& file : embedded_transformers()) entries.push_back(text(file));
  return entries;
}

}  // namespace

Workload refused(const std::string& name, std::int64_t batch_size) {
  Workload workload;
  workload.name = name;
  workload.batch_size = batch_size;
  workload.tensors = {{"input", {kMaxDimension, kMaxDimension}}};
  return workload;
}

const std::vector<ZooEntry>& zoo() {
  static const std::vector<ZooEntry> entries = make_zoo();
  return entries;
}

std::span<const ZooEntry> delta_networks() { return std::span(zoo()).first(kDeltaNetworks); }

}  // namespace rooftile
