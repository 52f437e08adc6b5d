#include "rooftile/cli/settings.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/execution/framework.hpp"

namespace rooftile::cli {
namespace {

using Names = std::vector<std::string>;

struct Setting {
  std::string key;
  Names (*values)();  // that completion offers
  std::function<Result<void>(const std::string& option, const std::string& value, Settings& set)> read;
};

Names none() { return {}; }

// One of `values`; `put` takes its name.
template <class Put>
Setting choice(std::string key, Names (*values)(), Put put) {
  return {std::move(key), values, [values, put](auto& option, auto& value, Settings& set) -> Result<void> {
            put(set, TRY(parse_choice(option, value, values())));
            return {};
          }};
}

template <class Put>
Setting count(std::string key, std::int64_t most, Put put) {
  return {std::move(key), none, [most, put](auto& option, auto& value, Settings& set) -> Result<void> {
            put(set, TRY(parse_count(option, value, most)));
            return {};
          }};
}

Names algorithm_names() {
  Names names;
  for (const Algorithm algorithm : kAlgorithms) names.emplace_back(name_of(algorithm));
  return names;
}

// Without their releases, which all share constants or a rule.
Names framework_names() {
  std::set<std::string> names;
  const auto add = [&](std::string_view name) { names.emplace(name.substr(0, name.find_first_of(" /;,"))); };
  for (const std::string_view name : frameworks_with_rules()) add(name);
  for (const Harness& harness : builtin_calibration().harnesses) add(harness.framework);
  for (const HostCosts& host : builtin_calibration().hosts) add(host.framework);
  names.erase("");
  return {names.begin(), names.end()};
}

std::vector<Setting> known_settings() {
  constexpr std::int64_t kMostCtas = 1024, kMostMicroBatches = 1 << 20;
  return {
      count("seq-len", kMaxDimension, [](Settings& set, std::int64_t n) { set.seq_len = n; }),
      count("context", kMaxDimension - 1, [](Settings& set, std::int64_t n) { set.context = n; }),
      {"framework", framework_names,
       [](auto&, auto& value, Settings& set) -> Result<void> {
         set.framework = framework_meant(value);
         return {};
       }},
      choice(
          "layout",
          [] {
            return Names{"nchw", "nhwc"};
          },
          [](Settings& set, const std::string& name) { set.nhwc = name == "nhwc"; }),
      choice(
          "host",
          [] {
            return Names{"none", "graphs"};
          },
          [](Settings& set, const std::string& name) {
            set.host = name != "none";
            set.cuda_graphs = name == "graphs";
          }),
      choice(
          "norms",
          [] {
            return Names{"narrow", "wide"};
          },
          [](Settings& set, const std::string& name) { set.narrow_norms = name == "narrow"; }),
      choice(
          "cells", [] { return Names{"unrolled"}; },
          [](Settings& set, const std::string&) { set.unrolled_cells = true; }),
      {"optimizer", optimizer_names,
       [](auto& option, auto& value, Settings& set) -> Result<void> {
         set.optimizer = parse_optimizer(value);
         if (!set.optimizer) TRY(parse_choice(option, value, optimizer_names()));
         return {};
       }},
      count("accumulate", kMostMicroBatches, [](Settings& set, std::int64_t n) { set.micro_batches = n; }),
      choice("recompute", recompute_names,
             [](Settings& set, const std::string& name) { set.recompute = *parse_recompute(name); }),
      choice(
          "clip", [] { return Names{"norm"}; }, [](Settings& set, const std::string&) { set.clip_gradients = true; }),
      choice(
          "loss", [] { return Names{"none"}; }, [](Settings& set, const std::string&) { set.loss = false; }),
      choice(
          "batch-norm",
          [] {
            return Names{"restored", "folded"};
          },
          [](Settings& set, const std::string& name) {
            set.batch_norms = name == "folded" ? BatchNorms::folded : BatchNorms::restored;
          }),
      choice("weights", weight_type_names,
             [](Settings& set, const std::string& name) { set.weights = parse_dtype(name); }),
      choice("expert-weights", weight_type_names,
             [](Settings& set, const std::string& name) { set.expert_weights = parse_dtype(name); }),
      choice("kv-cache", cache_type_names,
             [](Settings& set, const std::string& name) { set.cache = parse_dtype(name); }),
      choice("algorithm", algorithm_names, [](Settings& set, const std::string& name) { set.plan.algorithm = name; }),
      {"tile", none,
       [](auto& option, auto& value, Settings& set) -> Result<void> {
         set.plan.tile = TRY(parse_tile(option, value));
         return {};
       }},
      count("active-ctas", kMostCtas,
            [](Settings& set, std::int64_t n) { set.plan.active_ctas_per_sm = static_cast<int>(n); }),
  };
}

// The one key that is spelled otherwise in British English.
constexpr std::string_view kOptimizer = "optimizer", kOptimiser = "optimiser";

Result<void> set_one(const std::string& option, const std::string& given, const std::string& value, Settings& set) {
  const std::string key(given == kOptimiser ? kOptimizer : given);
  if (!set.named.insert(key).second) {
    return fail(ErrorCode::usage, fmt::format("'{}' is given twice", one_line(key)), option);
  }
  for (const Setting& setting : known_settings()) {
    if (setting.key == key) return setting.read(option, value, set);
  }
  set.columns[key] = value;
  return {};
}

// Gives `set` what the option that is called by the key says.
void add_keys(CLI::App* app, CLI::Option* set) {
  const auto add = [app](const std::string& name, auto add_option) {
    if (app->get_option_no_throw(name) == nullptr) add_option()->trigger_on_parse()->group(kHidden);
  };
  for (const Setting& setting : known_settings()) {
    if (setting.key == "host") continue;  // --host is a machine, of the commands that take one
    const std::string name = "--" + setting.key;
    const std::string names = setting.key == kOptimizer ? fmt::format("{},--{}", name, kOptimiser) : name;
    add(name, [&] {
      return app->add_option_function<std::string>(names, [set, key = setting.key](const std::string& value) {
        set->add_result(fmt::format("{}={}", key, value));
      });
    });
  }
  for (const auto& [name, pair] :
       {std::pair{"--cuda-graphs", "host=graphs"}, {"--restore-batch-norm", "batch-norm=restored"}}) {
    // Clang 14 captures no parts of a pair by themselves.
    add(name,
        [&, name = name, pair = pair] { return app->add_flag_callback(name, [set, pair] { set->add_result(pair); }); });
  }
}

}  // namespace

CLI::Option* add_set(CLI::App* app, Settings& set) {
  CLI::Option* option = add_each(
      app, "--set", "KEY=VALUE,…",
      [&set](const std::string& option, const std::string& text) -> Result<void> {
        const auto pairs = TRY(parse_pairs(option, text));
        for (const auto& [key, value] : pairs) TRY(set_one(option, key, value, set));
        return {};
      },
      "details of the run: seq-len, context (decodes one position after so many), framework, weights (of products: "
      "fp8, int8, int4, nvfp4, mxfp4, q8_0, q4_0, q4_k_m), expert-weights (of experts alone), kv-cache (fp8, fp16, "
      "bf16), layout=nhwc (of the maps "
      "of convolutions), host=none (the GPU alone) "
      "or graphs (launches recorded once and replayed), norms=narrow (layer and group norms, which autocast would "
      "widen), cells=unrolled (recurrent layers step by step), "
      "batch-norm=folded (into convolutions, in eager inference) or restored (that an exporter folded); in training "
      "optimizer, accumulate "
      "(micro-batches), recompute=selective, operators or full (activations that are not kept), clip=norm, "
      "loss=none; for convolutions and GEMMs also algorithm, tile (128x64x4), active-ctas; for a fitted model its own "
      "columns");
  app->preparse_callback([app, option](std::size_t) { add_keys(app, option); });
  return option;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const Setting& setting : known_settings()) names.push_back(setting.key);
  return names;
}

std::vector<std::string> setting_values(std::string_view key) {
  for (const Setting& setting : known_settings()) {
    if (setting.key == key) return setting.values();
  }
  return {};
}

Result<void> check_keys(const Settings& set, std::string_view command, const std::vector<std::string>& known) {
  for (const std::string& key : set.named) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return fail(ErrorCode::usage, fmt::format("{} does not take '{}'{}", command, one_line(key), one_of(key, known)),
                "--set");
  }
  return {};
}

Result<void> check_no_host(const Settings& set, std::string_view command) {
  if (!set.named.contains("host")) return {};
  return fail(ErrorCode::usage, fmt::format("host is not for {}: the host's launches play no part in it", command),
              "--set");
}

}  // namespace rooftile::cli
