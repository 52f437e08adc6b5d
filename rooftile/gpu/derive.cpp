#include "rooftile/gpu/derive.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/parse_number.hpp"
#include "rooftile/gpu/fact_unit.hpp"
#include "rooftile/gpu/gpu_keys.hpp"

namespace rooftile {
namespace {

// A fact and another form of it: a file that gives one does not inherit the other from its architecture.
struct Alternative {
  std::string_view ending;
  std::string_view other;
};
constexpr std::array kAlternatives = {
    Alternative{".latency", ".latency_time"},
    Alternative{".latency_time", ".latency"},
    Alternative{".rate", ".bandwidth"},
    Alternative{".efficiency", ".bandwidth"},
    Alternative{".smem_load_rate", ".smem_load_bandwidth"},
    Alternative{".smem_store_rate", ".smem_store_bandwidth"},
};

bool gives_otherwise(const FactTable& own, std::string_view key) {
  for (const Alternative& row : kAlternatives) {
    if (!key.ends_with(row.ending)) continue;
    if (own.has(fmt::format("{}{}", key.substr(0, key.size() - row.ending.size()), row.other))) return true;
  }
  return false;
}

// What an architecture's measured or assumed number is for one of its GPUs: taken over, so derived.
NumberedFact inherited(NumberedFact entry, std::string_view architecture_name) {
  Fact& fact = entry.fact;
  if (fact.kind == FactKind::measured || fact.kind == FactKind::stated) {
    fact.source = fmt::format("inherited from the architecture {}, where it is {}: {}", architecture_name,
                              name_of(fact.kind), fact.source);
    fact.kind = FactKind::derived;
  } else {
    fact.source = fmt::format("architecture {}: {}", architecture_name, fact.source);
  }
  return entry;
}

class Deriver {
 public:
  explicit Deriver(FactTable facts) : facts_(std::move(facts)) {}

  FactTable run(std::string_view compute_capability) {
    generation(compute_capability);
    tensor_clock();
    for (const Peak peak : {Peak::fp64, Peak::fp32, Peak::fp16}) vector_peak(name_of(peak));
    for (const Peak peak : kTensorPeaks) tensor_peak(name_of(peak));
    for (const std::string_view port : {"load", "store"}) smem_bandwidth(port);
    std::string above;
    for (const LevelName& level : kLevelNames) {
      const std::string prefix = fmt::format("level.{}", level.name);
      if (!mentioned(prefix)) continue;
      level_bandwidth(prefix, level.per_sm);
      level_latency(prefix);
      lines(prefix, above);
      above = prefix;
    }
    l1_request();
    return std::move(facts_);
  }

 private:
  static constexpr std::array kTensorPeaks = {Peak::tensor_fp16, Peak::tensor_bf16, Peak::tensor_tf32,
                                              Peak::tensor_fp32, Peak::tensor_fp8,  Peak::tensor_int8,
                                              Peak::tensor_int4, Peak::tensor_fp4};

  const NumberedFact* get(std::string_view key) const { return facts_.find(key); }

  bool mentioned(std::string_view level) const {
    for (const NumberedFact& entry : facts_.entries()) {
      if (entry.fact.key.starts_with(level) && entry.fact.key.substr(level.size()).starts_with('.')) return true;
    }
    return false;
  }

  void add(std::string key, FactUnit unit, double number, std::string rule) {
    facts_.add({Fact{std::move(key), print_number(unit, number), FactKind::derived, std::move(rule), ""}, number});
  }

  // Rule 11: the libraries' kernels are written for NVIDIA's compute capabilities.
  void generation(std::string_view compute_capability) {
    const auto number = parse_number(compute_capability);
    if (facts_.has("core.generation") || !number) return;
    add("core.generation", FactUnit::count, *number, fmt::format("compute capability {}", compute_capability));
  }

  // Rule 1: the clock of tensor-core work is a fixed share of the core clock.
  void tensor_clock() {
    const auto *ratio = get("core.tensor_clock_ratio"), *clock = get("core.clock");
    if (facts_.has("core.tensor_clock") || !ratio || !clock) return;
    add("core.tensor_clock", FactUnit::hertz, ratio->number * clock->number,
        fmt::format("{} x core clock {}; {}", ratio->fact.text, clock->fact.text, ratio->fact.source));
  }

  // Rule 2: peak = FLOPs per clock and SM x SMs x clock.
  void peak_from_rate(std::string_view name, const NumberedFact* clock, std::string_view which_clock) {
    const std::string key = fmt::format("peak.{}", name);
    const auto *rate = get(fmt::format("rate.{}", name)), *sms = get("core.sm_count");
    if (facts_.has(key) || !rate || !sms || !clock) return;
    add(key, FactUnit::flops_per_second, rate->number * sms->number * clock->number,
        fmt::format("{} per SM x {} SMs x {} {}; {}", rate->fact.text, sms->fact.text, which_clock, clock->fact.text,
                    rate->fact.source));
  }

  void vector_peak(std::string_view name) { peak_from_rate(name, get("core.clock"), "core clock"); }

