// The builders behind zoo(), one file each.
#pragma once

#include <cstdint>
#include <string>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

Workload alexnet(std::int64_t batch_size);
Workload alexnet_caffe(std::int64_t batch_size);
Workload alexnet_owt(std::int64_t batch_size);
Workload vgg16(std::int64_t batch_size);
Workload vgg19(std::int64_t batch_size);
Workload googlenet(std::int64_t batch_size);
Workload resnet18(std::int64_t batch_size, std::int64_t image_size);
Workload resnet34(std::int64_t batch_size, std::int64_t image_size);
Workload resnet50(std::int64_t batch_size, std::int64_t image_size);
Workload resnet50_v1(std::int64_t batch_size, std::int64_t image_size);
Workload resnet101(std::int64_t batch_size, std::int64_t image_size);
Workload resnet152(std::int64_t batch_size, std::int64_t image_size);
Workload resnet152_v1_5(std::int64_t batch_size, std::int64_t image_size);
Workload resnet200(std::int64_t batch_size, std::int64_t image_size);
Workload resnext101_32x4d(std::int64_t batch_size, std::int64_t image_size);
Workload se_resnext101_32x4d(std::int64_t batch_size, std::int64_t image_size);
Workload densenet161(std::int64_t batch_size, std::int64_t image_size);
Workload mobilenet_v1(std::int64_t batch_size, std::int64_t image_size);
Workload xception(std::int64_t batch_size, std::int64_t image_size);

Workload convnext_v2_tiny(std::int64_t batch_size, std::int64_t image_size);
Workload convnext_v2_base(std::int64_t batch_size, std::int64_t image_size);
Workload convnext_v2_large(std::int64_t batch_size, std::int64_t image_size);
Workload convnext_v2_huge(std::int64_t batch_size, std::int64_t image_size);
Workload sam_vit_b(std::int64_t batch_size);
Workload sam_vit_l(std::int64_t batch_size);
Workload sam_vit_h(std::int64_t batch_size);
Workload swin_l(std::int64_t batch_size);
Workload swin_v2_t_window16(std::int64_t batch_size);
Workload swin_v2_s_window16(std::int64_t batch_size);
Workload swin_v2_b_window16(std::int64_t batch_size);
Workload swin_v2_l_window16(std::int64_t batch_size);
Workload swin_v2_b_window24(std::int64_t batch_size);

Workload ssd300_vgg16(std::int64_t batch_size);
Workload ssd300_resnet34(std::int64_t batch_size);
Workload ssd300_resnet50(std::int64_t batch_size);
Workload faster_rcnn_resnet101(std::int64_t batch_size);
Workload mask_rcnn_resnet50_fpn(std::int64_t batch_size);
Workload retinanet_resnet50_fpn(std::int64_t batch_size);
Workload retinanet_resnext50_fpn(std::int64_t batch_size);
Workload unet(std::int64_t batch_size);
Workload stable_diffusion_unet(std::int64_t batch_size);
Workload stable_diffusion(std::int64_t batch_size);
Workload stable_diffusion_inpaint(std::int64_t batch_size);
Workload stable_diffusion_controlnet(std::int64_t batch_size);
Workload stable_diffusion_xl_unet(std::int64_t batch_size);
Workload stable_diffusion_xl(std::int64_t batch_size);
Workload dit_xl_2(std::int64_t batch_size);
Workload stable_diffusion_3_medium(std::int64_t batch_size);
Workload flux_1_dev(std::int64_t batch_size);
Workload flux_1_schnell(std::int64_t batch_size);
Workload wgan_generator(std::int64_t batch_size);
Workload wgan_critic(std::int64_t batch_size);
Workload a3c(std::int64_t batch_size);
Workload ncf(std::int64_t batch_size);
Workload dlrm(std::int64_t batch_size);

// `scale`: one of n, s, m, l, x. The size of images is a multiple of kYoloStep.
constexpr std::int64_t kYoloStep = 32;
Workload yolov5(char scale, std::int64_t batch_size, std::int64_t image_size);
Workload yolov8(char scale, std::int64_t batch_size, std::int64_t image_size);
Workload yolo11(char scale, std::int64_t batch_size, std::int64_t image_size);

Workload gnmt_v2(std::int64_t batch_size, std::int64_t seq_len);
Workload sockeye(std::int64_t batch_size, std::int64_t seq_len);
Workload deep_speech_2(std::int64_t batch_size, std::int64_t frames);
constexpr std::int64_t kLeastWav2Vec2Samples = 400;  // that its convolutions make one position of
Workload wav2vec2_base(std::int64_t batch_size, std::int64_t samples);
Workload wav2vec2_large(std::int64_t batch_size, std::int64_t samples);
constexpr std::int64_t kMostWhisperTokens = 448;  // of the decoder's table of positions
Workload whisper_tiny(std::int64_t batch_size, std::int64_t tokens);
Workload whisper_base(std::int64_t batch_size, std::int64_t tokens);
Workload whisper_small(std::int64_t batch_size, std::int64_t tokens);
Workload whisper_medium(std::int64_t batch_size, std::int64_t tokens);
Workload whisper_large_v2(std::int64_t batch_size, std::int64_t tokens);
Workload whisper_large_v3(std::int64_t batch_size, std::int64_t tokens);
Workload whisper_large_v3_turbo(std::int64_t batch_size, std::int64_t tokens);

// What validate() turns down: the network at a batch that is too large to be built.
Workload refused(const std::string& name, std::int64_t batch_size);

}  // namespace rooftile
