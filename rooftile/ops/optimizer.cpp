#include "rooftile/ops/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace rooftile {
namespace {

struct Row {
  std::string_view name;
  double states;
  UpdatePasses each, fused;
};

// In the order of the enumeration.
constexpr std::array kRows = {
    Row{"sgd", 0, {2, 1, 1, 2}, {2, 1, 1, 2}},       // p += -lr g
    Row{"momentum", 1, {5, 3, 3, 5}, {3, 2, 1, 5}},  // b *= m; b += g; p += -lr b
    Row{"adam", 2, {11, 7, 7, 12}, {4, 3, 1, 12}},   // m lerp g; v *= b; v += g g; s = sqrt v; s /= c; s += e; p += m /
                                                     // s
    Row{"adamw", 2, {12, 8, 8, 13}, {4, 3, 1, 13}},  // and p *= 1 - decay before
    Row{"lamb", 2, {8, 4, 4, 18}, {8, 4, 4, 18}},
    Row{"lars", 1, {7, 3, 5, 9}, {5, 2, 3, 9}},
    // g += w p; v *= a; v += g g; s = sqrt v; s += e; b *= m; b += g / s; p += -lr b
    Row{"rmsprop", 2, {13, 8, 8, 12}, {4, 3, 1, 12}},
    Row{"fused_adam", 2, {4, 3, 1, 12}, {4, 3, 1, 12}},
    // |g|; m *= b; m += g; v *= b; v += g g; u = sqrt v; u += e; u = m / u; d = w p; u += d; u *= lr; u = -u; p += u
    Row{"bert_adam", 2, {18, 12, 13, 15}, {18, 12, 13, 15}},
};

// As PyTorch, Apex and Hugging Face's Trainer call them. A fused AdamW streams what a fused Adam does.
constexpr std::array kAliases = {
    std::pair{std::string_view("sgd, momentum"), Optimizer::momentum},
    std::pair{std::string_view("sgd momentum"), Optimizer::momentum},
    std::pair{std::string_view("adamw_torch"), Optimizer::adamw},
    std::pair{std::string_view("adamw_torch_fused"), Optimizer::fused_adam},
    std::pair{std::string_view("adamw_apex_fused"), Optimizer::fused_adam},
    std::pair{std::string_view("fused_adamw"), Optimizer::fused_adam},
    std::pair{std::string_view("fusedadam"), Optimizer::fused_adam},
};

}  // namespace

std::string_view name_of(Optimizer optimizer) { return kRows[static_cast<std::size_t>(optimizer)].name; }

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

std::optional<Optimizer> parse_optimizer(std::string_view text) {
  std::string name(text);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<Optimizer>(i);
  }
  for (const auto& [alias, optimizer] : kAliases) {
    if (alias == name) return optimizer;
  }
  return std::nullopt;
}

UpdatePasses update_passes(Optimizer optimizer, bool fused) {
  const Row& row = kRows[static_cast<std::size_t>(optimizer)];
  return fused ? row.fused : row.each;
}

double state_values(Optimizer optimizer) { return kRows[static_cast<std::size_t>(optimizer)].states; }

}  // namespace rooftile
