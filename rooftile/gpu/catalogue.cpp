#include "rooftile/gpu/catalogue.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/gpu/base_gpu.hpp"
#include "rooftile/gpu/derive.hpp"
#include "rooftile/gpu/embedded.hpp"
#include "rooftile/gpu/gpu_file.hpp"
#include "rooftile/gpu/gpu_keys.hpp"
#include "rooftile/gpu/select_gpu.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kArchitectures = "architectures/";
constexpr std::string_view kSuffix = ".toml";

// "nvidia/titan-xp.toml" -> "titan-xp"
std::string_view id_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.size() - kSuffix.size());
}

std::vector<std::string> ids(bool architectures) {
  std::vector<std::string> found;
  for (const EmbeddedText& file : embedded_gpu_files()) {
    if (file.path.starts_with(kArchitectures) == architectures) found.emplace_back(id_of(file.path));
  }
  std::sort(found.begin(), found.end());
  return found;
}

const EmbeddedText* embedded(std::string_view id, bool architectures) {
  for (const EmbeddedText& file : embedded_gpu_files()) {
    if (file.path.starts_with(kArchitectures) == architectures && id_of(file.path) == id) return &file;
  }
  return nullptr;
}

// "level.capacity" of L2 -> "level.L2.capacity"
std::string level_fact(std::string_view level, const GpuKey& row) {
  return fmt::format("level.{}.{}", level, row.key.substr(row.key.find('.') + 1));
}

// The required keys that `facts` lack.
std::vector<std::string> missing_keys(const FactTable& facts) {
  std::vector<std::string> missing;
  const auto need = [&](std::string key) {
    if (!facts.has(key)) missing.push_back(std::move(key));
  };
  for (const GpuKey& row : gpu_keys()) {
    if (row.need == Need::required && !is_level_key(row)) need(std::string(row.key));
  }
  for (const LevelName& level : kLevelNames) {
    if (!level.required && !facts.has(fmt::format("level.{}.capacity", level.name))) continue;
    for (const GpuKey& row : gpu_keys()) {
      if (row.need == Need::required && is_level_key(row)) need(level_fact(level.name, row));
    }
  }
  return missing;
}

// Fills the fields of `gpu` and lists its facts, both in the order of the key table.
void fill(Gpu& gpu, const FactTable& facts) {
  for (const LevelName& level : kLevelNames) {
    if (!facts.has(fmt::format("level.{}.capacity", level.name))) continue;
    MemoryLevel& added = gpu.levels.emplace_back();
    added.name = level.name;
    added.per_sm = level.per_sm;
  }
  for (const GpuKey& row : gpu_keys()) {
    if (is_level_key(row)) continue;
    const NumberedFact* entry = facts.find(row.key);
    if (entry == nullptr) continue;
    if (row.set != nullptr) row.set(gpu, entry->number);
    gpu.facts.push_back(entry->fact);
  }
  for (MemoryLevel& level : gpu.levels) {
    for (const GpuKey& row : gpu_keys()) {
      if (!is_level_key(row)) continue;
      const NumberedFact* entry = facts.find(level_fact(level.name, row));
      if (entry == nullptr) continue;
      if (row.set_level != nullptr) row.set_level(level, entry->number);
      gpu.facts.push_back(entry->fact);
    }
  }
}

