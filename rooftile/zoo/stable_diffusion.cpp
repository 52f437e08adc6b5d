// The denoisers of Stable Diffusion 1.5 (Rombach et al., CVPR 2022; unet/config.json of
// stable-diffusion-v1-5/stable-diffusion-v1-5) and XL (Podell et al., arXiv:2307.01952; the same of
// stabilityai/stable-diffusion-xl-base-1.0): latents of an eighth of the image's height and width, a text of 77 words.
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kLatents = 4, kWords = 77, kBase = 320, kTime = 4 * kBase;
constexpr std::size_t kBlocks = 2;  // of each level on the way down; one more on the way up

struct Level {
  std::int64_t channels, heads;
  int depth;  // transformer layers after each block
};

struct Form {
  std::int64_t side, text;  // of the latents; width of a word
  std::vector<Level> levels;
  Level middle;
  std::int64_t conditions;  // width of what is embedded beside the time; 0: nothing
  bool linear;              // transformers begin and end with products, not with convolutions of 1x1
};

Form form_15() {
  constexpr std::int64_t kHeads = 8;
  return {.side = 64,
          .text = 768,
          .levels = {{kBase, kHeads, 1}, {2 * kBase, kHeads, 1}, {4 * kBase, kHeads, 1}, {4 * kBase, kHeads, 0}},
          .middle = {4 * kBase, kHeads, 1},
          .conditions = 0,
          .linear = false};
}

Form form_xl() {
  return {.side = 128,
          .text = 2048,
          .levels = {{kBase, 5, 0}, {2 * kBase, 10, 2}, {4 * kBase, 20, 10}},
          .middle = {4 * kBase, 20, 10},
          .conditions = 2816,
          .linear = true};
}

class Denoiser {
 public:
  Denoiser(const char* name, const Form& form, std::int64_t images, std::int64_t channels = kLatents)
      : form_(form), batch_(images), net_(name) {
    image_ = net_.input("latents", {batch_, channels, form.side, form.side});
    text_ = net_.input("text", {batch_, kWords, form.text});
  }

  Net& net() { return net_; }

  // The noise in the latents.
  TensorId noise() { return decode(encode("", first_map(""))); }

  // The same, steered by an image such as edges: a second encoder reads it, and its maps, each through a convolution of
  // 1x1, are added to those of the first (Zhang et al., arXiv:2302.05543; ControlNetModel of huggingface/diffusers).
  TensorId controlled_noise() {
    const std::string name = "control/";
    const TensorId x = first_map(name);
    Encoded control = encode(name, net_.add(name + "hint/add", x, hint(name + "hint/")));
    for (std::size_t i = 0; i < control.kept.size(); ++i) {
      control.kept[i] = connect(name + "connect" + std::to_string(i), control.kept[i]);
    }
    control.middle = connect(name + "connect_middle", control.middle);
    Encoded own = encode("", first_map(""));
    for (std::size_t i = 0; i < own.kept.size(); ++i) {
      own.kept[i] = net_.add("control" + std::to_string(i) + "/add", own.kept[i], control.kept[i]);
    }
    own.middle = net_.add("control_middle/add", own.middle, control.middle);
    return decode(std::move(own));
  }

 private:
  // The maps that the way up reads again, and the smallest.
  struct Encoded {
    std::vector<TensorId> kept;
    TensorId middle;
  };

  TensorId first_map(const std::string& name) {
    embed_time(name);
    return net_.conv(name + "conv_in", image_, kBase, {3, 1, 1});
  }

  // An image of eight times the latents' height and width as a map like theirs.
  TensorId hint(const std::string& name) {
    constexpr std::int64_t kColours = 3, kChannels[] = {16, 32, 96, 256};
    TensorId x = net_.input("hint", {batch_, kColours, 8 * form_.side, 8 * form_.side});
    x = silu(name + "in/", net_.conv(name + "in", x, kChannels[0], {3, 1, 1}));
    for (std::size_t i = 0; i + 1 < std::size(kChannels); ++i) {
      const std::string block = name + std::to_string(i) + "/";
      x = silu(block + "1/", net_.conv(block + "1", x, kChannels[i], {3, 1, 1}));
      x = silu(block + "2/", net_.conv(block + "2", x, kChannels[i + 1], {3, 2, 1}));
    }
    return net_.conv(name + "out", x, kBase, {3, 1, 1});
  }

  TensorId connect(const std::string& name, TensorId x) { return net_.conv(name, x, net_.shape(x)[1], {1}); }

