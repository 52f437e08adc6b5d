#include "rooftile/gpu/base_gpu.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/gpu/fact_unit.hpp"
#include "rooftile/gpu/gpu_keys.hpp"

namespace rooftile {
namespace {

// A number of the base and what else it stands and falls with; `driver` may be empty.
struct Dependence {
  std::string_view key;  // or how keys start, with a dot at the end
  std::array<std::string_view, 2> drivers;
};
constexpr std::array kDependences = {
    Dependence{"core.base_clock", {"core.clock"}},
    Dependence{"core.sustained_clock", {"core.clock"}},
    Dependence{"core.product_clock", {"core.clock"}},
    Dependence{"core.tensor_clock", {"core.clock"}},
    Dependence{"peak.", {"core.sm_count", "core.clock"}},
    Dependence{"sm.smem_load_bandwidth", {"core.clock"}},
    Dependence{"sm.smem_store_bandwidth", {"core.clock"}},
    Dependence{"level.L1.bandwidth", {"core.clock"}},
    Dependence{"level.L2.bandwidth", {"core.sm_count", "core.clock"}},
    Dependence{"level.MALL.bandwidth", {"level.MALL.peak_bandwidth"}},
    Dependence{"level.DRAM.bandwidth", {"level.DRAM.peak_bandwidth"}},
    Dependence{"level.DRAM.latency", {"core.clock"}},  // it takes its time, whatever the clock
};

// Forms of one number: whoever gives the second does not want the first of the base.
struct Form {
  std::string_view ending, other;
};
constexpr std::array kForms = {
    Form{".latency", ".latency_time"},
    Form{".latency_time", ".latency"},
    Form{".bandwidth", ".rate"},
    Form{".bandwidth", ".efficiency"},
    Form{".smem_load_bandwidth", ".smem_load_rate"},
    Form{".smem_store_bandwidth", ".smem_store_rate"},
    Form{".tensor_clock", ".tensor_clock_ratio"},
    Form{".host_single_thread", ".own_host_single_thread"},
    Form{".own_host_single_thread", ".host_single_thread"},
};

bool has_other_form(const FactTable& own, std::string_view key) {
  if (key.starts_with("peak.")) return own.has(fmt::format("rate.{}", key.substr(key.find('.') + 1)));
  for (const Form& form : kForms) {
    if (!key.ends_with(form.ending)) continue;
    if (own.has(fmt::format("{}{}", key.substr(0, key.size() - form.ending.size()), form.other))) return true;
  }
  return false;
}

bool is_meant(std::string_view pattern, std::string_view key) {
  return pattern.ends_with('.') ? key.starts_with(pattern) : key == pattern;
}

// "level.L2.bandwidth" -> "level.bandwidth", which the key table has.
std::string table_key_of(std::string_view key) {
  const std::size_t first = key.find('.'), last = key.rfind('.');
  return fmt::format("{}{}", key.substr(0, first), key.substr(last));
}

class BaseFacts {
 public:
  BaseFacts(const FactTable& own, const FactTable& base, std::string_view base_id)
      : own_(own), base_(base), base_id_(base_id) {}

  NumberedFact taken(NumberedFact entry) const {
    Fact& fact = entry.fact;
    double factor = 1;
    std::string why;
    for (const Dependence& row : kDependences) {
      if (!is_meant(row.key, fact.key)) continue;
      for (const std::string_view driver : row.drivers) {
        const auto change = change_of(driver_of(driver, fact.key));
        if (!change) continue;
        factor *= change->factor;
        why += change->why;
      }
    }
    if (why.empty()) {
      fact.source = fmt::format("GPU {}: {}", base_id_, fact.source);
      return entry;
    }
    fact.source = fmt::format("{} of GPU {}{}; {}", fact.text, base_id_, why, fact.source);
    entry.number *= factor;
    fact.text = print_number(find_gpu_key(table_key_of(fact.key))->unit, entry.number);
    fact.kind = FactKind::derived;
    return entry;
  }

 private:
  struct Change {
    double factor = 1;
    std::string why;
  };

  // Tensor cores follow the clock of their own where it is given.
  std::string_view driver_of(std::string_view driver, std::string_view key) const {
    constexpr std::string_view kTensorClock = "core.tensor_clock";
    const bool tensor = key.starts_with("peak.tensor_") && driver == "core.clock";
    return tensor && own_.has(kTensorClock) && base_.has(kTensorClock) ? kTensorClock : driver;
  }

  std::optional<Change> change_of(std::string_view driver) const {
    if (driver.empty()) return std::nullopt;
    const NumberedFact *now = own_.find(driver), *before = base_.find(driver);
    if (now == nullptr || before == nullptr || now->number == before->number) return std::nullopt;
    return Change{now->number / before->number,
                  fmt::format(" x {} / {} of {}", now->fact.text, before->fact.text, driver)};
  }

  const FactTable& own_;
  const FactTable& base_;
  std::string_view base_id_;
};

}  // namespace

FactTable over_base(const FactTable& own, const FactTable& base, std::string_view base_id) {
  FactTable facts = own;
  const BaseFacts from_base(own, base, base_id);
  for (const NumberedFact& entry : base.entries()) {
    if (own.has(entry.fact.key) || has_other_form(own, entry.fact.key)) continue;
    facts.add(from_base.taken(entry));
  }
  return facts;
}

}  // namespace rooftile
