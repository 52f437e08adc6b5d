// Any text as a transformer's TOML or as a configuration of Hugging Face: an error of one line, or a network that is a
// valid workload at some size, or refused for its size. The first byte picks the format, batch, length and context.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/zoo/transformer_config.hpp"
#include "rooftile/zoo/transformer_toml.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  if (size == 0) return 0;
  const std::uint8_t pick = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool toml = pick % 2 == 0;
  const auto shape = toml ? parse_transformer(text, "fuzz.toml") : parse_transformer_config(text, "config.json");
  if (!shape) {
    require(is_one_line_error(shape.error()));
    return 0;
  }
  require(check(*shape).has_value());
  constexpr std::int64_t kMostToBuild = 64;
  if (shape->layers + shape->encoder_layers > kMostToBuild) return 0;  // more of the same
  const std::int64_t length = pick % 8 < 2 ? kMaxDimension : pick;
  const TransformerRun run = {.batch_size = pick % 16 < 4 ? kMaxDimension : 3,
                              .seq_len = length + 1,
                              .context = pick % 4 < 2 ? 0 : length,
                              .image_size = shape->image_size > 0 ? shape->image_size : 1};
  const Workload workload = build(*shape, run);
  if (const auto fits = check(*shape, run); !fits) {
    require(is_one_line_error(fits.error()));
    require(!validate(workload));
  } else if (const auto valid = validate(workload); !valid) {
    require(is_one_line_error(valid.error()));
  }
  return 0;
}
