#include "rooftile/ingest/model.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/embedded_models.hpp"
#include "rooftile/ingest/export_memo.hpp"
#include "rooftile/ingest/folded_batch_norm.hpp"
#include "rooftile/ingest/hub_name.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/timm_name.hpp"
#include "rooftile/ingest/transformer_model.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/zoo/transformer_config.hpp"
#include "rooftile/zoo/transformer_toml.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

// Standard input may be an ONNX file with its weights.
constexpr std::size_t kMaxStandardInput = std::size_t{4} << 30;

bool has_suffix(std::string_view text, std::string_view suffix) {
  if (text.size() < suffix.size()) return false;
  text.remove_prefix(text.size() - suffix.size());
  for (std::size_t i = 0; i < suffix.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != suffix[i]) return false;
  }
  return true;
}

bool is_toml_file(std::string_view name) { return has_suffix(name, ".toml"); }

bool is_onnx_file(std::string_view name) { return has_suffix(name, ".onnx") || has_suffix(name, ".onnx.gz"); }

// JSON begins with a brace, after blanks or a byte order mark; an ONNX file with the tag of a field, never a brace.
bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && text[first] == '{';
}

bool sets_shapes(const ModelOptions& options) {
  return options.image_size || !options.shapes.empty() || !options.dims.empty();
}

tl::unexpected<Error> fixed_shapes(const std::string& where) {
  return fail(ErrorCode::usage, "a workload's shapes are fixed; edit the file", where);
}

tl::unexpected<Error> no_seq_len(const std::string& model) {
  return fail(ErrorCode::usage,
              "its sequence length is fixed; seq-len is for the transformers of 'rooftile models list'", model);
}

tl::unexpected<Error> no_context(const std::string& model) {
  return fail(ErrorCode::usage, "has no cache; context is for the transformers of 'rooftile models list'", model);
}

// A workload, or the configuration of a transformer.
Result<Workload> from_json_text(std::string_view text, const std::string& where, const ModelOptions& options) {
  if (is_transformer_config(text)) {
    const auto shape = TRY(parse_transformer_config(text, where));
    return build_transformer(shape, options);
  }
  if (options.seq_len) return no_seq_len(where);
  if (options.context) return no_context(where);
  if (sets_shapes(options)) return fixed_shapes(where);
  return parse_workload_json(text, where, options.batch_size);
}

Result<Workload> from_json(const std::string& path, const ModelOptions& options) {
  const auto text = TRY(read_text_file(path));
  return from_json_text(text, path, options);
}

OnnxOptions onnx_options(const ModelOptions& options) {
  return {.batch_size = options.batch_size,
          .skip_unsupported = options.skip_unsupported,
          .image_size = options.image_size,
          .shapes = options.shapes,
          .dims = options.dims,
          .fuse_attention = options.fuse_attention};
}

Result<Workload> from_standard_input(const ModelOptions& options) {
  const auto text = TRY(read_text_file("-", kMaxStandardInput));
  if (looks_like_json(text)) return from_json_text(text, "standard input", options);
  return parse_onnx(text, "standard input", "standard input", onnx_options(options));
}

// A name without what the names of one network differ in.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '-' && c != '_' && c != ' ') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result == "googlenetv1" || result == "inceptionv1" ? "googlenet" : result;
}

const ZooEntry* find_built_in(std::string_view name) {
  const std::string wanted = plain(without_timm_name(name));
  for (const ZooEntry& entry : zoo()) {
    if (plain(entry.name) == wanted) return &entry;
    for (const std::string& alias : entry.aliases) {
      if (plain(alias) == wanted) return &entry;
    }
  }
  return nullptr;
}

tl::unexpected<Error> no_image_size(const ZooEntry& entry) {
  if (entry.image_size == 0 || entry.seq_len) return fail(ErrorCode::usage, "takes no images", entry.name);
  return fail(ErrorCode::usage, fmt::format("its images are {0}x{0}; it takes no others", entry.image_size),
              entry.name);
}

