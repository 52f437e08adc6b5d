// A model by whatever name the user gave it: an .onnx file, a workload .json, a transformer's .toml or a name of the
// zoo.
//
//     const Workload workload = load_model("resnet50", {.batch_size = 256}).value();  // or "my.onnx", "my.json"
//     assert(workload.batch_size == 256);
//     assert(load_model("resnet51").error().code == ErrorCode::not_found);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// restored: in place of the biases of whatever has_folded_batch_norms(); folded: into the convolutions before them.
enum class BatchNorms { as_they_are, restored, folded };

struct ModelOptions {
  std::optional<std::int64_t> batch_size = {};
  std::optional<std::int64_t> seq_len = {};  // positions of a text; only of transformers
  bool skip_unsupported = false;
  std::optional<std::int64_t> image_size = {};    // height and width of images
  std::map<std::string, Shape> shapes = {};       // of an ONNX model's inputs by name
  std::map<std::string, std::int64_t> dims = {};  // that an ONNX model leaves open, by name
  bool fuse_attention = false;                    // of an ONNX model: products, mask and softmax as one op
  BatchNorms batch_norms = BatchNorms::as_they_are;
  std::optional<std::int64_t> context = {};  // of a transformer: positions in its cache before these (seq_len: 1)
};

// "-" reads standard input and looks at its first byte to tell JSON from ONNX. The workload returned passed validate().
Result<Workload> load_model(const std::string& model, const ModelOptions& options = {});

// The operators of an ONNX model that no op of a workload stands for, even where load_model() fails because of them.
// Models of other kinds have none. "-" reads standard input, which cannot be read again.
Result<std::vector<Skipped>> unsupported_operators(const std::string& model);

// Whether two names are of one network: they may differ in hyphens, underscores and case, as "ResNet-50" and
// "resnet50".
bool same_model_name(std::string_view a, std::string_view b);

// What `rooftile models list` prints: the networks built in and the exported ones that ship with the program.
struct ModelName {
  std::string name;
  std::string description;
};
std::vector<ModelName> model_names();

}  // namespace rooftile
