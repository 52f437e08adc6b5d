// Calibration files: TOML, one [[entry]] a kernel family and GPU or architecture.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/calibration/calibration.hpp"

namespace rooftile {
namespace {

constexpr std::array kChoices = {TileChoice::least_time, TileChoice::by_channels};
constexpr std::string_view kShipped = "shipped";
// The keys of each kind of table. [[factors]] has the names of the kernel families besides, a call those of its limits.
constexpr std::array<std::string_view, 11> kEntryKeys = {"family", "scope", "choice", "data",   "date",     "rows",
                                                         "gmae",   "board", "spread", "common", "constants"};
constexpr std::array<std::string_view, 3> kBoardKeys = {"architecture", "sms", "power_w"};
constexpr std::array<std::string_view, 7> kHarnessKeys = {
    "family", "framework", "gpu", "overhead_us", "floor_us", "overhead_range_us", "floor_range_us"};
constexpr std::array<std::string_view, 11> kHostKeys = {"framework",   "execution",  "forward_us",  "gradient_us",
                                                        "update_us",   "request_us", "sequence_us", "step_us",
                                                        "any_machine", "range",      "data"};
constexpr std::array<std::string_view, 3> kTensorHarnessKeys = {"weight_sets", "rotates", "flushes"};
constexpr std::array<std::string_view, 1> kStreamHarnessKeys = {"flushes"};
constexpr std::array<std::string_view, 2> kRecurrentHarnessKeys = {"step_launches", "step_launches_range"};
constexpr std::array<std::string_view, 6> kForeignKeys = {"family", "vendor",  "spread",
                                                          "common", "harness", "unknown_harness"};
constexpr std::array<std::string_view, 8> kFactorKeys = {
    "gpu", "data", "date", "rows", "clock", "dram_bandwidth", "launch_overhead", "calls"};
constexpr std::array<std::string_view, 3> kFamilyKeys = {"efficiency", "spread", "common"};
constexpr double kLeastBound = 1e-3, kMostBound = 1e3;  // of a spread
constexpr std::array<std::string_view, 3> kCallKeys = {"family", "micros", "weight"};

// Reads the tables of one file; the first error is kept, later reads return anything valid.
class Reader {
 public:
  explicit Reader(std::string_view where) : where_(where) {}

  Result<Calibration> read(const toml::table& root) {
    for (auto&& [key, node] : root) {
      if (key.str() == "based_on") {
        read_base(node);
        continue;
      }
      const toml::array* tables = node.as_array();
      if (tables == nullptr || !tables->is_homogeneous(toml::node_type::table)) {
        reject(node, fmt::format("'{}' is not a list of tables", one_line(key.str(), 40)));
        continue;
      }
      for (const toml::node& item : *tables) read_table(key.str(), *item.as_table());
    }
    if (error_) return tl::unexpected(*error_);
    return std::move(calibration_);
  }

 private:
  void reject(const toml::node& node, std::string message) {
    if (error_) return;
    const toml::source_region& region = node.source();
    error_ = Error{ErrorCode::bad_input, std::move(message),
                   fmt::format("{}:{}:{}", where_, region.begin.line, region.begin.column)};
  }

  void read_table(std::string_view kind, const toml::table& table) {
    if (kind == "entry") {
      calibration_.entries.push_back(read_entry(table));
    } else if (kind == "harness") {
      calibration_.harnesses.push_back(read_harness(table));
    } else if (kind == "foreign") {
      calibration_.foreign_spreads.push_back(read_foreign(table));
    } else if (kind == "host") {
      calibration_.hosts.push_back(read_host(table));
    } else if (kind == "factors") {
      calibration_.factors.push_back(read_factors(table));
    } else {
      const std::vector<std::string> known = {"entry", "harness", "foreign", "factors", "host"};
      reject(table, fmt::format("unknown table '{}'{}", one_line(kind, 40), did_you_mean(kind, known)));
    }
  }

  void read_base(const toml::node& node) {
    calibration_.on_shipped = node.value<std::string_view>() == kShipped;
    if (!calibration_.on_shipped) reject(node, fmt::format("based_on must be \"{}\"", kShipped));
  }