Result<Workload> build(const ZooEntry& entry, const ModelOptions& options) {
  if (entry.transformer) return build_transformer(*entry.transformer, options);
  if (options.context) return no_context(entry.name);
  if (options.seq_len && !entry.seq_len) return no_seq_len(entry.name);
  if (!options.shapes.empty() || !options.dims.empty()) {
    return fail(ErrorCode::usage, "is built in; the shapes of inputs are set for ONNX models", entry.name);
  }
  const std::int64_t seq_len = options.seq_len.value_or(entry.seq_len.value_or(1));
  if (seq_len < 1 || seq_len > kMaxDimension) {
    return fail(ErrorCode::usage, fmt::format("sequence length {} is not between 1 and {}", seq_len, kMaxDimension));
  }
  if (seq_len < entry.least_positions) {
    return fail(ErrorCode::usage,
                fmt::format("seq-len {} is less than the {} that it needs", seq_len, entry.least_positions),
                entry.name);
  }
  if (entry.most_positions > 0 && seq_len > entry.most_positions) {
    return beyond_table(entry.name, seq_len, entry.most_positions);
  }
  InputSize size = {.batch_size = options.batch_size.value_or(1), .seq_len = seq_len, .image_size = entry.image_size};
  if (options.image_size) {
    if (!entry.any_image_size && (*options.image_size != entry.image_size || entry.seq_len)) {
      return no_image_size(entry);
    }
    if (entry.any_image_size && *options.image_size < kSmallestImage) {
      return fail(ErrorCode::usage,
                  fmt::format("images of {0}x{0} are too small; at least {1}x{1}", *options.image_size, kSmallestImage),
                  entry.name);
    }
    if (*options.image_size % entry.image_step != 0) {
      return fail(ErrorCode::usage,
                  fmt::format("images of {0}x{0} are no multiple of {1}", *options.image_size, entry.image_step),
                  entry.name);
    }
    size.image_size = *options.image_size;
  }
  return entry.builder(size);
}

// As plain(), but "1_6" stays apart from "16".
std::string plain_but_numbers(std::string_view name) {
  std::string joined;
  const auto digit = [&](std::size_t at) { return at < name.size() && name[at] >= '0' && name[at] <= '9'; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool point = (name[i] == '_' || name[i] == '-') && i > 0 && digit(i - 1) && digit(i + 1);
    joined += point ? '.' : name[i];
  }
  return plain(joined);
}

// The embedded model of that name, or whose name ends in "/" and it, letter for letter (regnet_y_16gf is not
// regnet_y_1_6gf), else the only one that it names.
const EmbeddedModel* find_embedded(std::string_view given) {
  const std::string name = without_timm_name(given);
  for (const EmbeddedModel& model : embedded_models()) {
    if (model.name == name || model.name.substr(model.name.rfind('/') + 1) == name) return &model;
  }
  const auto only = [&](const auto& spelt) -> const EmbeddedModel* {
    const std::string wanted = spelt(name);
    const EmbeddedModel* found = nullptr;
    for (const EmbeddedModel& model : embedded_models()) {
      if (spelt(model.name.substr(model.name.rfind('/') + 1)) != wanted) continue;
      if (found != nullptr) return nullptr;
      found = &model;
    }
    return found;
  };
  const EmbeddedModel* found = only(plain);
  return found != nullptr ? found : only(plain_but_numbers);
}

// "; vgg16, vgg16_bn begin with it", or, where none does, "".
std::string begin_with_it(const std::string& model, std::vector<std::string> names) {
  constexpr std::size_t kShown = 8;
  const auto begins = [&](const std::string& name) { return name.starts_with(model); };
  if (std::any_of(names.begin(), names.end(), begins)) {
    std::erase_if(names, std::not_fn(begins));
  } else {  // "resnet-5" begins "resnet50"
    const std::string beginning = plain(model);
    std::erase_if(names, [&](const std::string& name) { return !plain(name).starts_with(beginning); });
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return {};
  if (names.size() == 1) return fmt::format("; {} begins with it", names.front());
  if (names.size() > kShown) {
    return fmt::format("; {} names begin with it: {}, …", names.size(),
                       fmt::join(names.begin(), names.begin() + kShown, ", "));
  }
  return fmt::format("; {} begin with it", fmt::join(names, ", "));
}

std::string hint_for(const std::string& model, const std::vector<std::string>& names) {
  if (model.find(',') != std::string::npos) return "; separate models with spaces";
  const std::string longer = model.empty() ? std::string() : begin_with_it(model, names);
  return longer.empty() ? did_you_mean(model, names) : longer;
}

// `named`: what is built in under the last part of a path, if anything is.
tl::unexpected<Error> unknown(const std::string& model, const std::string& named) {
  std::error_code ignored;
  if (std::filesystem::exists(model, ignored)) {
    return fail(ErrorCode::not_found, "a model file must end in .onnx, .json or .toml", model);
  }
  if (!named.empty()) {
    return fail(
        ErrorCode::not_found,
        fmt::format("'{}' is neither a file nor a network of that owner; '{}' is built in", one_line(model), named));
  }
  std::vector<std::string> names;
  for (const ModelName& known : model_names()) {
    names.push_back(known.name);
    names.push_back(known.name.substr(known.name.rfind('/') + 1));
  }
  for (const ZooEntry& entry : zoo()) names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
  return fail(ErrorCode::not_found, fmt::format("'{}' is neither an .onnx, .json or .toml file nor a built-in model{}",
                                                one_line(model), hint_for(model, names)));
}

Result<Workload> load(const std::string& model, const ModelOptions& options) {
  const OnnxOptions onnx = onnx_options(options);
  if (model == "-") return from_standard_input(options);
  if (options.seq_len && is_onnx_file(model)) return no_seq_len(model);
  if (is_toml_file(model)) return load_transformer(model, options);
  if (options.context && is_onnx_file(model)) return no_context(model);
  if (is_onnx_file(model)) return read_onnx(model, onnx);
  if (has_suffix(model, ".json")) return from_json(model, options);
  if (const ZooEntry* entry = find_built_in(model)) return build(*entry, options);
  if (const EmbeddedModel* embedded = find_embedded(model)) {
    if (options.seq_len) return no_seq_len(model);
    if (options.context) return no_context(model);
    const std::string name(embedded->name);
    const auto read = [&] { return parse_onnx(embedded->onnx, name, name, onnx); };
    if (!onnx.batch_size || !onnx.shapes.empty() || !onnx.dims.empty()) return read();
    return read_once(
        fmt::format("{} {} {} {}", name, onnx.image_size.value_or(0), onnx.skip_unsupported, onnx.fuse_attention),
        *onnx.batch_size, read);
  }
  const std::string name = without_owner(model);
  const ZooEntry* entry = name.empty() ? nullptr : find_built_in(name);
  const bool known = entry != nullptr || (!name.empty() && find_embedded(name) != nullptr);
  if (known && ((entry != nullptr && entry->transformer) || publishes(model))) return load(name, options);
  return unknown(model, known ? name : "");
}

}  // namespace

