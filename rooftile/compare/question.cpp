#include "rooftile/compare/question.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr const char* kForms =
    "ask \"cheapest in 24 h\", \"fastest under 2 USD an hour\", \"fastest under 500 USD\", \"upgrade from X to Y\" or "
    "\"which batch\"";

// Words that ask for nothing by themselves.
constexpr std::array<std::string_view, 68> kAsides = {
    "a",     "all",   "an",     "and",   "any",    "are",      "be",    "board",   "boards",   "by",     "can",  "card",
    "cards", "could", "do",     "does",  "finish", "finishes", "for",   "get",     "gpu",      "gpus",   "i",    "in",
    "is",    "it",    "its",    "me",    "model",  "models",   "my",    "network", "networks", "of",     "on",   "one",
    "ones",  "our",   "please", "rent",  "run",    "running",  "runs",  "should",  "take",     "takes",  "that", "the",
    "them",  "there", "these",  "this",  "to",     "total",    "train", "trained", "training", "trains", "us",   "use",
    "using", "we",    "what",   "which", "will",   "with",     "would", "you"};
constexpr std::array<std::string_view, 5> kOfUpgrades = {"worth", "worthwhile", "pay", "pays", "off"};
constexpr std::array<std::string_view, 6> kOfBatches = {"size", "sizes", "best", "right", "fastest", "cheapest"};

struct TimeUnit {
  std::string_view name;
  double seconds;
};
constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
constexpr std::array kTimeUnits = {TimeUnit{"s", 1},         TimeUnit{"sec", 1},        TimeUnit{"second", 1},
                                   TimeUnit{"min", kMinute}, TimeUnit{"mins", kMinute}, TimeUnit{"minute", kMinute},
                                   TimeUnit{"h", kHour},     TimeUnit{"hr", kHour},     TimeUnit{"hrs", kHour},
                                   TimeUnit{"hour", kHour},  TimeUnit{"d", kDay},       TimeUnit{"day", kDay},
                                   TimeUnit{"w", 7 * kDay},  TimeUnit{"week", 7 * kDay}};

