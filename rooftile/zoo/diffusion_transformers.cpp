// Denoisers that are transformers over patches of 2x2 latents: DiT (Peebles and Xie, arXiv:2212.09748), Stable
// Diffusion 3 (Esser et al., arXiv:2403.03206; transformer/config.json of
// stabilityai/stable-diffusion-3-medium-diffusers) and FLUX.1 (the same of black-forest-labs/FLUX.1-dev and
// FLUX.1-schnell). A condition gives each norm its scale and shift and each sublayer its gate.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kPatchSide = 2, kSinusoids = 256;  // of the sinusoids that a time becomes

constexpr std::array kQkv = {"q", "k", "v"};
constexpr std::size_t kTurned = 2;  // queries and keys

struct PatchForm {
  std::int64_t width = 0, heads = 0, mlp = 0;
  std::int64_t side = 0, channels = 0;  // of the latents
  std::int64_t words = 0, text = 0;     // of the text, if it has one, and the width of a word
};

// A sequence with the products that are its own: image or text.
struct TokenStream {
  std::string name;
  TensorId x{};
};

class DiffusionTransformer {
 public:
  DiffusionTransformer(const char* name, const PatchForm& form, std::int64_t batch)
      : form_(form), batch_(batch), net_(name), positions_((form.side / kPatchSide) * (form.side / kPatchSide)) {}

  // A time or a text as a whole, which joins the condition.
  void embed(const std::string& name, std::int64_t features) {
    const TensorId first = net_.fully_connected(name + "/1", net_.input(name, {batch_, features}), form_.width);
    join_condition(name, net_.fully_connected(name + "/2", silu(name, first), form_.width));
  }

  void embed_class(std::int64_t classes) {
    join_condition(
        "class", net_.embedding("class/embedding", net_.input("class", {batch_}, DType::int64), classes, form_.width));
  }

  TensorId text() { return projected("text/in", net_.input("text", {batch_, form_.words, form_.text})); }

  // A table of sines, which nobody trains. Stable Diffusion 3 cuts it from a larger one at each step (PatchEmbed in
  // diffusers); that copy is left out.
  TensorId with_positions(TensorId x) {
    return net_.add("positions/add", x, net_.weight("positions", {1, positions_, form_.width}));
  }

  TensorId patches() {
    const TensorId latents = net_.input("latents", {batch_, form_.channels, form_.side, form_.side});
    const TensorId map = net_.conv("patches", latents, form_.width, {kPatchSide, kPatchSide, 0});
    const TensorId rows = net_.view("patches/flatten", "flatten", map, {batch_, form_.width, positions_});
    return net_.transpose("patches/permute", rows, {batch_, positions_, form_.width});
  }

  // `count` vectors of the model's width, made of the condition.
  std::vector<TensorId> modulation(const std::string& name, int count) {
    const TensorId all = net_.fully_connected(name, silu(name, *condition_), count * form_.width);
    std::vector<TensorId> parts;
    for (int i = 0; i < count; ++i) {
      const TensorId part = net_.slice(name + "/" + std::to_string(i), all, {batch_, form_.width});
      parts.push_back(net_.view(name + "/" + std::to_string(i) + "/view", "reshape", part, {batch_, 1, form_.width}));
    }
    return parts;
  }

  TensorId modulated(const std::string& name, TensorId x, TensorId shift, TensorId scale) {
    return net_.add(name + "/shift", net_.multiply(name + "/scale", net_.layer_norm(name, x), scale), shift);
  }

  TensorId gated(const std::string& name, TensorId x, TensorId y, TensorId gate) {
    return net_.add(name + "/add", x, net_.multiply(name + "/gate", y, gate));
  }

  TensorId mlp(const std::string& name, TensorId x) {
    const TensorId up = net_.elementwise(name + "/gelu", "gelu", net_.fully_connected(name + "/up", x, form_.mlp));
    return net_.fully_connected(name + "/down", up, form_.width);
  }

  TensorId heads_of(const std::string& name, TensorId x) {
    return net_.view(name + "/split", "reshape", x, {batch_, net_.shape(x)[1], form_.heads, form_.width / form_.heads});
  }

  TensorId projected(const std::string& name, TensorId x) { return net_.fully_connected(name, x, form_.width); }

