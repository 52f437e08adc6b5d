#include "rooftile/ingest/timm_name.hpp"

#include <algorithm>
#include <array>

#include "rooftile/base/lower_case.hpp"

namespace rooftile {
namespace {

struct TimmName {
  std::string_view timm;
  std::string_view network;
};

// Of timm/models: the same layers and widths under other letters or digits. RegNets that differ from torchvision's by a
// rounding of widths are left out, as are networks whose name says another image than the network's own, and those of
// TensorFlow's padding.
constexpr std::array kNames = {
    TimmName{"deit_base_patch16_224", "deit_base"},
    TimmName{"deit_small_patch16_224", "deit_small"},
    TimmName{"deit_tiny_patch16_224", "deit_tiny"},
    TimmName{"maxvit_tiny_tf_224", "maxvit_t"},
    TimmName{"mnasnet_050", "mnasnet0_5"},
    TimmName{"mnasnet_100", "mnasnet1_0"},
    TimmName{"mobilenetv2_100", "mobilenet_v2"},
    TimmName{"mobilenetv3_large_100", "mobilenet_v3_large"},
    TimmName{"mobilenetv3_small_100", "mobilenet_v3_small"},
    TimmName{"regnetx_004_tv", "regnet_x_400mf"},
    TimmName{"regnetx_008", "regnet_x_800mf"},
    TimmName{"regnetx_016", "regnet_x_1_6gf"},
    TimmName{"regnetx_032", "regnet_x_3_2gf"},
    TimmName{"regnetx_080", "regnet_x_8gf"},
    TimmName{"regnetx_160", "regnet_x_16gf"},
    TimmName{"regnetx_320", "regnet_x_32gf"},
    TimmName{"regnety_004", "regnet_y_400mf"},
    TimmName{"regnety_008_tv", "regnet_y_800mf"},
    TimmName{"regnety_016", "regnet_y_1_6gf"},
    TimmName{"regnety_032", "regnet_y_3_2gf"},
    TimmName{"regnety_080_tv", "regnet_y_8gf"},
    TimmName{"regnety_160", "regnet_y_16gf"},
    TimmName{"regnety_320", "regnet_y_32gf"},
    TimmName{"swin_base_patch4_window7_224", "swin_b"},
    TimmName{"swin_large_patch4_window7_224", "swin_l"},
    TimmName{"swin_small_patch4_window7_224", "swin_s"},
    TimmName{"swin_tiny_patch4_window7_224", "swin_t"},
    TimmName{"vit_base_patch16_224", "vit_b_16"},
    TimmName{"vit_base_patch32_224", "vit_b_32"},
    TimmName{"vit_gigantic_patch14_224", "vit_g_14"},
    TimmName{"vit_large_patch16_224", "vit_l_16"},
    TimmName{"vit_large_patch32_224", "vit_l_32"},
    TimmName{"vit_small_patch16_224", "vit_small"},
    TimmName{"vit_tiny_patch16_224", "vit_tiny"},
};

// Whether this follows the dot of one of timm's names: what the weights were trained on last, 1,000 classes of images
// of the network's own size ("tv2_in1k", "fb_in22k_ft_in1k"). Others have another head ("fb_in22k") or image.
bool is_training(std::string_view tag) { return tag.ends_with("_in1k") || tag == ".in1k"; }

}  // namespace

std::string without_timm_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::replace(plain.begin(), plain.end(), '-', '_');  // as Hugging Face writes the same names
  const std::size_t dot = plain.rfind('.');
  const bool tagged = dot != std::string::npos && is_training(std::string_view(plain).substr(dot));
  if (tagged) plain.resize(dot);
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](const TimmName& one) { return one.timm == plain; });
  if (found != kNames.end()) return std::string(found->network);
  if (!tagged) return std::string(name);
  return plain == "resnet152" ? "resnet152_v1.5" : plain;  // ours has its stride in the first 1x1
}

}  // namespace rooftile
