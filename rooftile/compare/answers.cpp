#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/compare/question.hpp"

namespace rooftile {
namespace {

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

std::string run_text(const ComparedRun& run) {
  return fmt::format("{} at batch size {} in {}", run.gpu, run.batch_size, run.precision);
}

// In the order of the runs.
std::vector<std::string> models_of(const Comparison& comparison) {
  std::vector<std::string> models;
  for (const ComparedRun& run : comparison.runs) {
    if (std::find(models.begin(), models.end(), run.model) == models.end()) models.push_back(run.model);
  }
  return models;
}

// What it takes: of all samples where their number is known, else of a million.
std::string effort(const ComparedRun& run) {
  std::string text = fmt::format("{} samples/s", rate_text(run.samples_per_second()));
  if (const auto time = run.total_time()) text = fmt::format("{}, {}", print_duration(*time), text);
  if (const auto cost = run.total_cost()) {
    text += fmt::format(", {} in all", usd(*cost));
  } else if (const auto per_million = run.per_million_samples()) {
    text += fmt::format(", {} per million samples", usd(*per_million));
  }
  if (run.price) {
    text += fmt::format(" at {:.3g} USD/h{}", run.price->usd_per_hour(), run.price->few ? ", of few offers" : "");
  }
  return text;
}

std::string reason(const ComparedRun& run) {
  if (run.limit == "host")
    return fmt::format("limited by the host, the GPU is busy {:.0f} % of the time", run.gpu_busy * 100);
  if (run.limit == "input") {
    return fmt::format("limited by its input ({}), the GPU is busy {:.0f} % of the time", run.input_limit,
                       run.gpu_busy * 100);
  }
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

std::string none_text(std::size_t runs, const std::string& dropped) {
  return runs == 1 ? fmt::format("none: the only run is {}.", dropped.substr(dropped.find(' ') + 1))
                   : fmt::format("none of {} runs: {}.", runs, dropped);
}

std::string best_of(const Question& question, Runs runs) {
  const std::size_t all = runs.size();
  Sieve sieve;
  sieve.drop(runs, "too large for the memory", [](const ComparedRun& run) { return run.fits(); });
  const bool cheap = question.kind == Question::Kind::cheapest;
  if (cheap || question.usd_per_hour || question.budget) {
    sieve.drop(runs, "without a price", [](const ComparedRun& run) { return run.price != nullptr; });
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
  if (runs.empty()) return none_text(all, dropped);
  std::stable_sort(runs.begin(), runs.end(), [&](const ComparedRun* a, const ComparedRun* b) {
    return cheap ? *a->per_million_samples() < *b->per_million_samples()
                 : a->samples_per_second() > b->samples_per_second();
  });
  std::string text = fmt::format("{}: {}; {}.", run_text(*runs[0]), effort(*runs[0]), reason(*runs[0]));
  if (runs.size() > 1) text += fmt::format(" Next: {}, {}.", run_text(*runs[1]), effort(*runs[1]));
  if (!dropped.empty()) text += fmt::format(" Left out of {} runs: {}.", all, dropped);
  return text;
}

// Samples of different networks do not compare, so each network has its own answer.
Result<std::vector<std::string>> best_of_each(const Question& question, const Comparison& comparison) {
  if (comparison.runs.empty()) return std::vector<std::string>{"None: no GPU is left."};
  if ((question.within || question.budget) && !comparison.runs.front().samples) {
    return fail(ErrorCode::usage, "how long all of it takes needs --samples (and --epochs)", "--question");
  }
  const std::vector<std::string> models = models_of(comparison);
  std::vector<std::string> texts;
  for (const std::string& model : models) {
    Runs runs;
    for (const ComparedRun& run : comparison.runs) {
      if (run.model == model) runs.push_back(&run);
    }
    std::string text = best_of(question, std::move(runs));
    if (models.size() > 1) {
      text = fmt::format("{}: {}", model, text);
    } else if (text.starts_with("none")) {
      text.front() = 'N';
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

// The fastest run of a model on a GPU, of those that fit if any does; null: none.
const ComparedRun* fastest_on(const Comparison& comparison, const std::string& model, const std::string& gpu) {
  const auto order = [](const ComparedRun& run) { return std::pair(run.fits(), run.samples_per_second()); };
  const ComparedRun* best = nullptr;
  for (const ComparedRun& run : comparison.runs) {
    if (run.gpu != gpu || run.model != model) continue;
    if (best == nullptr || order(run) > order(*best)) best = &run;
  }
  return best;
}

std::string how_run(const ComparedRun& run) {
  return fmt::format("at batch size {} in {}", run.batch_size, run.precision);
}

// "2403 instead of 939.6 samples/s at batch size 16 in fp16".
std::string rates_text(const ComparedRun& from, const ComparedRun& to) {
  const std::string before = rate_text(from.samples_per_second()), after = rate_text(to.samples_per_second());
  if (how_run(from) == how_run(to)) return fmt::format("{} instead of {} samples/s {}", after, before, how_run(to));
  return fmt::format("{} samples/s {} instead of {} {}", after, how_run(to), before, how_run(from));
}

std::string verdict(const ComparedRun& from, const ComparedRun& to) {
  const double faster = to.samples_per_second() / from.samples_per_second();
  std::string text = fmt::format("{}: {:.2f} times as fast ({}; {} is {})", to.model, faster, rates_text(from, to),
                                 to.gpu, reason(to));
  const auto before = from.per_million_samples(), after = to.per_million_samples();
  if (!before || !after) return text + "; no price of both is known.";
  text += fmt::format("; a million samples costs {} instead of {}", usd(*after), usd(*before));
  if (*after <= *before) return text + ": worth it.";
  constexpr double kWorthTime = 1.05;
  return text + (faster > kWorthTime ? ": only if time counts." : ": not worth it.");
}

// Why a GPU has no run that counts: "does not run on k80", "does not fit t4: 38.3 of 16 GiB, batch 9 does".
std::string missing(const ComparedRun* run, const std::string& gpu) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  if (run == nullptr) return "does not run on " + gpu;
  const std::string does =
      run->largest_batch.value_or(0) > 0 ? fmt::format(", batch {} does", *run->largest_batch) : "";
  return fmt::format("does not fit {}: {:.4g} of {:.4g} GiB{}", gpu, run->memory.value() / kGiB,
                     run->capacity.value() / kGiB, does);
}

std::vector<std::string> upgrade(const Question& question, const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const std::string& model : models_of(comparison)) {
    const ComparedRun* from = fastest_on(comparison, model, question.from);
    const ComparedRun* to = fastest_on(comparison, model, question.to);
    const bool before = from != nullptr && from->fits(), after = to != nullptr && to->fits();
    if (before && after) {
      texts.push_back(verdict(*from, *to));
    } else if (after) {
      texts.push_back(fmt::format("{}: {}; {} {}: {}.", model, missing(from, question.from), question.to, how_run(*to),
                                  effort(*to)));
    } else {
      texts.push_back(fmt::format("{}: {}{}.", model, missing(to, question.to),
                                  before ? "" : ", and " + missing(from, question.from)));
    }
  }
  if (texts.empty()) texts.emplace_back("Neither of them runs it.");
  return texts;
}

// The smallest batch that comes within 5 % of the best throughput.
std::vector<std::string> batches(const Comparison& comparison) {
  constexpr double kEnough = 0.95;
  std::map<std::string, Runs> by_place;  // model, GPU and precision
  for (const ComparedRun& run : comparison.runs) {
    Runs& runs = by_place[fmt::format("{} on {} in {}", run.model, run.gpu, run.precision)];
    if (run.fits()) runs.push_back(&run);
  }
  std::vector<std::string> texts;
  for (const auto& [where, runs] : by_place) {
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

Result<std::vector<std::string>> answers(const Question& question, const Comparison& comparison) {
  switch (question.kind) {
    case Question::Kind::upgrade:
      return upgrade(question, comparison);
    case Question::Kind::batch:
      return batches(comparison);
    default:
      return best_of_each(question, comparison);
  }
}

}  // namespace rooftile