bool is_among(std::string_view word, const auto& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<double> seconds_of(std::string_view unit) {
  for (const TimeUnit& one : kTimeUnits) {
    const bool plural = unit.size() == one.name.size() + 1 && unit.starts_with(one.name) && unit.ends_with('s');
    if (unit == one.name || (plural && one.name.size() > 1)) return one.seconds;
  }
  return std::nullopt;
}

bool is_hour(std::string_view word) { return seconds_of(word) == kHour || word == "gpu-hour"; }

// At blanks, commas that are not within a number, question marks; without the point of a sentence.
std::vector<std::string> words_of(std::string_view text) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    while (word.ends_with('.') || word.ends_with('!')) word.pop_back();
    if (!word.empty()) words.push_back(std::exchange(word, ""));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_number = c == ',' && i > 0 && digit(i - 1) && digit(i + 1);
    if (c == ' ' || c == '\t' || c == '?' || (c == ',' && !in_number)) {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return words;
}

// Reads words from left to right, each of which has to mean something.
class QuestionReader {
 public:
  explicit QuestionReader(std::string_view text) : text_(text), words_(words_of(text)) {
    for (const std::string& word : words_) lower_.push_back(lower_case(word));
  }

  Result<Question> read() {
    const auto kind = kind_of();
    if (!kind) return fail(ErrorCode::usage, fmt::format("'{}': {}", one_line(std::string(text_)), kForms));
    question_.kind = *kind;
    while (place_ < words_.size()) TRY(read_word());
    if (*kind == Question::Kind::upgrade && (question_.from.empty() || question_.to.empty())) {
      return fail(ErrorCode::usage, "an upgrade is from one GPU to another: \"upgrade from t4 to l4\"");
    }
    return question_;
  }

 private:
  using Kind = Question::Kind;

  static std::optional<Kind> kind_named(std::string_view word) {
    if (word.starts_with("upgrad")) return Kind::upgrade;
    if (word == "batch" || word == "batches") return Kind::batch;
    if (word == "cheapest") return Kind::cheapest;
    if (word == "fastest" || word == "quickest") return Kind::fastest;
    return std::nullopt;
  }

  // "The fastest batch" asks for a batch.
  std::optional<Kind> kind_of() const {
    std::optional<Kind> found;
    for (const std::string& word : lower_) {
      const auto kind = kind_named(word);
      if (kind == Kind::upgrade || kind == Kind::batch) return kind;
      if (!found) found = kind;
    }
    return found;
  }

  std::string_view at(std::size_t place) const { return place < lower_.size() ? std::string_view(lower_[place]) : ""; }

  Result<void> read_word() {
    const std::string_view word = at(place_);
    const Kind kind = question_.kind;
    if (kind == Kind::upgrade && word == "from" && question_.from.empty()) return read_gpu(question_.from);
    if (kind == Kind::upgrade && word == "to" && question_.to.empty() && !at(place_ + 1).starts_with("upgrad")) {
      return read_gpu(question_.to);
    }
    if (kind == Kind::cheapest || kind == Kind::fastest) {
      if (const std::size_t words = start_of_bound(); words > 0) {
        place_ += words;
        return read_amount();
      }
    }
    const bool known = is_among(word, kAsides) || kind_named(word) == kind ||
                       (kind == Kind::upgrade && is_among(word, kOfUpgrades)) ||
                       (kind == Kind::batch && is_among(word, kOfBatches));
    if (!known) return not_understood(place_);
    ++place_;
    return {};
  }

  tl::unexpected<Error> not_understood(std::size_t place, std::size_t words = 1) const {
    std::string text = words_[place];
    for (std::size_t i = place + 1; i < std::min(place + words, words_.size()); ++i) text += " " + words_[i];
    return fail(ErrorCode::usage, fmt::format("'{}' is not understood; {}", one_line(text), kForms));
  }

  Result<void> read_gpu(std::string& gpu) {
    constexpr std::array<std::string_view, 5> kArticles = {"a", "an", "the", "my", "our"};
    ++place_;
    if (is_among(at(place_), kArticles)) ++place_;
    if (place_ < words_.size()) gpu = words_[place_++];
    return {};
  }

  // How many words here say that an amount follows which is not to be passed: "under", "at most". After "in", "by" and
  // "for" other things may come, too.
  std::size_t start_of_bound() const {
    constexpr std::array<std::string_view, 5> kAlways = {"under", "below", "within", "max", "maximum"};
    constexpr std::array<std::string_view, 3> kMaybe = {"in", "by", "for"};
    const std::string_view word = at(place_), next = at(place_ + 1);
    if (is_among(word, kAlways)) return 1;
    if (is_among(word, kMaybe)) return next.empty() || is_amount(place_ + 1) ? 1 : 0;
    if ((word == "less" || word == "cheaper" || word == "faster") && next == "than") return 2;
    if ((word == "at" && next == "most") || (word == "up" && next == "to")) return 2;
    if ((word == "no" || word == "not") && next == "more" && at(place_ + 2) == "than") return 3;
    return 0;
  }

  bool is_amount(std::size_t place) const {
    const std::string_view word = at(place);
    return (!word.empty() && std::string_view("0123456789.+-$").find(word.front()) != std::string_view::npos) ||
           is_one(place);
  }

  // "a day".
  bool is_one(std::size_t place) const {
    const std::string_view word = at(place);
    return (word == "a" || word == "an" || word == "one") && seconds_of(at(place + 1));
  }

  // "24h", "24 h", "a day", "2 USD an hour", "$2/h", "500 dollars".
  Result<void> read_amount() {
    const std::size_t first = place_;
    if (first >= words_.size()) return fail(ErrorCode::usage, fmt::format("an amount is missing; {}", kForms));
    if (is_one(first)) {
      question_.within = Seconds(*seconds_of(at(first + 1)));
      place_ += 2;
      return {};
    }
    std::string_view text = at(place_++);
    const bool dollars = text.starts_with('$');
    if (dollars) text.remove_prefix(1);
    const auto number = take_number<double>(text);
    if (!number || !(*number > 0)) {
      return fail(ErrorCode::usage,
                  fmt::format("'{}' is no amount above 0; write 24 h, 2 USD/h or 500 USD", one_line(words_[first])));
    }
    if (text.starts_with('-')) text.remove_prefix(1);  // "24-hour"
    return dollars ? read_rest_of_dollars(*number, text) : read_unit(*number, text);
  }

  // After "$2": "", "/h", or the unit once more.
  Result<void> read_rest_of_dollars(double number, std::string_view glued) {
    if (glued.empty() && is_usd(at(place_))) return read_unit(number, glued);
    if (!glued.empty() && !is_usd("usd" + std::string(glued))) return not_understood(place_ - 1);
    return read_money(number, "usd" + std::string(glued));
  }

  // The unit is glued to the number, or the next word.
  Result<void> read_unit(double number, std::string_view glued) {
    if (glued.empty() && at(place_) == "us" && at(place_ + 1).starts_with("dollar")) ++place_;
    const std::string unit(glued.empty() ? at(place_) : glued);
    const std::string shown = glued.empty() && place_ < words_.size() ? words_[place_] : std::string(glued);
    if (glued.empty() && place_ < words_.size()) ++place_;
    if (const auto seconds = seconds_of(unit)) {
      question_.within = Seconds(number * *seconds);
      return {};
    }
    if (is_usd(unit)) return read_money(number, unit);
    return fail(ErrorCode::usage,
                shown.empty()
                    ? fmt::format("{:g} of what? Write 24 h, 2 USD/h or 500 USD", number)
                    : fmt::format("'{}' is neither a time nor USD; write 24 h, 2 USD/h or 500 USD", one_line(shown)));
  }

  // "USD", "dollars", "USD/h".
  static bool is_usd(std::string_view unit) {
    constexpr std::array<std::string_view, 5> kNames = {"usd", "$", "us$", "dollar", "dollars"};
    const std::size_t slash = unit.find('/');
    if (slash != std::string_view::npos && !is_hour(unit.substr(slash + 1))) return false;
    return is_among(unit.substr(0, slash), kNames);
  }

  Result<void> read_money(double number, std::string_view unit) {
    constexpr std::array<std::string_view, 4> kEach = {"a", "an", "per", "each"};
    bool hourly = unit.find('/') != std::string_view::npos;
    if (!hourly && (at(place_) == "hourly" || at(place_) == "/h" || at(place_) == "/hour")) {
      hourly = true;
      ++place_;
    } else if (!hourly && is_among(at(place_), kEach)) {
      if (!is_hour(at(place_ + 1))) return not_understood(place_, 2);
      hourly = true;
      place_ += 2;
    }
    if (hourly) {
      question_.usd_per_hour = number;
    } else {
      question_.budget = Dollars(number);
    }
    return {};
  }

  std::string_view text_;
  std::vector<std::string> words_, lower_;
  std::size_t place_ = 0;
  Question question_;
};

}  // namespace

Result<Question> parse_question(std::string_view text) { return QuestionReader(text).read(); }

}  // namespace rooftile
