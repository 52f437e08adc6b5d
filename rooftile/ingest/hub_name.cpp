#include "rooftile/ingest/hub_name.hpp"

#include <algorithm>
#include <array>

#include "rooftile/base/lower_case.hpp"

namespace rooftile {
namespace {

struct HubName {
  std::string_view hub, network;  // in small letters
};

// Whose name is no spelling of the one here, or whose owner has no family below. Whisper large of 2022 has the layers
// of its second version.
constexpr std::array kHubNames = {
    HubName{"black-forest-labs/flux.1-dev", "flux_1_dev"},
    HubName{"black-forest-labs/flux.1-schnell", "flux_1_schnell"},
    HubName{"distilbert/distilbert-base-uncased", "distilbert_base"},
    HubName{"facebook/convnext-base-224", "convnext_base"},
    HubName{"facebook/convnext-large-224", "convnext_large"},
    HubName{"facebook/convnext-small-224", "convnext_small"},
    HubName{"facebook/convnext-tiny-224", "convnext_tiny"},
    HubName{"facebook/convnextv2-base-1k-224", "convnext_v2_base"},
    HubName{"facebook/convnextv2-huge-1k-224", "convnext_v2_huge"},
    HubName{"facebook/convnextv2-large-1k-224", "convnext_v2_large"},
    HubName{"facebook/convnextv2-tiny-1k-224", "convnext_v2_tiny"},
    HubName{"facebook/sam-vit-base", "sam_vit_b"},
    HubName{"facebook/sam-vit-huge", "sam_vit_h"},
    HubName{"facebook/sam-vit-large", "sam_vit_l"},
    HubName{"facebook/wav2vec2-base-960h", "wav2vec2_base"},
    HubName{"facebook/wav2vec2-large-960h", "wav2vec2_large"},
    HubName{"google/mobilenet_v1_1.0_224", "mobilenet_v1"},
    HubName{"google/mobilenet_v2_1.0_224", "mobilenet_v2"},
    HubName{"microsoft/resnet-152", "resnet152_v1.5"},
    HubName{"openai/whisper-large", "whisper_large_v2"},
    HubName{"stabilityai/stable-diffusion-3-medium", "stable_diffusion_3_medium"},
    HubName{"stabilityai/stable-diffusion-xl-base-1.0", "stable_diffusion_xl"},
    HubName{"stable-diffusion-v1-5/stable-diffusion-v1-5", "stable_diffusion_1.5"},
    HubName{"timm/resnet152", "resnet152_v1.5"},
};

struct Family {
  std::string_view owner, network;  // how the name begins
};
constexpr std::array kFamilies = {
    Family{"facebook", "wav2vec2"},
    Family{"google", "efficientnet"},
    Family{"google", "vit"},
    Family{"microsoft", "resnet"},
    Family{"microsoft", "swin"},
    Family{"openai", "whisper"},
    Family{"timm", "convnext"},
    Family{"timm", "deit"},
    Family{"timm", "densenet"},
    Family{"timm", "efficientnet"},
    Family{"timm", "inception"},
    Family{"timm", "maxvit"},
    Family{"timm", "mnasnet"},
    Family{"timm", "mobilenet"},
    Family{"timm", "regnet"},
    Family{"timm", "resnet"},
    Family{"timm", "resnext"},
    Family{"timm", "swin"},
    Family{"timm", "vgg"},
    Family{"timm", "vit"},
    Family{"timm", "wide_resnet"},
    Family{"timm", "xception"},
    Family{"timm", "legacy_xception"},
};

const HubName* find_name(std::string_view small) {
  const auto* const found =
      std::find_if(kHubNames.begin(), kHubNames.end(), [&](const HubName& one) { return one.hub == small; });
  return found == kHubNames.end() ? nullptr : found;
}

// Drops a release such as "-v0.1" at the end.
void drop_version(std::string& name) {
  const std::size_t at = name.rfind("-v");
  if (at == std::string::npos) return;
  const std::string_view digits = std::string_view(name).substr(at + 2);
  if (digits.size() < 3 || digits.find_first_not_of(".0123456789") != std::string_view::npos) return;
  if (digits.find('.') != std::string_view::npos) name.resize(at);
}

}  // namespace

std::string without_owner(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash != name.rfind('/') || name.front() == '.') return {};
  const std::string small = lower_case(name);
  if (const HubName* const known = find_name(small)) return std::string(known->network);
  std::string own = small.substr(slash + 1);
  if (own.starts_with("meta-llama-")) own.erase(0, std::string_view("meta-").size());
  drop_version(own);
  for (const std::string_view suffix : {"-hf", "-chat", "-instruct", "-it"}) {
    if (own.ends_with(suffix)) own.resize(own.size() - suffix.size());
  }
  return own;
}

bool publishes(std::string_view name) {
  const std::string small = lower_case(name);
  if (find_name(small) != nullptr) return true;
  const std::string_view owner = std::string_view(small).substr(0, small.find('/'));
  const std::string_view own = std::string_view(small).substr(std::min(small.size(), owner.size() + 1));
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](const Family& one) { return one.owner == owner && own.starts_with(one.network); });
}

}  // namespace rooftile
