#include "rooftile/gpu/select_gpu.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/embedded.hpp"
#include "rooftile/gpu/gpu_file.hpp"

namespace rooftile {
namespace {

// Vendors, brands and what says nothing of the chip or its memory.
constexpr std::array<std::string_view, 11> kDropped = {"nvidia", "tesla", "geforce",  "quadro", "graphics", "device",
                                                       "amd",    "gpu",   "instinct", "radeon", "oam"};

// Whether `part` stands in `id` between hyphens: "h200" in "h200-sxm-141gb", not in "gh200-96gb-hbm3".
bool has_words(std::string_view id, std::string_view part) {
  for (std::size_t at = id.find(part); at != std::string_view::npos; at = id.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || id[at - 1] == '-') && (end == id.size() || id[end] == '-')) return true;
  }
  return false;
}

bool is_digit(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

// Whether `id` could be cut at `at`, that is not within a number.
bool between(std::string_view id, std::size_t at) { return at == 0 || !is_digit(id, at - 1) || !is_digit(id, at); }

// Whether a word of `id` begins with `beginning`: "80g" of "a100-pcie-80gb", but not "p40" of "p4000".
bool has_word_with(std::string_view id, std::string_view beginning) {
  for (std::size_t at = id.find(beginning); at != std::string_view::npos; at = id.find(beginning, at + 1)) {
    if ((at == 0 || id[at - 1] == '-') && between(id, at + beginning.size())) return true;
  }
  return false;
}

// Whether `part` stands anywhere in `id` without cutting a number.
bool has_part(std::string_view id, std::string_view part) {
  for (std::size_t at = id.find(part); at != std::string_view::npos; at = id.find(part, at + 1)) {
    if (between(id, at) && between(id, at + part.size())) return true;
  }
  return false;
}

// Whether words of `id` that follow each other make `together`: "2080ti" or "rtx2080ti" of "rtx-2080-ti".
bool has_run_together(std::string_view id, std::string_view together) {
  for (std::size_t at = 0; at < id.size();
       at = id.find('-', at), at = at == std::string_view::npos ? id.size() : at + 1) {
    std::size_t matched = 0, i = at;
    for (; i < id.size() && matched < together.size(); ++i) {
      if (id[i] == '-') continue;
      if (id[i] != together[matched]) break;
      ++matched;
    }
    if (matched == together.size() && (i == id.size() || id[i] == '-')) return true;
  }
  return false;
}

std::string without_hyphens(std::string id) {
  std::erase(id, '-');
  return id;
}

using Ids = std::vector<std::string>;

template <class Test>
Ids ids_that(const Ids& all, const Test& test) {
  Ids found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), test);
  return found;
}

// The GPUs whose files say that the driver calls them so.
Ids called(const std::vector<std::string>& words) {
  Ids found;
  for (const EmbeddedText& file : embedded_gpu_files()) {
    const auto read = read_gpu_file(file.text, file.path);
    if (read && !read->device_name.empty() && device_words(read->device_name) == words) found.push_back(read->id);
  }
  return found;
}

// The first of several readings of a name that any GPU meets.
Ids matches(std::string_view selector, const Ids& known) {
  const std::string wanted = lower_case(selector);
  const std::vector<std::string> words = device_words(selector);
  const std::string id = fmt::format("{}", fmt::join(words, "-"));
  for (const std::string& exact : {wanted, id}) {
    if (std::binary_search(known.begin(), known.end(), exact)) return {exact};
  }
  if (words.empty()) return {};
  Ids found = called(words);
  if (found.size() == 1) return found;
  found = ids_that(known, [&](const std::string& one) { return has_words(one, wanted); });
  const bool series = std::any_of(found.begin(), found.end(), [&](const std::string& one) {
    return one.starts_with(wanted + "-");  // "rtx" is one, and not titan-rtx
  });
  if (const Ids whole = ids_that(found, [&](const std::string& one) { return one.ends_with(wanted); });
      !series && whole.size() == 1) {
    return whole;  // "4070", and not rtx-4070-ti
  }
  if (found.empty()) found = ids_that(known, [&](const std::string& one) { return has_part(one, wanted); });
  if (found.empty()) {
    found = ids_that(known, [&](const std::string& one) {  // "A100 80GB PCIe": the words in any order
      return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return has_words(one, word); });
    });
  }
  if (found.empty()) {
    const std::string together = fmt::format("{}", fmt::join(words, ""));
    found = ids_that(known, [&](const std::string& one) { return has_run_together(one, together); });
    const auto whole = [&](const std::string& one) { return without_hyphens(one).ends_with(together); };
    if (const Ids ending = ids_that(found, whole); ending.size() == 1) return ending;  // "rtx4090", no rtx-4090-d
  }
  if (found.empty()) {
    found = ids_that(known, [&](const std::string& one) {  // "a100-80g"
      return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return has_word_with(one, word); });
    });
  }
  return found;
}