  Encoded encode(const std::string& prefix, TensorId x) {
    std::vector<TensorId> kept = {x};
    const std::vector<Level>& levels = form_.levels;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::string name = prefix + "down" + std::to_string(i) + "/";
      for (std::size_t block = 0; block < kBlocks; ++block) {
        x = level_block(name + std::to_string(block) + "/", x, levels[i]);
        kept.push_back(x);
      }
      if (i + 1 == levels.size()) break;
      x = net_.conv(name + "downsample", x, levels[i].channels, {3, 2, 1});
      kept.push_back(x);
    }
    x = level_block(prefix + "middle/0/", x, form_.middle);
    return {std::move(kept), residual(prefix + "middle/1/", x, form_.middle.channels)};
  }

  TensorId decode(Encoded encoded) {
    TensorId x = encoded.middle;
    std::vector<TensorId>& kept = encoded.kept;
    const std::vector<Level>& levels = form_.levels;
    for (std::size_t i = levels.size(); i-- > 0;) {
      const std::string name = "up" + std::to_string(i) + "/";
      for (std::size_t block = 0; block <= kBlocks; ++block) {
        x = net_.concat(name + std::to_string(block) + "/concat", {x, kept.back()});
        kept.pop_back();
        x = level_block(name + std::to_string(block) + "/", x, levels[i]);
      }
      if (i > 0) {
        x = net_.upsample(name + "upsample/nearest", x, 2);
        x = net_.conv(name + "upsample", x, levels[i].channels, {3, 1, 1});
      }
    }
    return net_.conv("conv_out", silu("norm_out/", net_.group_norm("norm_out", x)), kLatents, {3, 1, 1});
  }

  TensorId silu(const std::string& name, TensorId x) { return net_.elementwise(name + "silu", "silu", x); }

  void embed_time(const std::string& name) {
    if (!timestep_) timestep_ = net_.input("timestep", {batch_, kBase});
    time_ = embed(name + "time/", *timestep_);
    if (form_.conditions == 0) return;
    const TensorId conditions = net_.input("conditions", {batch_, form_.conditions});
    time_ = net_.add("conditions/add", time_, embed("conditions/", conditions));
  }

  TensorId embed(const std::string& name, TensorId x) {
    return net_.fully_connected(name + "2", silu(name, net_.fully_connected(name + "1", x, kTime)), kTime);
  }

  TensorId level_block(const std::string& name, TensorId x, const Level& level) {
    x = residual(name, x, level.channels);
    return level.depth > 0 ? transformer(name + "attention/", x, level) : x;
  }

  TensorId residual(const std::string& name, TensorId x, std::int64_t channels) {
    TensorId y = silu(name + "1/", net_.group_norm(name + "norm1", x));
    y = net_.conv(name + "conv1", y, channels, {3, 1, 1});
    TensorId time = net_.fully_connected(name + "time", silu(name + "time/", time_), channels);
    time = net_.view(name + "time/view", "reshape", time, {batch_, channels, 1, 1});
    y = net_.add(name + "time/add", y, time);
    y = net_.conv(name + "conv2", silu(name + "2/", net_.group_norm(name + "norm2", y)), channels, {3, 1, 1});
    if (net_.shape(x)[1] != channels) x = net_.conv(name + "shortcut", x, channels, {1});
    return net_.add(name + "add", y, x);
  }

  TensorId attend(const std::string& name, TensorId x, TensorId memory, std::int64_t head_count) {
    const std::int64_t width = net_.shape(x)[2];
    const auto heads = [&](const char* which, TensorId from) {
      const std::int64_t length = net_.shape(from)[1];
      return net_.view(name + which + "/split", "reshape", net_.fully_connected(name + which, from, width, false),
                       {batch_, length, head_count, width / head_count});
    };
    const TensorId q = heads("q", x), k = heads("k", memory), v = heads("v", memory);
    Attention attention;
    attention.batch = batch_;
    attention.q_len = net_.shape(x)[1];
    attention.kv_len = net_.shape(memory)[1];
    attention.heads = attention.kv_heads = head_count;
    attention.head_dim = width / head_count;
    const TensorId y = net_.attention(name + "attention", attention, {q, k, v});
    return net_.fully_connected(name + "out", net_.view(name + "join", "reshape", y, net_.shape(x)), width);
  }

  // Self-attention, attention to the text, an MLP gated by GELU.
  TensorId layer(const std::string& name, TensorId x, std::int64_t heads) {
    const Shape shape = net_.shape(x);
    const std::int64_t width = shape[2];
    TensorId y = net_.layer_norm(name + "self/norm", x);
    x = net_.add(name + "self/add", attend(name + "self/", y, y, heads), x);
    x = net_.add(name + "text/add", attend(name + "text/", net_.layer_norm(name + "text/norm", x), text_, heads), x);
    y = net_.fully_connected(name + "mlp/up", net_.layer_norm(name + "mlp/norm", x), 8 * width);
    const Shape half = {batch_, shape[1], 4 * width};
    const TensorId gate = net_.elementwise(name + "mlp/gelu", "gelu", net_.slice(name + "mlp/gate", y, half));
    y = net_.multiply(name + "mlp/gated", net_.slice(name + "mlp/value", y, half), gate);
    return net_.add(name + "mlp/add", net_.fully_connected(name + "mlp/down", y, width), x);
  }

  TensorId transformer(const std::string& name, TensorId map, const Level& level) {
    const Shape shape = net_.shape(map);
    const std::int64_t width = shape[1], positions = shape[2] * shape[3];
    TensorId x = net_.group_norm(name + "norm", map);
    if (!form_.linear) x = net_.conv(name + "in", x, width, {1});
    x = net_.view(name + "flatten", "flatten", x, {batch_, width, positions});
    x = net_.transpose(name + "in/permute", x, {batch_, positions, width});
    if (form_.linear) x = net_.fully_connected(name + "in", x, width);
    for (int i = 0; i < level.depth; ++i) {
      x = layer(level.depth > 1 ? name + std::to_string(i) + "/" : name, x, level.heads);
    }
    if (form_.linear) x = net_.fully_connected(name + "out", x, width);
    x = net_.transpose(name + "out/permute", x, {batch_, width, positions});
    x = net_.view(name + "unflatten", "reshape", x, shape);
    if (!form_.linear) x = net_.conv(name + "out", x, width, {1});
    return net_.add(name + "add", x, map);
  }

  Form form_;
  std::int64_t batch_;
  Net net_;
  TensorId image_{}, text_{}, time_{};
  std::optional<TensorId> timestep_;
};