  TensorId attend(const std::string& name, TensorId q, TensorId k, TensorId v) {
    Attention attention;
    attention.batch = batch_;
    attention.q_len = attention.kv_len = net_.shape(q)[1];
    attention.heads = attention.kv_heads = form_.heads;
    attention.head_dim = form_.width / form_.heads;
    const TensorId y = net_.attention(name, attention, {q, k, v});
    return net_.view(name + "/join", "reshape", y, {batch_, attention.q_len, form_.width});
  }

  // Of the queries, keys and values of each stream.
  TensorId attend_jointly(const std::string& name, const std::vector<std::vector<TensorId>>& qkv, bool turned) {
    std::vector<TensorId> all;
    for (std::size_t j = 0; j < kQkv.size(); ++j) {
      Shape shape = net_.shape(qkv[j].front());
      for (std::size_t i = 1; i < qkv[j].size(); ++i) shape[1] += net_.shape(qkv[j][i])[1];
      const std::string joint = name + "joint/" + kQkv[j];
      TensorId y = qkv[j].size() > 1 ? net_.join(joint, qkv[j], shape) : qkv[j].front();
      if (turned && j < kTurned) y = net_.rotary(joint + "/rotary", y);
      all.push_back(y);
    }
    return attend(name + "attention", all[0], all[1], all[2]);
  }

  // Each stream multiplies by its own weights, and all attend to one another (figure 2 of Esser et al.); FLUX
  // normalises queries and keys and turns them. Where only the first stream goes on, the others end in their keys and
  // values.
  void joint_block(const std::string& name, std::vector<TokenStream>& streams, bool turned, bool only_first = false) {
    constexpr int kOfTwoSublayers = 6, kOfNorm = 2;
    std::vector<std::vector<TensorId>> parts, qkv(kQkv.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const std::string own = name + streams[i].name + "/";
      parts.push_back(modulation(own + "modulation", only_first && i > 0 ? kOfNorm : kOfTwoSublayers));
      const TensorId x = modulated(own + "norm1", streams[i].x, parts[i][0], parts[i][1]);
      for (std::size_t j = 0; j < kQkv.size(); ++j) {
        TensorId y = heads_of(own + kQkv[j], projected(own + kQkv[j], x));
        if (turned && j < kTurned) y = net_.rms_norm(own + kQkv[j] + "/norm", y);
        qkv[j].push_back(y);
      }
    }
    const TensorId attended = attend_jointly(name, qkv, turned);
    streams.resize(only_first ? 1 : streams.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const std::string own = name + streams[i].name + "/";
      TensorId y = attended;
      if (net_.shape(y) != net_.shape(streams[i].x)) y = net_.slice(own + "part", y, net_.shape(streams[i].x));
      const TensorId x = gated(own + "attention", streams[i].x, projected(own + "out", y), parts[i][2]);
      y = modulated(own + "norm2", x, parts[i][3], parts[i][4]);
      streams[i].x = gated(own + "mlp", x, mlp(own + "mlp", y), parts[i][5]);
    }
  }

  // The text first.
  TensorId joined(const std::vector<TokenStream>& streams) {
    const std::int64_t length = net_.shape(streams[0].x)[1] + net_.shape(streams[1].x)[1];
    return net_.join("join", {streams[1].x, streams[0].x}, {batch_, length, form_.width});
  }
  TensorId image_of(TensorId x) { return net_.slice("image", x, {batch_, positions_, form_.width}); }

  // Attention and MLP side by side, from one norm and into one product.
  TensorId single_block(const std::string& name, TensorId x) {
    const std::vector<TensorId> parts = modulation(name + "modulation", 3);
    const TensorId y = modulated(name + "norm", x, parts[0], parts[1]);
    const TensorId up =
        net_.elementwise(name + "mlp/gelu", "gelu", net_.fully_connected(name + "mlp/up", y, form_.mlp));
    std::vector<TensorId> qkv;
    for (std::size_t j = 0; j < kQkv.size(); ++j) {
      const std::string own = name + kQkv[j];
      TensorId head = heads_of(own, projected(own, y));
      if (j < kTurned) head = net_.rotary(own + "/rotary", net_.rms_norm(own + "/norm", head));
      qkv.push_back(head);
    }
    const TensorId attended = attend(name + "attention", qkv[0], qkv[1], qkv[2]);
    const Shape joined = {batch_, net_.shape(x)[1], form_.width + form_.mlp};
    const TensorId out = projected(name + "out", net_.join(name + "join", {attended, up}, joined));
    return gated(name, x, out, parts[2]);
  }