  // Rule 3: a tensor peak that is not given stands to one that is as their rates do. This keeps the clock and the
  // limits behind the given one. Where none is given, rule 2 with the tensor clock.
  void tensor_peak(std::string_view name) {
    const std::string key = fmt::format("peak.{}", name);
    const auto* rate = get(fmt::format("rate.{}", name));
    if (facts_.has(key) || !rate) return;
    for (const Peak other : kTensorPeaks) {
      const auto* known = get(fmt::format("peak.{}", name_of(other)));
      const auto* known_rate = get(fmt::format("rate.{}", name_of(other)));
      if (!known || !known_rate) continue;
      add(key, FactUnit::flops_per_second, known->number * rate->number / known_rate->number,
          fmt::format("peak.{} {} x {} / {} per SM; {}", name_of(other), known->fact.text, rate->fact.text,
                      known_rate->fact.text, rate->fact.source));
      return;
    }
    const auto* own_clock = get("core.tensor_clock");
    peak_from_rate(name, own_clock ? own_clock : get("core.clock"), own_clock ? "tensor clock" : "core clock");
  }

  // Rule 4: shared memory bandwidth of an SM = bytes per clock x clock.
  void smem_bandwidth(std::string_view port) {
    const std::string key = fmt::format("sm.smem_{}_bandwidth", port);
    const auto *rate = get(fmt::format("sm.smem_{}_rate", port)), *clock = get("core.clock");
    if (facts_.has(key) || !rate || !clock) return;
    add(key, FactUnit::bytes_per_second, rate->number * clock->number,
        fmt::format("{} x core clock {}; {}", rate->fact.text, clock->fact.text, rate->fact.source));
  }

  // Rule 5: bandwidth = bytes per clock and SM x clock (x SMs, for a level that all SMs share).
  // Rule 6: else the vendor's peak x the share of it that the architecture reaches; rule 7: else that peak itself.
  void level_bandwidth(const std::string& prefix, bool per_sm) {
    const std::string key = prefix + ".bandwidth";
    if (facts_.has(key)) return;
    const auto *rate = get(prefix + ".rate"), *clock = get("core.clock"), *sms = get("core.sm_count");
    const auto *peak = get(prefix + ".peak_bandwidth"), *efficiency = get(prefix + ".efficiency");
    if (rate && clock && sms) {
      const std::string shared = per_sm ? "" : fmt::format(" x {} SMs", sms->fact.text);
      add(key, FactUnit::bytes_per_second, rate->number * clock->number * (per_sm ? 1 : sms->number),
          fmt::format("{} per SM x core clock {}{}; {}", rate->fact.text, clock->fact.text, shared, rate->fact.source));
    } else if (peak && efficiency) {
      add(key, FactUnit::bytes_per_second, peak->number * efficiency->number,
          fmt::format("{} of the peak {}; {}", efficiency->fact.text, peak->fact.text, efficiency->fact.source));
    } else if (peak) {
      add(key, FactUnit::bytes_per_second, peak->number,
          fmt::format("the peak itself, as it was not measured; {}", peak->fact.source));
    }
  }

  // Rule 8: latency in cycles = time x clock, for a level whose latency does not follow the core clock.
  void level_latency(const std::string& prefix) {
    const auto *time = get(prefix + ".latency_time"), *clock = get("core.clock");
    if (facts_.has(prefix + ".latency") || !time || !clock) return;
    add(prefix + ".latency", FactUnit::cycles, time->number * clock->number,
        fmt::format("{} x core clock {}; {}", time->fact.text, clock->fact.text, time->fact.source));
  }

  // Rule 9: a level without a line size of its own moves the lines of the level above it; a level without sectors
  // moves whole lines.
  void lines(const std::string& prefix, const std::string& above) {
    if (!facts_.has(prefix + ".line") && !above.empty()) {
      if (const auto* line = get(above + ".line")) {
        add(prefix + ".line", FactUnit::bytes, line->number, fmt::format("that of {}", above.substr(6)));
        const auto* sector = get(above + ".sector");
        if (sector && !facts_.has(prefix + ".sector")) {
          add(prefix + ".sector", FactUnit::bytes, sector->number, fmt::format("that of {}", above.substr(6)));
        }
      }
    }
    if (const auto* line = get(prefix + ".line"); line && !facts_.has(prefix + ".sector")) {
      add(prefix + ".sector", FactUnit::bytes, line->number, "a whole line: no source names sectors");
    }
  }

  // Rule 10: one L1 request spans a sector. DeLTA (section IV) found 32 B to fit V100, the sector size of its L1.
  void l1_request() {
    const auto* sector = get("level.L1.sector");
    if (facts_.has("sm.l1_request") || !sector) return;
    add("sm.l1_request", FactUnit::bytes, sector->number, "a sector of the L1, as DeLTA found for V100 (32 B)");
  }

  FactTable facts_;
};

}  // namespace

FactTable derive_facts(const FactTable& own, const FactTable* architecture, std::string_view architecture_name,
                       std::string_view compute_capability) {
  FactTable facts = own;
  if (architecture != nullptr) {
    for (const NumberedFact& entry : architecture->entries()) {
      if (own.has(entry.fact.key) || gives_otherwise(own, entry.fact.key)) continue;
      facts.add(inherited(entry, architecture_name));
    }
  }
  return Deriver(std::move(facts)).run(compute_capability);
}

}  // namespace rooftile