Result<std::optional<Transformer>> find_transformer(const std::string& model) {
  if (is_toml_file(model)) {
    const auto text = TRY(read_text_file(model, kMaxTomlFile));
    auto shape = TRY(parse_transformer(text, model));
    return shape;
  }
  if (has_suffix(model, ".json")) {
    const auto text = TRY(read_text_file(model));
    if (!is_transformer_config(text)) return std::nullopt;
    auto shape = TRY(parse_transformer_config(text, model));
    return shape;
  }
  const ZooEntry* entry = find_built_in(model);
  if (entry == nullptr) entry = find_built_in(without_owner(model));
  if (entry == nullptr || !entry->transformer) return std::nullopt;
  return *entry->transformer;
}

Result<Workload> load_model(const std::string& model, const ModelOptions& options) {
  if (options.batch_size && (*options.batch_size < 1 || *options.batch_size > kMaxDimension)) {
    return fail(ErrorCode::usage,
                fmt::format("batch size {} is not between 1 and {}", *options.batch_size, kMaxDimension));
  }
  if (options.image_size && (*options.image_size < 1 || *options.image_size > kMaxDimension)) {
    return fail(ErrorCode::usage,
                fmt::format("image size {} is not between 1 and {}", *options.image_size, kMaxDimension));
  }
  auto workload = load(model, options);
  if (!workload) return workload;
  if (options.batch_norms == BatchNorms::folded) workload = TRY(fold_batch_norms(*workload));
  if (options.batch_norms == BatchNorms::restored && has_folded_batch_norms(*workload)) {
    workload = restore_batch_norms(*workload);
  }
  if (auto valid = validate(*workload); !valid) {
    const Error& error = valid.error();
    return fail(error.code, error.message, error.where.empty() ? model : model + ": " + error.where);
  }
  return workload;
}

bool same_model_name(std::string_view a, std::string_view b) { return plain(a) == plain(b); }

Result<std::vector<Skipped>> unsupported_operators(const std::string& model) {
  const std::vector<Skipped> none;
  if (model == "-") {
    const auto text = TRY(read_text_file("-", kMaxStandardInput));
    return looks_like_json(text) ? none : parse_unsupported_operators(text, "standard input");
  }
  if (is_onnx_file(model)) return read_unsupported_operators(model);
  if (has_suffix(model, ".json") || is_toml_file(model)) return none;
  if (find_built_in(model) != nullptr) return none;
  if (const EmbeddedModel* embedded = find_embedded(model)) {
    return parse_unsupported_operators(embedded->onnx, embedded->name);
  }
  return unknown(model, {});
}

std::vector<ModelName> model_names() {
  std::vector<ModelName> names;
  for (const ZooEntry& entry : zoo()) names.push_back({entry.name, entry.description});
  for (const EmbeddedModel& model : embedded_models()) {
    const std::string name(model.name);
    const std::size_t slash = name.find('/');
    names.push_back({name, fmt::format("{} of {}, exported to ONNX", name.substr(slash + 1), name.substr(0, slash))});
  }
  return names;
}

}  // namespace rooftile
