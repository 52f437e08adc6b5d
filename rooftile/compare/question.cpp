#include "rooftile/compare/question.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"

namespace rooftile {
namespace {

constexpr const char* kForms =
    "ask \"cheapest in 24 h\", \"fastest under 2 USD an hour\", \"upgrade from X to Y\" or \"which batch\"";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == ',' || c == '?') {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

// Reads words from left to right.
class QuestionReader {
 public:
  explicit QuestionReader(std::string_view text) : text_(text), words_(words_of(text)) {}

  Result<Question> read() {
    const auto kind = kind_of();
    if (!kind) return fail(ErrorCode::usage, fmt::format("'{}': {}", one_line(std::string(text_)), kForms));
    question_.kind = *kind;
    for (place_ = 0; place_ < words_.size(); ++place_) TRY(read_word());
    if (*kind == Question::Kind::upgrade && (question_.from.empty() || question_.to.empty())) {
      return fail(ErrorCode::usage, "an upgrade is from one GPU to another: \"upgrade from t4 to l4\"");
    }
    return question_;
  }

 private:
  std::optional<Question::Kind> kind_of() const {
    for (const std::string& word : words_) {
      const std::string name = lower_case(word);
      if (name == "cheapest") return Question::Kind::cheapest;
      if (name == "fastest") return Question::Kind::fastest;
      if (name.starts_with("upgrad")) return Question::Kind::upgrade;
      if (name == "batch") return Question::Kind::batch;
    }
    return std::nullopt;
  }

  Result<void> read_word() {
    const std::string word = lower_case(words_[place_]);
    const bool upgrades = question_.kind == Question::Kind::upgrade;
    if (upgrades && word == "from") question_.from = next();
    if (upgrades && word == "to") question_.to = next();
    if (word == "in" || word == "within") return read_time();
    if (word == "under" || word == "below") return read_money();
    return {};
  }

  std::string next() { return place_ + 1 < words_.size() ? words_[++place_] : ""; }

  // "24h", "24 h", "3 days".
  Result<void> read_time() {
    std::string text = next();
    if (!text.empty() && text.find_first_not_of("0123456789.") == std::string::npos)
      text += unit_of(lower_case(next()));
    const auto time = parse_duration(text);
    if (!time) return fail(ErrorCode::usage, fmt::format("'{}' is no time; write 24 h or 3 d", one_line(text)));
    question_.within = *time;
    return {};
  }

  static std::string unit_of(const std::string& word) {
    if (word == "min" || word.starts_with("minute")) return "min";
    return word.substr(0, 1);
  }

  // "2 USD an hour", "2 USD/h", "500 USD".
  Result<void> read_money() {
    std::string text = next();
    if (text.starts_with('$')) text.erase(0, 1);
    const auto number = parse_number(text);
    if (!number || !(*number > 0)) {
      return fail(ErrorCode::usage, fmt::format("'{}' is no amount of USD above 0", one_line(text)));
    }
    bool hourly = false;
    for (std::size_t i = place_ + 1; i < words_.size() && i < place_ + 4; ++i) {
      const std::string word = lower_case(words_[i]);
      hourly = hourly || word == "hour" || word.ends_with("/h") || word.ends_with("/hour");
    }
    if (hourly) {
      question_.usd_per_hour = *number;
    } else {
      question_.budget = Dollars(*number);
    }
    return {};
  }

  std::string_view text_;
  std::vector<std::string> words_;
  std::size_t place_ = 0;
  Question question_;
};

// --- answers ---------------------------------------------------------------------------------------------------------

using Runs = std::vector<const ComparedRun*>;

std::string usd(Dollars amount) {
  constexpr double kWhole = 1000;
  return amount.value() < kWhole ? fmt::format("{:.3g} USD", amount.value())
                                 : fmt::format("{:.0f} USD", amount.value());
}

std::string rate_text(double samples_per_second) {
  constexpr double kWhole = 1000;
  return samples_per_second < kWhole ? fmt::format("{:.4g}", samples_per_second)
                                     : fmt::format("{:.0f}", samples_per_second);
}

std::string run_text(const ComparedRun& run, bool models) {
  return fmt::format("{}{} at batch size {} in {}", models ? run.model + " on " : "", run.gpu, run.batch_size,
                     run.precision);
}

bool several_models(const Comparison& comparison) {
  return std::any_of(comparison.runs.begin(), comparison.runs.end(),
                     [&](const ComparedRun& run) { return run.model != comparison.runs.front().model; });
}

// What it takes: of all samples where their number is known, else of a million.
std::string effort(const ComparedRun& run) {
  std::string text = fmt::format("{} samples/s", rate_text(run.samples_per_second()));
  if (const auto time = run.total_time()) text = fmt::format("{}, {}", print_duration(*time), text);
  if (const auto cost = run.total_cost()) {
    text += fmt::format(", {} in all", usd(*cost));
  } else if (const auto per_million = run.per_million_samples()) {
    text += fmt::format(", {} a million samples", usd(*per_million));
  }
  if (run.price) {
    text += fmt::format(" at {:.3g} USD/h{}", run.price->usd_per_hour(), run.price->few ? ", of few offers" : "");
  }
  return text;
}

std::string reason(const ComparedRun& run) {
  if (run.limit == "host") return fmt::format("limited by the host, the GPU works {:.0f} %", run.gpu_busy * 100);
  if (run.limit == "input") return fmt::format("limited by its input, the GPU works {:.0f} %", run.gpu_busy * 100);
  return "limited by " + run.limit;
}

// Why runs do not count, and how many.
class Sieve {
 public:
  void drop(Runs& runs, const std::string& why, const auto& keep) {
    const std::size_t before = runs.size();
    std::erase_if(runs, [&](const ComparedRun* run) { return !keep(*run); });
    if (runs.size() < before) dropped_.push_back(fmt::format("{} {}", before - runs.size(), why));
  }

  std::string text() const {
    std::string text;
    for (const std::string& one : dropped_) text += (text.empty() ? "" : ", ") + one;
    return text;
  }

 private:
  std::vector<std::string> dropped_;
};

Result<std::vector<std::string>> best_of(const Question& question, const Comparison& comparison) {
  if ((question.within || question.budget) && !comparison.runs.empty() && !comparison.runs.front().samples) {
    return fail(ErrorCode::usage, "how long all of it takes needs --samples (and --epochs)", "--question");
  }
  Runs runs;
  for (const ComparedRun& run : comparison.runs) runs.push_back(&run);
  Sieve sieve;
  sieve.drop(runs, "too large for the memory", [](const ComparedRun& run) { return run.fits(); });
  const bool cheap = question.kind == Question::Kind::cheapest;
  if (cheap || question.usd_per_hour || question.budget) {
    sieve.drop(runs, "without a price", [](const ComparedRun& run) { return run.price.has_value(); });
  }
  if (question.usd_per_hour) {
    sieve.drop(runs, "over the price of an hour",
               [&](const ComparedRun& run) { return run.price->usd_per_hour() <= *question.usd_per_hour; });
  }
  if (question.budget) {
    sieve.drop(runs, "over the budget", [&](const ComparedRun& run) { return *run.total_cost() <= *question.budget; });
  }
  if (question.within) {
    sieve.drop(runs, "too slow", [&](const ComparedRun& run) { return *run.total_time() <= *question.within; });
  }
  const std::string dropped = sieve.text();
  if (runs.empty()) {
    return std::vector{
        fmt::format("None of {} runs: {}.", comparison.runs.size(), dropped.empty() ? "no GPU is left" : dropped)};
  }
  std::stable_sort(runs.begin(), runs.end(), [&](const ComparedRun* a, const ComparedRun* b) {
    return cheap ? *a->per_million_samples() < *b->per_million_samples()
                 : a->samples_per_second() > b->samples_per_second();
  });
  const bool models = several_models(comparison);
  std::string text = fmt::format("{}: {}; {}.", run_text(*runs[0], models), effort(*runs[0]), reason(*runs[0]));
  if (runs.size() > 1) text += fmt::format(" Next: {}, {}.", run_text(*runs[1], models), effort(*runs[1]));
  if (!dropped.empty()) text += fmt::format(" Left out of {} runs: {}.", comparison.runs.size(), dropped);
  return std::vector{std::move(text)};
}

// The fastest run of each model on a GPU that fits.
std::map<std::string, const ComparedRun*> fastest_of(const Comparison& comparison, const std::string& gpu) {
  std::map<std::string, const ComparedRun*> found;
  for (const ComparedRun& run : comparison.runs) {
    if (run.gpu != gpu || !run.fits()) continue;
    const ComparedRun*& best = found[run.model];
    if (best == nullptr || run.samples_per_second() > best->samples_per_second()) best = &run;
  }
  return found;
}

std::string verdict(const ComparedRun& from, const ComparedRun& to) {
  const double faster = to.samples_per_second() / from.samples_per_second();
  std::string text =
      fmt::format("{}: {:.2f} times as fast ({} instead of {} samples/s; {} is {})", to.model, faster,
                  rate_text(to.samples_per_second()), rate_text(from.samples_per_second()), to.gpu, reason(to));
  const auto before = from.per_million_samples(), after = to.per_million_samples();
  if (!before || !after) return text + "; no price of both is known.";
  text += fmt::format("; a million samples costs {} instead of {}", usd(*after), usd(*before));
  if (*after <= *before) return text + ": worth it.";
  constexpr double kWorthTime = 1.05;
  return text + (faster > kWorthTime ? ": only if time counts." : ": not worth it.");
}

std::vector<std::string> upgrade(const Question& question, const Comparison& comparison) {
  const auto before = fastest_of(comparison, question.from), after = fastest_of(comparison, question.to);
  std::vector<std::string> texts;
  for (const auto& [model, to] : after) {
    const auto from = before.find(model);
    texts.push_back(from == before.end()
                        ? fmt::format("{}: does not run on {}, {}: {}.", model, question.from, question.to, effort(*to))
                        : verdict(*from->second, *to));
  }
  for (const auto& [model, from] : before) {
    if (!after.contains(model)) texts.push_back(fmt::format("{}: does not run on {}.", model, question.to));
  }
  if (texts.empty()) texts.emplace_back("Neither of them runs it.");
  return texts;
}

// The smallest batch that comes within 5 % of the best throughput.
std::vector<std::string> batches(const Comparison& comparison) {
  constexpr double kEnough = 0.95;
  std::map<std::pair<std::string, std::string>, Runs> by_model;  // and GPU
  for (const ComparedRun& run : comparison.runs) {
    Runs& runs = by_model[{run.model, run.gpu}];
    if (run.fits()) runs.push_back(&run);
  }
  std::vector<std::string> texts;
  for (const auto& [name, runs] : by_model) {
    const std::string where = fmt::format("{} on {}", name.first, name.second);
    if (runs.empty()) {
      texts.push_back(where + ": none of them fits.");
      continue;
    }
    const auto slower = [](const ComparedRun* a, const ComparedRun* b) {
      return a->samples_per_second() < b->samples_per_second();
    };
    const ComparedRun& best = **std::max_element(runs.begin(), runs.end(), slower);
    const ComparedRun* smallest = &best;
    for (const ComparedRun* run : runs) {
      const bool enough = run->samples_per_second() >= kEnough * best.samples_per_second();
      if (enough && run->batch_size < smallest->batch_size) smallest = run;
    }
    std::string text = fmt::format("{}: {}, {} samples/s in {} a batch", where, smallest->batch_size,
                                   rate_text(smallest->samples_per_second()), print(smallest->time));
    if (smallest != &best) {
      text += fmt::format("; {} brings {:.1f} % more and takes {}", best.batch_size,
                          (best.samples_per_second() / smallest->samples_per_second() - 1) * 100, print(best.time));
    }
    texts.push_back(text + ".");
  }
  return texts;
}

}  // namespace

Result<Question> parse_question(std::string_view text) { return QuestionReader(text).read(); }

Result<std::vector<std::string>> answers(const Question& question, const Comparison& comparison) {
  switch (question.kind) {
    case Question::Kind::upgrade:
      return upgrade(question, comparison);
    case Question::Kind::batch:
      return batches(comparison);
    default:
      return best_of(question, comparison);
  }
}

}  // namespace rooftile