bool is_id(std::string_view id) {
  return std::all_of(id.begin(), id.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::string unknown_architecture(std::string_view id) {
  if (id.empty()) return "the file names no architecture to take them from";
  const std::vector<std::string> known = ids(true);
  std::string hint = did_you_mean(id, known);
  if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(known, ", "));
  return fmt::format("architecture '{}' is not known{}", id.substr(0, 60), hint);
}

// Files and the GPUs they are based on.
class BaseChain {
 public:
  Result<GpuFile> read(std::string_view toml, std::string_view where, FactKind unsaid) {
    auto file = TRY(read_gpu_file(toml, where, unsaid));
    if (file.base.empty()) return file;
    auto base = TRY(base_of(file, where));
    file.facts = over_base(file.facts, base.facts, base.id);
    if (file.vendor.empty()) file.vendor = base.vendor;
    if (file.note.empty()) file.note = base.note;
    if (file.architecture.empty()) {
      file.architecture = base.architecture;
      if (file.compute_capability.empty()) file.compute_capability = base.compute_capability;
    }
    return file;
  }

 private:
  static tl::unexpected<Error> wrong(const GpuFile& file, std::string message) {
    return fail(ErrorCode::bad_input, fmt::format("base: {}", message), file.base_place);
  }

  Result<GpuFile> base_of(const GpuFile& file, std::string_view where) {
    constexpr std::size_t kDeepest = 8;
    if (!file.base.ends_with(kSuffix)) {
      const auto id = select_gpu(file.base);
      if (!id) return wrong(file, id.error().message);
      const EmbeddedText* known = embedded(*id, false);
      return read(known->text, known->path, FactKind::vendor);
    }
    const std::filesystem::path path = std::filesystem::path(where).parent_path() / file.base;
    files_.push_back(real(std::filesystem::path(where)));
    if (std::find(files_.begin(), files_.end(), real(path)) != files_.end()) {
      return wrong(file, fmt::format("'{}' is based on this file", one_line(file.base)));
    }
    if (files_.size() == kDeepest) return wrong(file, fmt::format("more than {} files based on each other", kDeepest));
    const auto text = read_text_file(path.string(), kMaxTomlFile);
    if (!text) return wrong(file, text.error().text());
    return read(*text, path.string(), FactKind::own);
  }

  // The one name of a file that may have several; the same where there is no such file.
  static std::filesystem::path real(const std::filesystem::path& path) {
    std::error_code none;
    std::filesystem::path found = std::filesystem::weakly_canonical(path, none);
    return none ? path : found;
  }

  std::vector<std::filesystem::path> files_;
};

// Of the catalogue, each read when a GPU of it first asks.
class Architectures {
 public:
  // Null: none is called so.
  Result<const GpuFile*> find(std::string_view id) {
    const EmbeddedText* text = embedded(id, true);
    if (text == nullptr) return nullptr;
    const auto known = read_.find(text);
    if (known != read_.end()) return &known->second;
    auto file = TRY(read_gpu_file(text->text, text->path));
    return &read_.emplace(text, std::move(file)).first->second;
  }

 private:
  std::map<const EmbeddedText*, GpuFile> read_;
};

Result<Gpu> complete(std::string_view toml, std::string_view where, FactKind unsaid, Architectures& architectures) {
  auto file = TRY(BaseChain().read(toml, where, unsaid));
  const auto wrong = [&](std::string message) {
    return fail(ErrorCode::bad_input, std::move(message), std::string(where));
  };
  if (file.id.empty()) return wrong("id is missing: id = \"my-gpu\"");
  if (!is_id(file.id)) return wrong("id must be of lower-case letters, digits and hyphens");

  const GpuFile none;
  const GpuFile* known = TRY(architectures.find(file.architecture));
  const GpuFile& architecture = known != nullptr ? *known : none;
  const std::string& capability =
      file.compute_capability.empty() ? architecture.compute_capability : file.compute_capability;
  const FactTable facts =
      derive_facts(file.facts, known != nullptr ? &architecture.facts : nullptr, architecture.name, capability);
  if (const std::vector<std::string> missing = missing_keys(facts); !missing.empty()) {
    const std::string why = known != nullptr ? fmt::format("architecture '{}' does not give it", file.architecture)
                                             : unknown_architecture(file.architecture);
    return wrong(fmt::format("missing: {}; {}", fmt::join(missing, ", "), why));
  }

  Gpu gpu;
  gpu.id = file.id;
  gpu.name = file.name.empty() ? file.id : file.name;
  gpu.vendor = file.vendor.empty() ? architecture.vendor : file.vendor;
  gpu.architecture = known != nullptr ? architecture.name : file.architecture;
  gpu.compute_capability = capability;
  gpu.note = file.note;
  fill(gpu, facts);
  if (gpu.sm.accumulation_registers >= gpu.sm.registers) {
    return wrong(fmt::format("sm.accumulation_registers = {:.0f} leaves none of the {:.0f} of sm.registers",
                             gpu.sm.accumulation_registers, gpu.sm.registers));
  }
  return gpu;
}

Result<Gpu> of_catalogue(const std::string& id, Architectures& architectures) {
  const EmbeddedText* file = embedded(id, false);
  return complete(file->text, file->path, FactKind::vendor, architectures);
}

}  // namespace

std::vector<std::string> gpu_ids() { return ids(false); }

Result<std::vector<Gpu>> boards_sold() {
  std::vector<std::string> sold = gpu_ids();
  std::erase_if(sold, [](const std::string& id) { return id.ends_with("-delta"); });
  std::vector<std::optional<Result<Gpu>>> read(sold.size());
  std::atomic<std::size_t> next = 0;
  on_threads(machine_threads(), [&](std::size_t) {
    Architectures architectures;
    for (std::size_t i = next++; i < sold.size(); i = next++) read[i] = of_catalogue(sold[i], architectures);
  });
  std::vector<Gpu> gpus;
  for (auto& gpu : read) gpus.push_back(TRY(std::move(*gpu)));
  return gpus;
}

Result<Gpu> parse_gpu(std::string_view toml, std::string_view where) {
  Architectures architectures;
  return complete(toml, where, FactKind::own, architectures);
}

Result<Gpu> find_gpu(std::string_view selector) {
  if (selector.ends_with(kSuffix)) {
    const std::string path(selector);
    return read_text_file(path, kMaxTomlFile).and_then([&](const std::string& text) { return parse_gpu(text, path); });
  }
  Architectures architectures;
  return select_gpu(selector).and_then([&](const std::string& id) { return of_catalogue(id, architectures); });
}

}  // namespace rooftile