  // Error: a key that is not of the table, with the nearest one that is.
  void check_keys(const toml::table& table, std::span<const std::string_view> keys,
                  std::span<const std::string_view> further = {}) {
    std::vector<std::string> known(keys.begin(), keys.end());
    known.insert(known.end(), further.begin(), further.end());
    for (auto&& [key, node] : table) {
      const std::string_view name = key.str();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      reject(node, fmt::format("unknown key '{}'{}", one_line(name, 40), did_you_mean(name, known)));
    }
  }

  // Empty where the table has no such key.
  std::string text(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    if (const auto* text = node->as_string()) return text->get();
    reject(*node, fmt::format("{} is not a string in quotes", key));
    return {};
  }

  // False where the table has no such key.
  bool truth(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return false;
    if (const auto* truth = node->as_boolean()) return truth->get();
    reject(*node, fmt::format("{} is not true or false", key));
    return false;
  }

  // None where the table has no such key.
  std::optional<double> number(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value) reject(*node, fmt::format("{} is not a number", key));
    return value;
  }

  double number(const toml::table& table, std::string_view key, double low, double high) {
    const auto value = number(table, key);
    if (!value) {
      reject(table, fmt::format("no number '{}'", key));
      return low;
    }
    if (!(*value >= low && *value <= high)) {
      reject(*table.get(key), fmt::format("{} is {}, which is not between {} and {}", key, *value, low, high));
      return low;
    }
    return *value;
  }

  // What a fit tells of itself, a count or an error; 0 where the table has no such key.
  double amount(const toml::table& table, std::string_view key) {
    constexpr double kMost = 1e15;
    return table.contains(key) ? number(table, key, 0, kMost) : 0;
  }

  KernelFamily family(const toml::table& table) {
    const std::string name = text(table, "family");
    for (const KernelFamily known : kKernelFamilies) {
      if (name_of(known) == name) return known;
    }
    reject(table, fmt::format("unknown family '{}'", one_line(name, 40)));
    return KernelFamily::conv_simt;
  }

  std::optional<Spread> read_spread(const toml::table& table) {
    const auto bounds = range(table, "spread", kLeastBound, kMostBound);
    if (!bounds) return std::nullopt;
    Spread spread{bounds->first, bounds->second};
    if (table.contains("common")) spread.common = number(table, "common", 1, kMostBound);
    return spread;
  }

  // [low, high], at least `least` and less than `most`. None where the table has no such key.
  std::optional<std::pair<double, double>> range(const toml::table& table, std::string_view key, double least,
                                                 double most) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const toml::array* bounds = node->as_array();
    const bool pair = bounds != nullptr && bounds->size() == 2;
    const auto low = pair ? (*bounds)[0].value<double>() : std::nullopt;
    const auto high = pair ? (*bounds)[1].value<double>() : std::nullopt;
    if (!low || !high || !(*low >= least && *low <= *high && *high < most)) {
      reject(*node, fmt::format("{} is not [low, high] with {} <= low <= high < {}", key, least, most));
      return std::nullopt;
    }
    return std::pair(*low, *high);
  }

  ForeignSpread read_foreign(const toml::table& table) {
    check_keys(table, kForeignKeys);
    const auto spread = read_spread(table);
    if (!spread && !table.contains("harness")) reject(table, "no 'spread'");
    const double harness = table.contains("harness") ? number(table, "harness", 1, kMostBound) : 1;
    const bool both = table.contains("unknown_harness");
    const double unknown = both ? number(table, "unknown_harness", 1, kMostBound) : harness;
    return {family(table), text(table, "vendor"), spread, harness, unknown};
  }

