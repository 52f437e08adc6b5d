// JSON that benchmarks of networks write.
//
// pytest-benchmark (--benchmark-json): {"machine_info", "datetime", "benchmarks": [{"name", "stats": {"median", …}}]},
// times in seconds. TorchBench's test_bench.py runs under it and names tests test_train[MODEL-DEVICE-…] and
// test_eval[…]; its conftest.py adds "pytorch_version" (github.com/pytorch/benchmark).
//
// TorchBench's user benchmark test_bench: {"environ": {"device", "pytorch_version"?, …}, "metrics": {"model=…, test=…,
// device=…, bs=…, extra_args=…, metric=latencies": milliseconds}} (userbenchmark/test_bench/run.py there).
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/strict_json.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/measure/gpu_id.hpp"
#include "rooftile/store/benchmark_rows.hpp"

namespace rooftile::store {
namespace {

using nlohmann::json;

// A member that may be missing or something else.
const json& member(const json& object, const char* name) {
  static const json kNothing;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : kNothing;
}

std::string text_of(const json& value) { return value.is_string() ? one_line(value.get<std::string>()) : ""; }

std::optional<double> time_of(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

std::string pytorch(const json& version) { return version.is_string() ? "PyTorch " + text_of(version) : "PyTorch"; }

// The date of an ISO 8601 time.
std::string date_of(const json& value) {
  constexpr std::size_t kDate = 10;  // "2024-01-31"
  const std::string text = text_of(value);
  return text.size() >= kDate && text[4] == '-' && text[7] == '-' ? text.substr(0, kDate) : "";
}

// "test_eval[resnet50-cuda-eager]": what runs, of which model, where.
struct TorchBenchTest {
  bool train = false;
  std::string model, device;
};

std::optional<TorchBenchTest> torchbench_test(std::string_view name) {
  TorchBenchTest test;
  test.train = name.starts_with("test_train[");
  if ((!test.train && !name.starts_with("test_eval[")) || !name.ends_with(']')) return std::nullopt;
  name.remove_prefix(name.find('[') + 1);
  name.remove_suffix(1);
  // Names of models may hold hyphens: the device is the last part that is one.
  for (const std::string_view device : {"cuda", "cpu"}) {
    const std::string part = "-" + std::string(device);
    const std::size_t at = name.rfind(part);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view after = name.substr(at + part.size());
    if (!after.empty() && after.front() != '-') continue;
    test.model = name.substr(0, at);
    test.device = device;
    return test;
  }
  return std::nullopt;
}

Result<ForeignRows> read_pytest(const json& file, std::string_view where) {
  BenchmarkRows rows("pytest-benchmark JSON");
  rows.set_date(date_of(member(file, "datetime")));
  const std::string framework = pytorch(member(member(file, "machine_info"), "pytorch_version"));
  std::size_t index = 0;
  for (const json& benchmark : member(file, "benchmarks")) {
    ++index;
    const std::string name = text_of(member(benchmark, "name"));
    const auto time = time_of(member(member(benchmark, "stats"), "median"));
    const auto test = torchbench_test(name);
    if (!time) {
      rows.leave_out("no median time of " + name);
    } else if (test && test->device != "cuda") {
      rows.leave_out(name + " ran on the CPU");
    } else if (test) {
      // The batch size is the model's default, which the file does not say: not to be compared with a prediction.
      rows.add(index, {{"op", "network"},
                       {"name", name},
                       {"model", test->model},
                       {"framework", framework},
                       {"pass", test->train ? "step" : "fwd"},
                       {"time_us", microseconds(*time)},
                       {"flag", "batch_not_stated"}});
    } else {
      rows.add(index,
               {{"op", "benchmark"}, {"name", name}, {"framework", framework}, {"time_us", microseconds(*time)}});
    }
  }
  return rows.finish(where);
}

// The value of "key=" in "model=a, test=eval, …"; values may hold neither ", " nor be nested.
std::string field(std::string_view key, std::string_view name) {
  const std::string wanted = std::string(name) + "=";
  std::size_t at = 0;
  while (at < key.size()) {
    const std::size_t end = std::min(key.find(", ", at), key.size());
    if (key.substr(at).starts_with(wanted))
      return std::string(key.substr(at + wanted.size(), end - at - wanted.size()));
    at = end + 2;
  }
  return {};
}

Result<ForeignRows> read_torchbench(const json& file, std::string_view where) {
  BenchmarkRows rows("TorchBench user benchmark JSON");
  const json& environ = member(file, "environ");
  const std::string framework = pytorch(member(environ, "pytorch_version"));
  const std::string device = text_of(member(environ, "device"));
  std::size_t index = 0;
  for (const auto& metric : member(file, "metrics").items()) {
    ++index;
    const std::string key = one_line(metric.key());
    const auto milliseconds = time_of(metric.value());
    const std::string batch = field(key, "bs"), test = field(key, "test");
    if (field(key, "metric") != "latencies") continue;  // memory, accuracy
    if (field(key, "device") != "cuda") {
      rows.leave_out(key + " did not run on a GPU");
    } else if (!milliseconds || (test != "train" && test != "eval")) {
      rows.leave_out(key + " has no time");
    } else {
      constexpr double kMilli = 1e-3;
      const bool stated = !batch.empty() && batch.find_first_not_of("0123456789") == std::string::npos;
      rows.add(index, {{"op", "network"},
                       {"name", key},
                       {"model", field(key, "model")},
                       {"gpu", device.empty() ? "" : measure::gpu_id(device)},
                       {"framework", framework},
                       {"pass", test == "train" ? "step" : "fwd"},
                       {"batch", stated ? batch : ""},
                       {"time_us", microseconds(*milliseconds * kMilli)},
                       {"flag", stated ? "" : "batch_not_stated"}});
    }
  }
  return rows.finish(where);
}

}  // namespace

Result<ForeignRows> read_benchmark_json(std::string_view text, std::string_view where) {
  const auto file = TRY(parse_strict_json(text, where));
  return member(file, "benchmarks").is_array() ? read_pytest(file, where) : read_torchbench(file, where);
}

}  // namespace rooftile::store
