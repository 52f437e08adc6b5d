// Fitting boosted trees by XGBoost's C interface, loaded at run time.
#include <array>
#include <cstdint>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/regression/check.hpp"
#include "rooftile/regression/trees.hpp"

namespace rooftile::regression {
namespace {

// The functions of xgboost/c_api.h (1.7) that a fit needs; each returns 0 if all went well.
struct XGBoost {
  using Handle = void*;
  const char* (*last_error)() = nullptr;
  int (*matrix_from_mat)(const float* data, std::uint64_t rows, std::uint64_t columns, float missing,
                         Handle* out) = nullptr;
  int (*matrix_set_float)(Handle matrix, const char* field, const float* values, std::uint64_t count) = nullptr;
  int (*matrix_free)(Handle matrix) = nullptr;
  int (*booster_create)(const Handle matrices[], std::uint64_t count, Handle* out) = nullptr;
  int (*booster_free)(Handle booster) = nullptr;
  int (*booster_set)(Handle booster, const char* name, const char* value) = nullptr;
  int (*booster_update)(Handle booster, int round, Handle matrix) = nullptr;
  int (*booster_dump)(Handle booster, const char* map, int statistics, const char* format, std::uint64_t* count,
                      const char*** texts) = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// Null where the library is missing or is not what it should be. It stays loaded.
std::unique_ptr<XGBoost> load() {
  void* library = dlopen("libxgboost.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libxgboost.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto api = std::make_unique<XGBoost>();
  const bool whole =
      find(library, "XGBGetLastError", api->last_error) &&
      find(library, "XGDMatrixCreateFromMat", api->matrix_from_mat) &&
      find(library, "XGDMatrixSetFloatInfo", api->matrix_set_float) &&
      find(library, "XGDMatrixFree", api->matrix_free) && find(library, "XGBoosterCreate", api->booster_create) &&
      find(library, "XGBoosterFree", api->booster_free) && find(library, "XGBoosterSetParam", api->booster_set) &&
      find(library, "XGBoosterUpdateOneIter", api->booster_update) &&
      find(library, "XGBoosterDumpModelEx", api->booster_dump);
  return whole ? std::move(api) : nullptr;
}

const XGBoost* xgboost() {
  static const std::unique_ptr<XGBoost> api = load();
  return api.get();
}

// Thrown within this file alone.
struct Failure {
  std::string message;
};

void check(const XGBoost& api, int status) {
  if (status != 0) throw Failure{one_line(api.last_error())};
}

// Something that XGBoost made and frees.
class Owned {
 public:
  explicit Owned(int (*release)(void*)) : release_(release) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != nullptr) release_(handle_);
  }
  void** out() { return &handle_; }
  void* get() const { return handle_; }

 private:
  int (*release_)(void*);
  void* handle_ = nullptr;
};

// Adds a node of XGBoost's dump, {"split": "f3", "split_condition": …, "yes": id, "children": […]} or {"leaf": …}, and
// all below it; returns its index.
std::size_t add_node(const nlohmann::json& from, Tree& tree) {
  const std::size_t place = tree.size();
  tree.emplace_back();
  if (from.contains("leaf")) {
    tree[place].value = from.at("leaf").get<float>();
    return place;
  }
  const nlohmann::json& children = from.at("children");
  const bool first_is_below = children.at(0).at("nodeid") == from.at("yes");
  TreeNode node;
  node.column = std::stoul(from.at("split").get<std::string>().substr(1));
  node.threshold = from.at("split_condition").get<float>();
  node.below = add_node(children.at(first_is_below ? 0 : 1), tree);
  node.above = add_node(children.at(first_is_below ? 1 : 0), tree);
  tree[place] = node;
  return place;
}

std::vector<float> row_major(const Matrix& x) {
  std::vector<float> values;
  values.reserve(x.rows() * x.columns());
  for (std::size_t row = 0; row < x.rows(); ++row) {
    for (std::size_t column = 0; column < x.columns(); ++column) values.push_back(static_cast<float>(x(row, column)));
  }
  return values;
}

TreeEnsemble fit(const XGBoost& api, const Matrix& x, std::span<const double> y, const TreeOptions& options,
                 std::span<const double> weights) {
  // The trees fit what the mean leaves over: in single precision, values far from 0 would lose digits.
  double mean = 0, total = 0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    const double weight = weights.empty() ? 1 : weights[row];
    mean += weight * y[row];
    total += weight;
  }
  mean /= total;
  std::vector<float> labels, shares;
  for (std::size_t row = 0; row < y.size(); ++row) {
    labels.push_back(static_cast<float>(y[row] - mean));
    shares.push_back(weights.empty() ? 1.0F : static_cast<float>(weights[row] / total * static_cast<double>(y.size())));
  }
  Owned matrix(api.matrix_free), booster(api.booster_free);
  const std::vector<float> values = row_major(x);
  // Nothing is missing: check_problem lets no NaN through, and this number stands for none.
  check(api, api.matrix_from_mat(values.data(), x.rows(), x.columns(), std::numeric_limits<float>::quiet_NaN(),
                                 matrix.out()));
  check(api, api.matrix_set_float(matrix.get(), "label", labels.data(), labels.size()));
  check(api, api.matrix_set_float(matrix.get(), "weight", shares.data(), shares.size()));
  void* const matrices[] = {matrix.get()};
  check(api, api.booster_create(matrices, 1, booster.out()));
  const std::vector<std::pair<const char*, std::string>> parameters = {
      {"objective", "reg:squarederror"},
      {"tree_method", "exact"},
      {"base_score", "0"},
      {"max_depth", fmt::to_string(options.depth)},
      {"eta", fmt::to_string(options.rate)},
      {"min_child_weight", fmt::to_string(options.least_child_weight)},
      {"nthread", "1"},
      {"seed", "0"},
      {"verbosity", "0"},
  };
  for (const auto& [name, value] : parameters) check(api, api.booster_set(booster.get(), name, value.c_str()));
  for (std::size_t round = 0; round < options.rounds; ++round) {
    check(api, api.booster_update(booster.get(), static_cast<int>(round), matrix.get()));
  }
  std::uint64_t count = 0;
  const char** texts = nullptr;
  check(api, api.booster_dump(booster.get(), "", 0, "json", &count, &texts));
  TreeEnsemble ensemble = {x.columns(), mean, {}};
  for (std::uint64_t tree = 0; tree < count; ++tree) {
    ensemble.trees.emplace_back();
    add_node(nlohmann::json::parse(texts[tree]), ensemble.trees.back());
  }
  return ensemble;
}

}  // namespace

bool has_xgboost() { return xgboost() != nullptr; }

Result<TreeEnsemble> tree_fit(const Matrix& x, std::span<const double> y, const TreeOptions& options,
                              std::span<const double> weights) {
  TRY(check_problem(x, y, weights));
  const XGBoost* api = xgboost();
  if (api == nullptr) {
    return fail(ErrorCode::unsupported,
                "boosted trees need XGBoost, whose library libxgboost.so.0 is not installed (Debian: libxgboost0)");
  }
  try {
    return fit(*api, x, y, options, weights);
  } catch (const Failure& failure) {
    return fail(ErrorCode::bad_input, "XGBoost: " + failure.message);
  } catch (const std::exception& error) {
    return fail(ErrorCode::bad_input, std::string("cannot read XGBoost's trees: ") + one_line(error.what()));
  }
}

}  // namespace rooftile::regression