// A step with guidance (Ho and Salimans, arXiv:2207.12598): noise with and without the text, and the latents of the
// next step from their mixture.
Workload guided_step(const char* name, const Form& form, std::int64_t batch_size, std::int64_t channels = kLatents,
                     TensorId (Denoiser::*noise_of)() = &Denoiser::noise) {
  if (batch_size > kMaxDimension / 2) return refused(name, batch_size);
  Denoiser denoiser(name, form, 2 * batch_size, channels);
  const TensorId noise = (denoiser.*noise_of)();
  Net& net = denoiser.net();
  const Shape half = {batch_size, kLatents, form.side, form.side};
  const TensorId without = net.slice("guidance/without", noise, half), with = net.slice("guidance/with", noise, half);
  const TensorId scaled = net.elementwise("guidance/scale", "mul", net.multiply("guidance/difference", with, without));
  net.elementwise("scheduler", "add", net.add("guidance/add", without, scaled));
  Workload workload = net.finish();
  workload.batch_size = batch_size;
  return workload;
}

Workload denoiser_alone(const char* name, const Form& form, std::int64_t batch_size) {
  Denoiser denoiser(name, form, batch_size);
  denoiser.noise();
  return denoiser.net().finish();
}

}  // namespace

Workload stable_diffusion_unet(std::int64_t batch_size) {
  return denoiser_alone("stable_diffusion_1.5_unet", form_15(), batch_size);
}

Workload stable_diffusion(std::int64_t batch_size) {
  return guided_step("stable_diffusion_1.5", form_15(), batch_size);
}

// The latents of the mask and of the masked image come along.
Workload stable_diffusion_inpaint(std::int64_t batch_size) {
  return guided_step("stable_diffusion_1.5_inpaint", form_15(), batch_size, 2 * kLatents + 1);
}

Workload stable_diffusion_controlnet(std::int64_t batch_size) {
  return guided_step("stable_diffusion_1.5_controlnet", form_15(), batch_size, kLatents, &Denoiser::controlled_noise);
}

Workload stable_diffusion_xl_unet(std::int64_t batch_size) {
  return denoiser_alone("stable_diffusion_xl_unet", form_xl(), batch_size);
}

Workload stable_diffusion_xl(std::int64_t batch_size) {
  return guided_step("stable_diffusion_xl", form_xl(), batch_size);
}

}  // namespace rooftile
