#include "rooftile/ingest/transformer_model.hpp"

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/zoo/transformer_toml.hpp"

namespace rooftile {
namespace {

Result<void> check_length(std::int64_t positions, const char* what) {
  if (positions >= 1 && positions < kMaxDimension) return {};
  return fail(ErrorCode::usage, fmt::format("{} {} is not between 1 and {}", what, positions, kMaxDimension - 1));
}

}  // namespace

Result<Workload> build_transformer(const Transformer& shape, const ModelOptions& options) {
  if (!options.shapes.empty() || !options.dims.empty()) {
    return fail(ErrorCode::usage, "is a transformer; the shapes of inputs are set for ONNX models", shape.name);
  }
  const bool images = shape.patch > 0;
  if (images && options.seq_len) return fail(ErrorCode::usage, "takes images, no text", shape.name);
  if (!images && options.image_size) return fail(ErrorCode::usage, "takes a text, no images", shape.name);
  TransformerRun run = {.batch_size = options.batch_size.value_or(1),
                        .seq_len = options.seq_len.value_or(images || options.context ? 1 : shape.seq_len),
                        .context = options.context.value_or(0),
                        .image_size = options.image_size.value_or(images ? shape.image_size : 1)};
  TRY(check_length(run.seq_len, "sequence length"));
  if (options.context) TRY(check_length(run.context, "context"));
  if (auto good = check(shape, run); !good) return fail(ErrorCode::usage, good.error().message, shape.name);
  std::string note = TRY(check_positions(shape, run.seq_len + run.context));
  Workload workload = build(shape, run);
  if (!note.empty()) workload.notes.push_back(std::move(note));
  return workload;
}

Result<Workload> load_transformer(const std::string& path, const ModelOptions& options) {
  const auto text = TRY(read_text_file(path, kMaxTomlFile));
  const auto shape = TRY(parse_transformer(text, path));
  return build_transformer(shape, options);
}

}  // namespace rooftile