  Harness read_harness(const toml::table& table) {
    constexpr double kMicro = 1e-6, kLongest = 1e6, kMostSets = 1000, kMostLaunches = 1000;
    Harness harness;
    harness.family = family(table);
    harness.framework = text(table, "framework");
    harness.gpu = text(table, "gpu");
    harness.overhead = Seconds(number(table, "overhead_us", 0, kLongest) * kMicro);
    harness.floor = Seconds(number(table, "floor_us", 0, kLongest) * kMicro);
    if (on_tensor_cores(harness.family)) {
      check_keys(table, kHarnessKeys, kTensorHarnessKeys);
      harness.weight_sets = number(table, "weight_sets", 0, kMostSets);
      harness.rotates = truth(table, "rotates");
      harness.flushes = truth(table, "flushes");
    } else if (harness.family == KernelFamily::recurrent) {
      check_keys(table, kHarnessKeys, kRecurrentHarnessKeys);
      harness.step_launches = number(table, "step_launches", 0, kMostLaunches);
    } else if (harness.family == KernelFamily::stream) {
      check_keys(table, kHarnessKeys, kStreamHarnessKeys);
      harness.flushes = truth(table, "flushes");
    } else {
      check_keys(table, kHarnessKeys);
    }
    const auto overheads = range(table, "overhead_range_us", 0, kLongest);
    const auto floors = range(table, "floor_range_us", 0, kLongest);
    if (overheads.has_value() != floors.has_value()) reject(table, "overhead_range_us and floor_range_us go together");
    if (overheads && floors) {
      const auto launches = range(table, "step_launches_range", 0, kMostLaunches)
                                .value_or(std::pair(harness.step_launches, harness.step_launches));
      harness.range = {Seconds(overheads->first * kMicro),
                       Seconds(overheads->second * kMicro),
                       Seconds(floors->first * kMicro),
                       Seconds(floors->second * kMicro),
                       launches.first,
                       launches.second};
    }
    return harness;
  }

  HostCosts read_host(const toml::table& table) {
    constexpr double kMicro = 1e-6, kLongest = 1e6, kMostRange = 100;
    check_keys(table, kHostKeys);
    HostCosts host;
    host.framework = text(table, "framework");
    host.data = text(table, "data");
    host.forward = Seconds(number(table, "forward_us", 0, kLongest) * kMicro);
    host.gradient = Seconds(number(table, "gradient_us", 0, kLongest) * kMicro);
    host.update = Seconds(number(table, "update_us", 0, kLongest) * kMicro);
    if (table.contains("request_us")) host.request = Seconds(number(table, "request_us", 0, kLongest) * kMicro);
    if (table.contains("sequence_us")) host.sequence = Seconds(number(table, "sequence_us", 0, kLongest) * kMicro);
    if (table.contains("step_us")) host.step = Seconds(number(table, "step_us", 0, kLongest) * kMicro);
    host.any_machine = table.contains("any_machine") && truth(table, "any_machine");
    host.range = table.contains("range") ? number(table, "range", 1, kMostRange) : 1;
    const std::string execution = text(table, "execution");
    const auto parsed = parse_execution(execution);
    if (!parsed) {
      reject(table, fmt::format("unknown execution '{}'{}", one_line(execution, 40),
                                did_you_mean(execution, execution_names())));
    }
    host.execution = parsed.value_or(Execution::eager);
    return host;
  }

  std::optional<Board> read_board(const toml::table& entry) {
    constexpr double kMostSms = 1e6, kMostWatts = 1e6;
    const toml::node* node = entry.get("board");
    if (node == nullptr) return std::nullopt;
    const toml::table* table = node->as_table();
    if (table == nullptr) {
      reject(*node, "board is not { architecture, sms, power_w }");
      return std::nullopt;
    }
    check_keys(*table, kBoardKeys);
    return Board{text(*table, "architecture"), static_cast<int>(number(*table, "sms", 1, kMostSms)),
                 Watts(number(*table, "power_w", 0, kMostWatts))};
  }

  CalibrationEntry read_entry(const toml::table& table) {
    check_keys(table, kEntryKeys);
    CalibrationEntry entry;
    entry.family = family(table);
    entry.scope = text(table, "scope");
    if (entry.scope.empty()) reject(table, "no 'scope': a GPU's id or an architecture");
    entry.data = text(table, "data");
    entry.date = text(table, "date");
    entry.rows = amount(table, "rows");
    entry.gmae = amount(table, "gmae");
    entry.spread = read_spread(table);
    entry.board = read_board(table);
    const std::string choice =
        table.contains("choice") ? text(table, "choice") : std::string(name_of(TileChoice::least_time));
    const auto* found =
        std::find_if(kChoices.begin(), kChoices.end(), [&](TileChoice c) { return name_of(c) == choice; });
    if (found == kChoices.end()) {
      reject(table, fmt::format("unknown choice '{}'", one_line(choice, 40)));
    } else {
      entry.choice = *found;
    }
    entry.constants = read_constants(table, entry.family);
    return entry;
  }

