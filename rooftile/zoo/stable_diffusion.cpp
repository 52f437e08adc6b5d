// The denoiser of Stable Diffusion 1.5 (Rombach et al., CVPR 2022; unet/config.json of
// stable-diffusion-v1-5/stable-diffusion-v1-5): latents of 4 x 64 x 64 (images of 512x512), a text of 77 x 768.
#include <array>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kLatents = 4, kSide = 64, kWords = 77, kText = 768;
constexpr std::int64_t kHeads = 8, kBase = 320, kTime = 4 * kBase;
constexpr std::array<std::int64_t, 4> kChannels = {kBase, 2 * kBase, 4 * kBase, 4 * kBase};
constexpr std::size_t kBlocks = 2;  // of each level on the way down; one more on the way up

class Denoiser {
 public:
  Denoiser(const char* name, std::int64_t images, std::int64_t channels) : batch_(images), net_(name) {
    image_ = net_.input("latents", {batch_, channels, kSide, kSide});
    text_ = net_.input("text", {batch_, kWords, kText});
  }

  Net& net() { return net_; }

  // The noise in the latents.
  TensorId noise() {
    embed_time();
    TensorId x = net_.conv("conv_in", image_, kBase, {3, 1, 1});
    std::vector<TensorId> kept = {x};
    for (std::size_t level = 0; level < kChannels.size(); ++level) {
      const std::string name = "down" + std::to_string(level) + "/";
      for (std::size_t i = 0; i < kBlocks; ++i) {
        x = level_block(name + std::to_string(i) + "/", x, level);
        kept.push_back(x);
      }
      if (level + 1 == kChannels.size()) break;
      x = net_.conv(name + "downsample", x, kChannels[level], {3, 2, 1});
      kept.push_back(x);
    }
    x = residual("middle/0/", x, kChannels.back());
    x = transformer("middle/attention/", x);
    x = residual("middle/1/", x, kChannels.back());
    for (std::size_t level = kChannels.size(); level-- > 0;) {
      const std::string name = "up" + std::to_string(level) + "/";
      for (std::size_t i = 0; i <= kBlocks; ++i) {
        x = net_.concat(name + std::to_string(i) + "/concat", {x, kept.back()});
        kept.pop_back();
        x = level_block(name + std::to_string(i) + "/", x, level);
      }
      if (level > 0) {
        x = net_.conv(name + "upsample", net_.upsample(name + "upsample/nearest", x, 2), kChannels[level], {3, 1, 1});
      }
    }
    return net_.conv("conv_out", silu("norm_out/", net_.group_norm("norm_out", x)), kLatents, {3, 1, 1});
  }

 private:
  TensorId silu(const std::string& name, TensorId x) { return net_.elementwise(name + "silu", "silu", x); }

  void embed_time() {
    const TensorId sinusoid = net_.input("timestep", {batch_, kBase});
    const TensorId hidden = silu("time/", net_.fully_connected("time/1", sinusoid, kTime));
    time_ = net_.fully_connected("time/2", hidden, kTime);
  }

  // All but the last level attend.
  TensorId level_block(const std::string& name, TensorId x, std::size_t level) {
    x = residual(name, x, kChannels[level]);
    return level + 1 < kChannels.size() ? transformer(name + "attention/", x) : x;
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

  TensorId attend(const std::string& name, TensorId x, TensorId memory) {
    const std::int64_t width = net_.shape(x)[2];
    const auto heads = [&](const char* which, TensorId from) {
      const std::int64_t length = net_.shape(from)[1];
      return net_.view(name + which + "/split", "reshape", net_.fully_connected(name + which, from, width, false),
                       {batch_, length, kHeads, width / kHeads});
    };
    const TensorId q = heads("q", x), k = heads("k", memory), v = heads("v", memory);
    Attention attention;
    attention.batch = batch_;
    attention.q_len = net_.shape(x)[1];
    attention.kv_len = net_.shape(memory)[1];
    attention.heads = attention.kv_heads = kHeads;
    attention.head_dim = width / kHeads;
    const TensorId y = net_.attention(name + "attention", attention, {q, k, v});
    return net_.fully_connected(name + "out", net_.view(name + "join", "reshape", y, net_.shape(x)), width);
  }

  // Self-attention, attention to the text, an MLP gated by GELU.
  TensorId transformer(const std::string& name, TensorId map) {
    const Shape shape = net_.shape(map);
    const std::int64_t width = shape[1], positions = shape[2] * shape[3];
    TensorId x = net_.conv(name + "in", net_.group_norm(name + "norm", map), width, {1});
    x = net_.view(name + "flatten", "flatten", x, {batch_, width, positions});
    x = net_.transpose(name + "in/permute", x, {batch_, positions, width});
    TensorId y = net_.layer_norm(name + "self/norm", x);
    x = net_.add(name + "self/add", attend(name + "self/", y, y), x);
    x = net_.add(name + "text/add", attend(name + "text/", net_.layer_norm(name + "text/norm", x), text_), x);
    y = net_.fully_connected(name + "mlp/up", net_.layer_norm(name + "mlp/norm", x), 8 * width);
    const Shape half = {batch_, positions, 4 * width};
    const TensorId gate = net_.elementwise(name + "mlp/gelu", "gelu", net_.slice(name + "mlp/gate", y, half));
    y = net_.multiply(name + "mlp/gated", net_.slice(name + "mlp/value", y, half), gate);
    x = net_.add(name + "mlp/add", net_.fully_connected(name + "mlp/down", y, width), x);
    x = net_.transpose(name + "out/permute", x, {batch_, width, positions});
    x = net_.view(name + "unflatten", "reshape", x, shape);
    return net_.add(name + "add", net_.conv(name + "out", x, width, {1}), map);
  }

  std::int64_t batch_;
  Net net_;
  TensorId image_{}, text_{}, time_{};
};

// A step with guidance (Ho and Salimans, arXiv:2207.12598): noise with and without the text, and the latents of the
// next step from their mixture.
Workload guided_step(const char* name, std::int64_t batch_size, std::int64_t channels) {
  if (batch_size > kMaxDimension / 2) return refused(name, batch_size);
  Denoiser denoiser(name, 2 * batch_size, channels);
  const TensorId noise = denoiser.noise();
  Net& net = denoiser.net();
  const Shape half = {batch_size, kLatents, kSide, kSide};
  const TensorId without = net.slice("guidance/without", noise, half), with = net.slice("guidance/with", noise, half);
  const TensorId scaled = net.elementwise("guidance/scale", "mul", net.multiply("guidance/difference", with, without));
  net.elementwise("scheduler", "add", net.add("guidance/add", without, scaled));
  Workload workload = net.finish();
  workload.batch_size = batch_size;
  return workload;
}

}  // namespace

Workload stable_diffusion_unet(std::int64_t batch_size) {
  Denoiser denoiser("stable_diffusion_1.5_unet", batch_size, kLatents);
  denoiser.noise();
  return denoiser.net().finish();
}

Workload stable_diffusion(std::int64_t batch_size) { return guided_step("stable_diffusion_1.5", batch_size, kLatents); }

// The latents of the mask and of the masked image come along.
Workload stable_diffusion_inpaint(std::int64_t batch_size) {
  return guided_step("stable_diffusion_1.5_inpaint", batch_size, 2 * kLatents + 1);
}

}  // namespace rooftile
