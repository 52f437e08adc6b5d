// Small networks of other kinds: a game's player, recommendation, generated images.
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {

// A3C (Mnih et al., ICML 2016, section 5.1 and appendix: the network of Mnih et al., 2013): four frames of 84x84, two
// convolutions, 256 features, the probabilities of 18 actions and the value.
Workload a3c(std::int64_t batch_size) {
  constexpr std::int64_t kActions = 18;
  Net net("a3c");
  TensorId x = net.input("frames", {batch_size, 4, 84, 84});
  x = net.relu("conv1/relu", net.conv("conv1", x, 16, {8, 4}));
  x = net.relu("conv2/relu", net.conv("conv2", x, 32, {4, 2}));
  x = net.relu("fc/relu", net.fully_connected("fc", net.flatten("flatten", x), 256));
  const TensorId value = net.fully_connected("value", x, 1);
  net.softmax("policy/softmax", net.fully_connected("policy", x, kActions));
  return net.finish({value});
}

// Neural collaborative filtering (He et al., WWW 2017, NeuMF) as MLPerf Training v0.5 has it: MovieLens-20M, 64
// factors, an MLP of 256, 256, 128, 64.
Workload ncf(std::int64_t batch_size) {
  constexpr std::int64_t kUsers = 138493, kItems = 26744, kFactors = 64, kHalf = 128;
  Net net("ncf");
  const TensorId user = net.input("user", {batch_size}, DType::int64),
                 item = net.input("item", {batch_size}, DType::int64);
  const TensorId factors = net.multiply("mf", net.embedding("mf/user", user, kUsers, kFactors),
                                        net.embedding("mf/item", item, kItems, kFactors));
  TensorId x = net.concat(
      "mlp", {net.embedding("mlp/user", user, kUsers, kHalf), net.embedding("mlp/item", item, kItems, kHalf)});
  for (const std::int64_t width : {256, 128, 64}) {
    const std::string name = "mlp/" + std::to_string(width);
    x = net.relu(name + "/relu", net.fully_connected(name, x, width));
  }
  net.elementwise("prob", "sigmoid", net.fully_connected("score", net.concat("joined", {factors, x}), 1));
  return net.finish();
}

// Naumov et al., arXiv:1906.00091, as MLPerf has it for Criteo's terabyte of clicks (mlcommons/training,
// recommendation/dlrm: 13 numbers and 26 categories, of which a table holds up to 40 million; 128 features): the
// products of all pairs of features go into a second MLP.
Workload dlrm(std::int64_t batch_size) {
  constexpr std::int64_t kNumbers = 13, kFeatures = 128;
  static constexpr std::int64_t kTables[] = {40000000, 39060,    17295,    7424,     20265,  3,     7122, 1543, 63,
                                             40000000, 3067956,  405282,   10,       2209,   11938, 155,  4,    976,
                                             14,       40000000, 40000000, 40000000, 590152, 12973, 108,  36};
  Net net("dlrm");
  TensorId x = net.input("numbers", {batch_size, kNumbers});
  for (const std::int64_t width : {std::int64_t{512}, std::int64_t{256}, kFeatures}) {
    const std::string name = "bottom/" + std::to_string(width);
    x = net.relu(name + "/relu", net.fully_connected(name, x, width));
  }
  std::vector<TensorId> features = {x};
  for (const std::int64_t entries : kTables) {
    const std::string name = "table" + std::to_string(features.size());
    features.push_back(net.embedding(name, net.input(name + "/ids", {batch_size}, DType::int64), entries, kFeatures));
  }
  const auto count = static_cast<std::int64_t>(features.size()), pairs = count * (count - 1) / 2;
  const TensorId all = net.join("features", features, {batch_size, count, kFeatures});
  const TensorId products = net.matmul("pairs", all, all, true);
  const TensorId lower = net.gather("pairs/lower", {products}, {batch_size, pairs});
  x = net.concat("joined", {x, lower});
  int number = 0;
  for (const std::int64_t width : {1024, 1024, 512, 256}) {
    const std::string name = "top/" + std::to_string(++number);
    x = net.relu(name + "/relu", net.fully_connected(name, x, width));
  }
  net.elementwise("prob", "sigmoid", net.fully_connected("score", x, 1));
  return net.finish();
}

namespace {

// The residual networks of Gulrajani et al. (NIPS 2017, arXiv:1704.00028, appendix F) for images of 64x64, 64 wide.
constexpr std::int64_t kWidth = 64, kSmallest = 4, kNoise = 128;

TensorId grow(Net& net, const std::string& name, TensorId x, std::int64_t channels) {
  TensorId y = net.relu(name + "relu1", net.batch_norm(name + "bn1", x));
  y = net.conv(name + "3x3a", net.upsample(name + "up", y, 2), channels, {3, 1, 1}, false);
  y = net.relu(name + "relu2", net.batch_norm(name + "bn2", y));
  y = net.conv(name + "3x3b", y, channels, {3, 1, 1});
  return net.add(name + "add", y, net.conv(name + "1x1", net.upsample(name + "shortcut/up", x, 2), channels, {1}));
}

TensorId shrink(Net& net, const std::string& name, TensorId x, std::int64_t channels) {
  const std::int64_t before = net.shape(x)[1];
  TensorId y = net.conv(name + "3x3a", net.relu(name + "relu1", x), before, {3, 1, 1}, false);
  y = net.conv(name + "3x3b", net.relu(name + "relu2", y), channels, {3, 1, 1});
  y = net.average_pool(name + "pool", y, {2, 2});
  return net.add(name + "add", y,
                 net.conv(name + "1x1", net.average_pool(name + "shortcut/pool", x, {2, 2}), channels, {1}));
}

}  // namespace

Workload wgan_generator(std::int64_t batch_size) {
  Net net("wgan_generator");
  TensorId x = net.fully_connected("fc", net.input("noise", {batch_size, kNoise}), 8 * kWidth * kSmallest * kSmallest);
  x = net.view("map", "reshape", x, {batch_size, 8 * kWidth, kSmallest, kSmallest});
  int number = 0;
  for (const std::int64_t times : {8, 4, 2, 1}) x = grow(net, "up" + std::to_string(++number) + "/", x, times * kWidth);
  x = net.relu("relu", net.batch_norm("bn", x));
  net.elementwise("image", "tanh", net.conv("conv", x, 3, {3, 1, 1}));
  return net.finish();
}

Workload wgan_critic(std::int64_t batch_size) {
  constexpr std::int64_t kImage = 64;
  Net net("wgan_critic");
  TensorId x = net.conv("conv", net.input("image", {batch_size, 3, kImage, kImage}), kWidth, {3, 1, 1});
  int number = 0;
  for (const std::int64_t times : {2, 4, 8, 8}) {
    x = shrink(net, "down" + std::to_string(++number) + "/", x, times * kWidth);
  }
  net.fully_connected("score", net.flatten("flatten", x), 1);
  return net.finish();
}

}  // namespace rooftile
