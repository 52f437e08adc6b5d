// Networks from code against what was published of them.
#include "rooftile/zoo/networks.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "rooftile/ops/work.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/sequence.hpp"
#include "rooftile/zoo/test_network.hpp"

namespace rooftile {
namespace {

// Weights that are trained: no statistics of batch norms, and with `frozen` nothing of them.
double parameters(const Workload& workload, bool frozen = false) {
  double count = 0;
  for (const Tensor& tensor : workload.tensors) {
    const bool statistic = tensor.name.ends_with(".mean") || tensor.name.ends_with(".variance");
    const bool norm = tensor.name.find("/bn.") != std::string::npos;
    if (tensor.constant && !statistic && !(frozen && norm)) count += elements(tensor.shape);
  }
  return count;
}

double macs_of_products(const Workload& workload) {
  double sum = 0;
  for (const Op& op : workload.ops) {
    if (const auto* conv = std::get_if<Conv>(&op.kind)) sum += macs(*conv);
    if (const auto* recurrent = std::get_if<Recurrent>(&op.kind)) sum += macs(*recurrent);
    if (std::holds_alternative<Gemm>(op.kind)) sum += flops(workload, op).value() / 2;
  }
  return sum;
}

Shape output(const Workload& workload, const std::string& name) {
  for (const Op& op : workload.ops) {
    if (op.name == name) return workload.tensors[op.outputs.front()].shape;
  }
  return {};
}

// timm, results/model_metadata-in1k.csv and benchmark-infer: 44.18 M and 8.01 G, 48.96 M and 8.02 G.
TEST(Networks, ResNeXt) {
  EXPECT_NEAR(parameters(resnext101_32x4d(1, 224)), 44.18e6, 0.01e6);
  EXPECT_NEAR(macs_of_products(resnext101_32x4d(1, 224)), 8.01e9, 0.05e9);
  EXPECT_NEAR(parameters(se_resnext101_32x4d(1, 224)), 48.96e6, 0.01e6);
  EXPECT_NEAR(macs_of_products(se_resnext101_32x4d(1, 224)), 8.02e9, 0.05e9);
}

// timm, results/benchmark-infer (mobilenetv1_100, legacy_xception at 299x299): 4.23 M and 0.58 G, 22.86 M and 8.40 G.
// Without the statistics of batch norms.
TEST(Networks, SeparableConvolutions) {
  EXPECT_EQ(parameters(mobilenet_v1(1, 224)), 4231976);
  EXPECT_NEAR(macs_of_products(mobilenet_v1(1, 224)) / 1e9, 0.58, 0.02);
  EXPECT_EQ(parameters(xception(1, 299)), 22855952);
  EXPECT_NEAR(macs_of_products(xception(1, 299)) / 1e9, 8.4, 0.05);
}

// Woo et al., tables 9 and 10: 28.6 M and 4.47 G, 88.7 M and 15.4 G, 198 M and 34.4 G, 660 M and 115 G.
TEST(Networks, ConvNextV2) {
  struct Published {
    Workload workload;
    double millions = 0, giga = 0;
  };
  for (const Published& published :
       {Published{convnext_v2_tiny(1, 224), 28.64, 4.47}, Published{convnext_v2_base(1, 224), 88.72, 15.38},
        Published{convnext_v2_large(1, 224), 197.96, 34.4}, Published{convnext_v2_huge(1, 224), 660.29, 115}}) {
    EXPECT_NEAR(parameters(published.workload) / 1e6, published.millions, 0.006) << published.workload.name;
    EXPECT_NEAR(macs_of_products(published.workload) / 1e9 / published.giga, 1, 0.005) << published.workload.name;
  }
}

// 8732 boxes (Liu et al., section 3.1). The 26,285,486 weights of the authors' model as PyTorch ports have it.
TEST(Networks, Ssd300) {
  for (const Workload& ssd : {ssd300_vgg16(2), ssd300_resnet34(2), ssd300_resnet50(2)}) {
    EXPECT_EQ(output(ssd, "locations"), (Shape{2, 8732, 4})) << ssd.name;
  }
  EXPECT_EQ(parameters(ssd300_vgg16(1)), 26285486);
  EXPECT_EQ(output(ssd300_vgg16(1), "prob"), (Shape{1, 8732, 21}));
  EXPECT_EQ(output(ssd300_resnet50(1), "extra5/3x3/relu"), (Shape{1, 256, 1, 1}));
}

// Parameters and multiply-accumulates of microsoft/Swin-Transformer's model hub: 197 M and 34.5 G; version 2 with
// windows of 16: 28 M and 6.6 G, 50 M and 12.6 G, 88 M and 21.8 G, 197 M and 47.5 G; of 24: 88 M and 54.7 G.
TEST(Networks, Swin) {
  struct Published {
    Workload workload;
    double millions = 0, giga = 0;
  };
  for (const Published& published :
       {Published{swin_l(1), 196.5, 34.5}, Published{swin_v2_t_window16(1), 28.3, 6.6},
        Published{swin_v2_s_window16(1), 49.7, 12.6}, Published{swin_v2_b_window16(1), 87.9, 21.8},
        Published{swin_v2_l_window16(1), 196.7, 47.5}, Published{swin_v2_b_window24(1), 87.9, 54.7}}) {
    EXPECT_NEAR(parameters(published.workload) / 1e6, published.millions, 0.2) << published.workload.name;
    EXPECT_NEAR(macs_of_products(published.workload) / 1e9 / published.giga, 1, 0.02) << published.workload.name;
  }
}

// 23 convolutions, 388x388 (Ronneberger et al., figure 1 and section 2).
TEST(Networks, UNet) {
  const Workload workload = unet(1);
  EXPECT_EQ(count<Conv>(workload), 23u);
  EXPECT_EQ(workload.tensors[workload.outputs.front()].shape, (Shape{1, 2, 388, 388}));
  EXPECT_NEAR(parameters(workload), 31.03e6, 0.01e6);
}

// 859,520,964 weights, those of the published file, and 14,400 more where nine channels come in. Kim et al. (BK-SDM,
// arXiv:2305.15798, table 1) count 860 M and 339 G multiply-accumulates a step, attention's own products left out.
TEST(Networks, StableDiffusion) {
  const Workload denoiser = stable_diffusion_unet(1);
  EXPECT_EQ(parameters(denoiser), 859520964);
  EXPECT_NEAR(macs_of_products(denoiser), 339e9, 2e9);
  EXPECT_EQ(parameters(stable_diffusion_inpaint(1)), 859520964 + 14400);
  EXPECT_EQ(parameters(stable_diffusion_controlnet(1)), 859520964 + 361279120);
  EXPECT_EQ(macs_of_products(stable_diffusion(3)), 6 * macs_of_products(denoiser));
  EXPECT_EQ(count<Attention>(denoiser), 32u);
}

// 2,567,463,684 weights, those of the published file; 70 layers of attention to the map and to the text.
TEST(Networks, StableDiffusionXl) {
  const Workload denoiser = stable_diffusion_xl_unet(1);
  EXPECT_EQ(parameters(denoiser), 2567463684);
  EXPECT_EQ(count<Attention>(denoiser), 140u);
  EXPECT_EQ(macs_of_products(stable_diffusion_xl(1)), 2 * macs_of_products(denoiser));
}

// The published checkpoints without prompt encoder and decoder of masks (4.06 M): 89.67 M, 308.28 M and 637.03 M. By
// hand: a block's products at 4096 places, eight of them on 25 windows of 196; a window's attention and that to all.
TEST(Networks, SegmentAnything) {
  EXPECT_NEAR(parameters(sam_vit_b(1)) / 1e6, 89.67, 0.01);
  EXPECT_NEAR(parameters(sam_vit_l(1)) / 1e6, 308.28, 0.01);
  EXPECT_NEAR(parameters(sam_vit_h(1)) / 1e6, 637.03, 0.01);
  const double wide = 768, mlps = 12 * 4096 * 8 * wide * wide, products = (4 * 4096 + 8 * 4900) * 4 * wide * wide;
  const double scores = 2 * wide * (4 * 4096.0 * 4096 + 8 * 25 * 196.0 * 196);
  const double distances = 2 * wide * (4 * 4096.0 * 64 + 8 * 4900.0 * 14);
  const double ends = 4096 * 256 * (3 * wide + wide + 9 * 256);
  EXPECT_EQ(macs_of_products(sam_vit_b(1)), mlps + products + scores + distances + ends);
}

// 94.4 M and 315.5 M: the files of wav2vec2-base-960h and -large-960h, whose convolution over places is normalised by
// 128 numbers more.
TEST(Networks, Wav2Vec2) {
  EXPECT_NEAR(parameters(wav2vec2_base(1, 160000)) / 1e6, 94.4, 0.01);
  EXPECT_NEAR(parameters(wav2vec2_large(1, 160000)) / 1e6, 315.5, 0.1);
  EXPECT_EQ(output(wav2vec2_base(2, 160000), "letters"), (Shape{2, 499, 32}));
}

// Those of the files on Hugging Face; the encoder's table of positions is among them.
TEST(Networks, Whisper) {
  EXPECT_EQ(parameters(whisper_tiny(1, 448)), 37760640);
  EXPECT_EQ(parameters(whisper_base(1, 448)), 72593920);
  EXPECT_EQ(parameters(whisper_small(1, 448)), 241734912);
  EXPECT_EQ(parameters(whisper_medium(1, 448)), 763857920);
  EXPECT_EQ(parameters(whisper_large_v2(1, 448)), 1543304960);
  EXPECT_EQ(parameters(whisper_large_v3(1, 448)), 1543490560);
  EXPECT_EQ(parameters(whisper_large_v3_turbo(1, 448)), 808878080);
  EXPECT_EQ(output(whisper_tiny(2, 3), "head"), (Shape{2, 3, 51865}));
  EXPECT_EQ(count<Attention>(whisper_tiny(1, 1)), 12u);
}

// 675,129,632, 2,028,328,000, 11,901,408,320 and 11,891,178,560 parameters: those that facebookresearch/DiT prints, and
// of the published files. Their layer norms have no weights; ours do. DiT counts its table of positions, Stable
// Diffusion 3 does not.
TEST(Networks, DiffusionTransformers) {
  struct Published {
    Workload workload;
    double weights = 0, width = 0;
    std::size_t attention = 0;
    double table = 0;  // of positions, not counted
  };
  for (const Published& published :
       {Published{dit_xl_2(1), 675129632, 1152, 28},
        Published{stable_diffusion_3_medium(1), 2028328000, 1536, 24, 64 * 64 * 1536},
        Published{flux_1_dev(1), 11901408320, 3072, 57}, Published{flux_1_schnell(1), 11891178560, 3072, 57}}) {
    double norms = 0;
    for (const Op& op : published.workload.ops) {
      const auto* norm = std::get_if<Normalize>(&op.kind);
      norms += norm != nullptr && norm->function == "layer" ? 2 * published.width : 0;
    }
    EXPECT_NEAR(parameters(published.workload) - norms - published.table, published.weights, 100)
        << published.workload.name;
    EXPECT_EQ(count<Attention>(published.workload), published.attention) << published.workload.name;
  }
}

// torchvision counts 44,401,393 parameters, its batch norms being frozen; the stages take 26.8 times the pixels of an
// image of 224x224 (4.09 G, He et al.).
TEST(Networks, MaskRcnn) {
  const Workload workload = mask_rcnn_resnet50_fpn(1);
  EXPECT_EQ(parameters(workload, true), 44401393);
  EXPECT_EQ(output(workload, "box/align"), (Shape{1000, 256, 7, 7}));
  EXPECT_EQ(output(workload, "mask/prob"), (Shape{100, 91, 28, 28}));
  double stages = 0;
  for (const Op& op : workload.ops) {
    if (op.name.starts_with("conv")) stages += flops(workload, op).value() / 2 * std::holds_alternative<Conv>(op.kind);
  }
  EXPECT_NEAR(stages / (4.087e9 * 800 * 1344 / (224 * 224)), 1, 0.01);
}

// 9 anchors of 38x63 places, 300 regions of 7x7x2048 (He et al., CVPR 2016, appendix A); ResNet-101's convolutions and
// the three of the proposals.
TEST(Networks, FasterRcnn) {
  const Workload workload = faster_rcnn_resnet101(2);
  EXPECT_EQ(output(workload, "rpn/scores"), (Shape{2, 38 * 63 * 9, 1}));
  EXPECT_EQ(output(workload, "conv5_3/relu"), (Shape{600, 2048, 7, 7}));
  EXPECT_EQ(count<Conv>(workload), 1u + 33 * 3 + 4 + 3);
}

// 160 M (MLPerf Training, RNN translation: 159.6 M with its words), by hand: words 33.1 M, LSTMs 92.3 M, attention
// 2.1 M, classifier 33.1 M.
TEST(Networks, Gnmt) {
  const Workload workload = gnmt_v2(2, 50);
  EXPECT_NEAR(parameters(workload), 160e6, 1.5e6);
  EXPECT_EQ(count<Recurrent>(workload), 8u);
  EXPECT_EQ(workload.tensors[workload.outputs.front()].shape, (Shape{2, 50, 32320}));
}

// 5 layers each (Zhu et al., table 2), and by hand: 4 gates of 512 x 1024 a layer, in the decoder of 512 x 1536.
TEST(Networks, Sockeye) {
  const Workload workload = sockeye(1, 25);
  EXPECT_EQ(count<Recurrent>(workload), 10u);
  const double lstms = 4 * 512.0 * (2 * 256.0 * 768 / 512 + 4 * 1024 + 1024 + 4 * 1536);
  EXPECT_EQ(parameters(workload), 3 * 17188.0 * 512 + 17188 + lstms + 2 * 512 * 512 + 512);
}

// 35 million (Amodei et al., section 6.1).
TEST(Networks, DeepSpeech2) {
  const Workload workload = deep_speech_2(1, 1000);
  EXPECT_NEAR(parameters(workload), 35e6, 2e6);
  EXPECT_EQ(output(workload, "to_steps"), (Shape{1, 500, 96 * 21}));
  EXPECT_EQ(count<Recurrent>(workload), 7u);
  EXPECT_EQ(count<Conv>(workload), 3u);
}

// Parameters as model.info() counts them before norms are folded (comments of the configurations; YOLOv5's README
// rounds the folded ones), and GFLOP of an image as published.
TEST(Networks, Yolo) {
  struct Published {
    Workload workload;
    double weights = 0, gflop = 0;
  };
  for (const Published& published :
       {Published{yolov5('n', 1, 640), 1872157, 4.5}, Published{yolov5('s', 1, 640), 7235389, 16.5},
        Published{yolov5('m', 1, 640), 21190557, 49.0}, Published{yolov5('l', 1, 640), 46563709, 109.1},
        Published{yolov5('x', 1, 640), 86749405, 205.7}, Published{yolov8('n', 1, 640), 3157200, 8.7},
        Published{yolov8('s', 1, 640), 11166560, 28.6}, Published{yolov8('m', 1, 640), 25902640, 78.9},
        Published{yolov8('l', 1, 640), 43691520, 165.2}, Published{yolov8('x', 1, 640), 68229648, 257.8},
        Published{yolo11('n', 1, 640), 2624080, 6.5}, Published{yolo11('s', 1, 640), 9458752, 21.5},
        Published{yolo11('m', 1, 640), 20114688, 68.0}, Published{yolo11('l', 1, 640), 25372160, 86.9},
        Published{yolo11('x', 1, 640), 56966176, 194.9}}) {
    EXPECT_EQ(parameters(published.workload), published.weights) << published.workload.name;
    EXPECT_NEAR(2 * macs_of_products(published.workload) / 1e9 / published.gflop, 1, 0.02) << published.workload.name;
  }
  EXPECT_EQ(output(yolov5('s', 2, 640), "24/result"), (Shape{2, 25200, 85}));
  EXPECT_EQ(output(yolov8('s', 2, 320), "22/result"), (Shape{2, 84, 2100}));
}

// torchvision counts 34,014,999 parameters (its batch norms being frozen) of 91 classes.
TEST(Networks, RetinaNet) {
  const Workload workload = retinanet_resnet50_fpn(1);
  EXPECT_EQ(parameters(workload, true), 34014999);
  EXPECT_EQ(output(workload, "scores/all"), (Shape{1, 9 * (100 * 168 + 50 * 84 + 25 * 42 + 13 * 21 + 7 * 11), 91}));
  EXPECT_EQ(output(retinanet_resnext50_fpn(2), "boxes/all"), (Shape{2, 9 * (10000 + 2500 + 625 + 169 + 49), 4}));
}

// 204,184,588 categories of 128 features, and by hand the two MLPs: 2.4 million weights (mlcommons/training,
// recommendation/dlrm, for tables of up to 40 million).
TEST(Networks, Dlrm) {
  const Workload workload = dlrm(3);
  const double bottom = 14 * 512.0 + 513 * 256.0 + 257 * 128.0;
  const double top = 480 * 1024.0 + 1025 * 1024.0 + 1025 * 512.0 + 513 * 256.0 + 257.0;
  EXPECT_EQ(parameters(workload), 204184588.0 * 128 + bottom + top);
  EXPECT_EQ(output(workload, "joined"), (Shape{3, 479}));
}

// 14 layers each (Zhu et al., TBD, table 2).
TEST(Networks, Wgan) {
  EXPECT_EQ(count<Conv>(wgan_generator(1)) + count<Gemm>(wgan_generator(1)), 14u);
  EXPECT_EQ(count<Conv>(wgan_critic(1)) + count<Gemm>(wgan_critic(1)), 14u);
  const Workload generator = wgan_generator(2);
  EXPECT_EQ(generator.tensors[generator.outputs.front()].shape, (Shape{2, 3, 64, 64}));
  const Workload critic = wgan_critic(2);
  EXPECT_EQ(critic.tensors[critic.outputs.front()].shape, (Shape{2, 1}));
}

// 9x9 places of 32 channels (Mnih et al., 2013, section 4.1).
TEST(Networks, A3c) {
  const Workload workload = a3c(5);
  EXPECT_EQ(output(workload, "flatten"), (Shape{5, 9 * 9 * 32}));
  EXPECT_EQ(parameters(workload), 4112 + 8224 + 2592 * 256 + 256 + 257 + 18 * 257);
}

// 31.8 M (MLPerf Training v0.5, recommendation).
TEST(Networks, Ncf) { EXPECT_NEAR(parameters(ncf(1)), 31.8e6, 0.1e6); }

}  // namespace
}  // namespace rooftile