  // A factor that a file leaves out is 1.
  double factor(const toml::table& table, std::string_view key) {
    return table.contains(key) ? number(table, key, kLeastFactor, kMostFactor) : 1;
  }

  GpuFactors read_factors(const toml::table& table) {
    std::vector<std::string_view> families;
    for (const KernelFamily family : kKernelFamilies) families.push_back(name_of(family));
    check_keys(table, kFactorKeys, families);
    GpuFactors factors;
    factors.gpu = text(table, "gpu");
    if (factors.gpu.empty()) reject(table, "no 'gpu': the id of the GPU that was measured");
    factors.data = text(table, "data");
    factors.date = text(table, "date");
    factors.rows = amount(table, "rows");
    factors.clock = factor(table, "clock");
    factors.dram_bandwidth = factor(table, "dram_bandwidth");
    factors.launch_overhead = factor(table, "launch_overhead");
    if (const toml::node* calls = table.get("calls")) read_calls(*calls, factors);
    for (const KernelFamily family : kKernelFamilies) {
      if (const toml::node* own = table.get(name_of(family))) factors.of(family) = read_family(*own, name_of(family));
    }
    return factors;
  }

  void read_calls(const toml::node& node, GpuFactors& factors) {
    const toml::array* calls = node.as_array();
    // An empty list is not homogeneous.
    if (calls == nullptr || !(calls->empty() || calls->is_homogeneous(toml::node_type::table))) {
      return reject(node, "calls is not a list of tables");
    }
    constexpr double kMostMicros = 1e12, kMostWeight = 10;
    for (const toml::node& item : *calls) {
      const toml::table& table = *item.as_table();
      check_keys(table, kCallKeys, CallPlace::kLimits);
      MeasuredCall call{.family = family(table)};
      call.place.micros = number(table, "micros", std::numeric_limits<double>::min(), kMostMicros);
      call.weight = number(table, "weight", -kMostWeight, kMostWeight);
      for (std::size_t i = 0; i < CallPlace::kLimits.size(); ++i) {
        const std::string_view limit = CallPlace::kLimits[i];
        if (table.contains(limit)) call.place.limits[i] = number(table, limit, 0, 1);
      }
      factors.calls.push_back(call);
    }
  }

  FamilyFactors read_family(const toml::node& node, std::string_view name) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      reject(node, fmt::format("'{}' is not a table", name));
      return {};
    }
    check_keys(*table, kFamilyKeys);
    return {factor(*table, "efficiency"), read_spread(*table)};
  }

  // A constant that a file leaves out keeps the value it has before any fit.
  Constants read_constants(const toml::table& entry, KernelFamily family) {
    Constants constants = unfitted_constants(family);
    const toml::table* table = entry["constants"].as_table();
    if (table == nullptr) {
      if (const toml::node* other = entry.get("constants")) reject(*other, "constants is not a table");
      reject(entry, "no table 'constants'");
      return constants;
    }
    for (auto&& [key, node] : *table) {
      const auto rows = constant_table(family);
      const std::string_view name = key.str();
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const ConstantInfo& r) { return r.name == name; });
      if (row == rows.end()) {
        std::vector<std::string> known;
        for (const ConstantInfo& info : rows) known.emplace_back(info.name);
        reject(node, fmt::format("unknown constant '{}'{}", one_line(name, 40), did_you_mean(name, known)));
        continue;
      }
      constants.values[static_cast<std::size_t>(row - rows.begin())] = number(*table, row->name, row->low, row->high);
    }
    return constants;
  }

  std::string where_;
  Calibration calibration_;
  std::optional<Error> error_;
};

}  // namespace

Result<Calibration> parse_calibration(std::string_view toml, std::string_view where) {
  const toml::table table = TRY(parse_toml(toml, where, "a calibration"));
  if (table.empty()) return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  return Reader(where).read(table);
}

}  // namespace rooftile
