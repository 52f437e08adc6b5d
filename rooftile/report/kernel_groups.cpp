#include "rooftile/report/kernel_groups.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using roofline::Kernel;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A name as its runs of digits and the texts before, between and behind them, in turn.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i == 0 ? is_digit(name[i]) : is_digit(name[i]) != is_digit(name[i - 1])) parts.emplace_back();
    parts.back() += name[i];
  }
  return parts;
}

// Equal for kernels of one group.
std::string key_of(const Kernel& kernel, const std::vector<std::string>& parts) {
  std::string key;
  for (std::size_t i = 0; i < parts.size(); ++i) key += i % 2 == 0 ? parts[i] : "0";
  key += fmt::format("\n{}\n{} {} {} {}", kernel.op, static_cast<int>(kernel.origin), static_cast<int>(kernel.unit),
                     kernel.launches, kernel.time.value());
  for (const Flops flops : kernel.flops) key += fmt::format(" {}", flops.value());
  for (const auto& bytes : kernel.bytes) key += bytes ? fmt::format(" {}", bytes->value()) : " -";
  return key;
}

struct Members {
  std::vector<std::string> parts;
  std::vector<bool> differ;  // whether a part is not the same in all
};

std::string name_of(const Members& members, std::size_t count) {
  std::string name;
  for (std::size_t i = 0; i < members.parts.size(); ++i) name += members.differ[i] ? "*" : members.parts[i];
  return count > 1 ? fmt::format("{} x {}", name, count) : name;
}

// An exporter's path without the modules whose name the next one repeats:
// "/features/features.11/block/block.2/fc1/Conv" as "features.11/block.2/fc1/Conv".
std::string without_repeats(std::string_view path) {
  std::string result;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (slash == std::string_view::npos) return result += name;
    path.remove_prefix(slash + 1);
    const bool repeated = path.starts_with(name) && path.substr(name.size()).starts_with('.');
    if (!name.empty() && !repeated) result.append(name).append("/");
  }
}

std::string cut(std::string_view name, std::size_t width) {
  return width_of(name) <= width ? std::string(name) : shorten(without_repeats(name), width);
}

}  // namespace

std::vector<KernelGroup> equal_kernels(const std::vector<Kernel>& kernels) {
  std::vector<KernelGroup> groups;
  std::vector<Members> members;
  std::map<std::string, std::size_t> places;
  for (const Kernel& kernel : kernels) {
    const std::vector<std::string> parts = parts_of(label_of(kernel));
    const auto [found, is_new] = places.emplace(key_of(kernel, parts), groups.size());
    const std::size_t place = found->second;
    if (is_new) {
      groups.push_back({.kernel = &kernel, .name = {}, .count = 0, .time = {}});
      members.push_back({parts, std::vector<bool>(parts.size())});
    }
    ++groups[place].count;
    groups[place].time += kernel.time;
    Members& own = members[place];
    for (std::size_t i = 0; i < parts.size(); ++i) own.differ[i] = own.differ[i] || own.parts[i] != parts[i];
  }
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].name = name_of(members[i], groups[i].count);
  return groups;
}

std::string short_name(const KernelGroup& group, std::size_t width) {
  if (group.count == 1) return cut(group.name, width);
  const std::size_t end = group.name.rfind(" x ");
  return cut(std::string_view(group.name).substr(0, end), width) + group.name.substr(end);
}

std::string title_of(const KernelGroup& group) {
  return fmt::format("{}, {}{}", group.name, print(group.kernel->time), group.count > 1 ? " each" : "");
}

}  // namespace rooftile
