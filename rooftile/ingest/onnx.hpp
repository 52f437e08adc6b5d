// ONNX files to workloads. Weights are skipped before parsing and external data is never opened.
//
//     const Result<Workload> workload = read_onnx("resnet50.onnx", {.batch_size = 256});
//     assert(!workload);  // there is no such file here
//     assert(workload.error().where == "resnet50.onnx");
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

struct OnnxOptions {
  std::optional<std::int64_t> batch_size =
      {};                         // replaces dimension 0 of each input; unset: the file's own, 1 if symbolic
  bool skip_unsupported = false;  // leave unknown operators out and list them in Workload::skipped
  std::optional<std::int64_t> image_size = {};    // height and width of each input of images or videos
  std::map<std::string, Shape> shapes = {};       // of inputs by name: whole shapes but for the batch size
  std::map<std::string, std::int64_t> dims = {};  // those that the file leaves open, by name
  bool fuse_attention = false;                    // products, mask and softmax of attention as one op
};

// Reads `path` ("-" is standard input), which may be compressed by gzip. Errors name the file and the node.
Result<Workload> read_onnx(const std::string& path, const OnnxOptions& options = {});

// The same from bytes of an ONNX file in memory; `where` names them in errors, `name` names the workload.
Result<Workload> parse_onnx(std::string_view bytes, std::string_view name, std::string_view where,
                            const OnnxOptions& options = {});

// Node and operator type of each node that parse_onnx() would reject, or leave out, because nothing stands for its
// operator. Found from the main graph alone: no shape has to be known. An error only if the file cannot be read.
Result<std::vector<Skipped>> parse_unsupported_operators(std::string_view bytes, std::string_view where);

// The same of the file `path`, "-" for standard input.
Result<std::vector<Skipped>> read_unsupported_operators(const std::string& path);

// Copies an ONNX file without the payloads of tensors above 1 KiB: the wire format is walked, never parsed whole. A
// file compressed by gzip comes back uncompressed. The error says at which byte the file stops making sense.
Result<std::string> strip_weights(std::string_view bytes, std::string_view where);

}  // namespace rooftile