// Whether `id` is another board than the one asked for: a variant that the selector does not name ("RTX 5060" is no
// rtx-5060-ti), or an Ada or a PRO where a Quadro is meant, of which there is none.
bool is_another(const std::string& id, std::string_view selector) {
  const std::string asked = lower_case(selector);
  constexpr std::array<std::string_view, 3> kVariants = {"ti", "super", "laptop"};
  const bool variant = std::any_of(kVariants.begin(), kVariants.end(), [&](std::string_view word) {
    return has_words(id, word) && asked.find(word) == std::string::npos;
  });
  const bool later = has_words(id, "ada") || has_words(id, "pro");
  return variant || (later && asked.find("quadro") != std::string::npos);
}

// The GPUs that have a number of the selector's in their name, at least its first digits.
Ids of_its_number(std::string_view selector, const Ids& known) {
  constexpr std::size_t kLeast = 2;
  for (const std::string& word : device_words(selector)) {
    const std::string digits = word.substr(0, word.find_first_not_of("0123456789"));
    if (digits.size() < kLeast || word.ends_with("gb")) continue;
    Ids found = ids_that(known, [&](const std::string& id) { return id.find('-' + digits) != std::string::npos; });
    if (!found.empty()) return found;
  }
  return {};
}

// What may have been meant by a name that no GPU has.
std::string meant(std::string_view selector, const Ids& like, const Ids& known) {
  const std::string wanted = lower_case(like.empty() ? std::string(selector) : like.front());
  const Ids numbered = like.empty() ? of_its_number(selector, known) : Ids();
  constexpr std::size_t kMost = 6;
  if (numbered.size() > 1 && numbered.size() <= kMost) {
    return fmt::format("; did you mean one of {}?", fmt::join(numbered, ", "));
  }
  if (numbered.size() == 1) return fmt::format("; did you mean '{}'?", numbered.front());
  const std::string near = did_you_mean(wanted, numbered);
  return near.empty() ? did_you_mean(wanted, known) : near;
}

}  // namespace

std::vector<std::string> device_words(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else {
      words.emplace_back();
    }
  }
  words.erase(std::remove_if(words.begin(), words.end(),
                             [](const std::string& word) {
                               return word.empty() ||
                                      std::find(kDropped.begin(), kDropped.end(), word) != kDropped.end();
                             }),
              words.end());
  return words;
}

Result<std::string> select_gpu(std::string_view selector) {
  const Ids known = gpu_ids();
  const Ids like = matches(selector.substr(0, selector.find(" / ")), known);  // rocm-smi: "MI250X / MI250"
  const Ids found = ids_that(like, [&](const std::string& id) { return !is_another(id, selector); });
  if (found.size() == 1) return found.front();
  const std::string shown = one_line(selector, 60);
  if (found.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("no GPU '{}' in the catalogue{}", shown, meant(selector, like, known)));
  }
  constexpr std::size_t kMost = 12;
  const auto last = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), kMost));
  const std::string more = found.size() > kMost ? fmt::format(" and {} more", found.size() - kMost) : "";
  return fail(ErrorCode::not_found,
              fmt::format("'{}' is ambiguous: {}{}", shown, fmt::join(found.begin(), last, ", "), more));
}

}  // namespace rooftile