  // Back to latents, or twice as many numbers where the network also tells their variance.
  Workload finish(TensorId x, std::int64_t numbers = 1) {
    const std::vector<TensorId> parts = modulation("norm_out/modulation", 2);
    const TensorId y = modulated("norm_out", x, parts[0], parts[1]);
    const TensorId rows = net_.fully_connected("out", y, kPatchSide * kPatchSide * form_.channels * numbers);
    net_.transpose("unpatch", rows, {batch_, form_.channels * numbers, form_.side, form_.side});
    return net_.finish();
  }

 private:
  void join_condition(const std::string& name, TensorId x) {
    condition_ = condition_ ? net_.add(name + "/add", *condition_, x) : x;
  }

  TensorId silu(const std::string& name, TensorId x) { return net_.elementwise(name + "/silu", "silu", x); }

  PatchForm form_;
  std::int64_t batch_;
  Net net_;
  std::int64_t positions_;
  std::optional<TensorId> condition_;
};

}  // namespace

// Of latents of 32x32; it also tells the noise's variance.
Workload dit_xl_2(std::int64_t batch_size) {
  constexpr int kDepth = 28;
  DiffusionTransformer net("dit_xl_2", {.width = 1152, .heads = 16, .mlp = 4608, .side = 32, .channels = 4},
                           batch_size);
  std::vector<TokenStream> image = {{"image", net.with_positions(net.patches())}};
  net.embed("time", kSinusoids);
  net.embed_class(1001);  // and none
  for (int i = 0; i < kDepth; ++i) net.joint_block("block" + std::to_string(i) + "/", image, false);
  return net.finish(image.front().x, 2);
}

// Of 333 words, 77 of CLIP's and 256 of T5's.
Workload stable_diffusion_3_medium(std::int64_t batch_size) {
  constexpr int kDepth = 24;
  DiffusionTransformer net(
      "stable_diffusion_3_medium",
      {.width = 1536, .heads = 24, .mlp = 6144, .side = 128, .channels = 16, .words = 333, .text = 4096}, batch_size);
  std::vector<TokenStream> streams = {{"image", net.with_positions(net.patches())}, {"text", net.text()}};
  net.embed("time", kSinusoids);
  net.embed("pooled", 2048);
  for (int i = 0; i < kDepth; ++i) {
    net.joint_block("block" + std::to_string(i) + "/", streams, false, i + 1 == kDepth);
  }
  return net.finish(streams.front().x);
}

namespace {

// Dev embeds the guidance that it was distilled from; schnell has none, and its card gives it 256 words.
Workload flux_1(const char* name, bool guided, std::int64_t batch_size) {
  constexpr int kJoint = 19, kSingle = 38;
  DiffusionTransformer net(name,
                           {.width = 3072,
                            .heads = 24,
                            .mlp = 12288,
                            .side = 128,
                            .channels = 16,
                            .words = guided ? 512 : 256,
                            .text = 4096},
                           batch_size);
  std::vector<TokenStream> streams = {{"image", net.patches()}, {"text", net.text()}};
  net.embed("time", kSinusoids);
  if (guided) net.embed("guidance", kSinusoids);
  net.embed("pooled", 768);
  for (int i = 0; i < kJoint; ++i) net.joint_block("block" + std::to_string(i) + "/", streams, true);
  TensorId x = net.joined(streams);
  for (int i = 0; i < kSingle; ++i) x = net.single_block("single" + std::to_string(i) + "/", x);
  return net.finish(net.image_of(x));
}

}  // namespace

Workload flux_1_dev(std::int64_t batch_size) { return flux_1("flux_1_dev", true, batch_size); }
Workload flux_1_schnell(std::int64_t batch_size) { return flux_1("flux_1_schnell", false, batch_size); }

}  // namespace rooftile
