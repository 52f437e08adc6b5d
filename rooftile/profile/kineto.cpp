// Traces of the PyTorch profiler (Kineto), in Chrome's trace format: kernel events with their launch, and the operators
// that launched them, with shapes where `record_shapes` was on. Read by events, since traces are large. Timelines that
// Rooftile writes are such traces, with FLOPs and bytes of each kernel.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/one_line.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/csv_table.hpp"
#include "rooftile/profile/readers.hpp"

namespace rooftile::profile {
namespace {

using nlohmann::json;

constexpr double kMicrosecond = 1e-6;  // ts and dur of Chrome's format

// What is kept of one event of the trace.
struct Event {
  std::string phase, category, name, thread, unit;
  std::optional<double> start, duration;                 // microseconds
  std::optional<std::int64_t> correlation, external_id;  // of the launch; of the operator
  std::optional<double> flops, dram_bytes;               // that Rooftile predicted
  std::vector<double> grid, block;
  std::vector<std::vector<std::int64_t>> shapes;
};

struct Operator {
  std::string name;
  std::vector<std::vector<std::int64_t>> shapes;
};

std::optional<std::array<std::int64_t, 3>> extent_of(const std::vector<double>& values) {
  std::array<std::int64_t, 3> extent{};
  if (values.size() != extent.size()) return std::nullopt;
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const auto whole = positive_integer(values[i]);
    if (!whole) return std::nullopt;
    extent[i] = *whole;
  }
  return extent;
}

// Follows the parser through the trace: the file is an object with the list "traceEvents", or the list itself.
class TraceHandler : public nlohmann::json_sax<json> {
 public:
  explicit TraceHandler(const ProfileOptions& options) : options_(options) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t value) override { return on_number(static_cast<double>(value)); }
  bool number_unsigned(json::number_unsigned_t value) override { return on_number(static_cast<double>(value)); }
  bool number_float(json::number_float_t value, const json::string_t&) override { return on_number(value); }
  bool binary(json::binary_t&) override { return true; }

  bool string(json::string_t& value) override {
    if (depth_ == event_depth_) {
      if (key_ == "ph")
        event_.phase = std::move(value);
      else if (key_ == "cat")
        event_.category = std::move(value);
      else if (key_ == "name")
        event_.name = std::move(value);
      else if (key_ == "tid")
        event_.thread = std::move(value);
    } else if (in_argument(0) && argument_ == "unit") {
      event_.unit = std::move(value);
    } else if (of_device() && depth_ == 3 && key_ == "name" && device_name_.empty()) {
      device_name_ = std::move(value);
    }
    return true;
  }

  bool key(json::string_t& value) override {
    if (depth_ == event_depth_ || of_device()) {
      key_ = std::move(value);
    } else if (event_depth_ > 0 && depth_ == event_depth_ + 1 && key_ == "args") {
      argument_ = std::move(value);
    } else if (depth_ == 1) {
      top_key_ = std::move(value);
    }
    return true;
  }

  bool start_object(std::size_t) override {
    ++depth_;
    if (events_depth_ > 0 && depth_ == events_depth_ + 1) {
      event_depth_ = depth_;
      event_ = {};
      key_.clear();
      argument_.clear();
    }
    return true;
  }

  bool end_object() override {
    if (event_depth_ > 0 && depth_ == event_depth_) {
      take_event();
      event_depth_ = 0;
    }
    --depth_;
    return true;
  }

  bool start_array(std::size_t) override {
    ++depth_;
    const bool is_events = events_depth_ == 0 && ((depth_ == 2 && top_key_ == "traceEvents") || depth_ == 1);
    if (is_events) events_depth_ = depth_;
    if (in_argument(2) && argument_ == "Input Dims") event_.shapes.emplace_back();
    return true;
  }

  bool end_array() override {
    if (depth_ == events_depth_) events_depth_ = -1;  // what follows is no events
    --depth_;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception&) override {
    error_at_ = byte;
    return false;
  }

  std::size_t error_at() const { return error_at_; }
  bool has_events() const { return events_depth_ != 0; }
  std::size_t count() const { return count_; }

  // Once the trace is read: which operator launched which kernel.
  Profile finish() {
    for (std::size_t i = 0; i < profile_.kernels.size(); ++i) {
      KernelProfile& kernel = profile_.kernels[i];
      std::optional<std::int64_t> id = links_[i].external_id;
      if (const auto launch = links_[i].correlation ? launches_.find(*links_[i].correlation) : launches_.end();
          launch != launches_.end() && !(id && operators_.count(*id) > 0))
        id = launch->second;
      const auto found = id ? operators_.find(*id) : operators_.end();
      if (found == operators_.end()) continue;
      kernel.op = found->second.name;
      kernel.input_shapes = found->second.shapes;
    }
    std::stable_sort(profile_.kernels.begin(), profile_.kernels.end(),
                     [](const KernelProfile& a, const KernelProfile& b) {
                       return a.start.value_or(Seconds()) < b.start.value_or(Seconds());
                     });
    if (device_major_ && device_minor_) {
      for (KernelProfile& kernel : profile_.kernels) {
        kernel.compute_capability = fmt::format("{:g}.{:g}", *device_major_, *device_minor_);
      }
    }
    profile_.host = host_use();
    profile_.format = profile_.predicted ? "timeline of Rooftile" : "PyTorch profiler trace";
    if (profile_.predicted) profile_.gpu = std::move(device_name_);
    if (profile_.predicted) profile_.notes.emplace_back("predicted by Rooftile: nothing was measured");
    return std::move(profile_);
  }

  Profile& profile() { return profile_; }

 private:
  struct Link {
    std::optional<std::int64_t> correlation, external_id;
  };

  // Inside the value of an argument, so many levels below the event's arguments.
  bool in_argument(int levels) const {
    return event_depth_ > 0 && key_ == "args" && depth_ == event_depth_ + 1 + levels;
  }

  bool of_device() const { return event_depth_ == 0 && depth_ > 1 && top_key_ == "deviceProperties"; }

  bool on_number(double value) {
    if (of_device() && depth_ == 3) {
      if (key_ == "computeMajor" && !device_major_) device_major_ = value;
      if (key_ == "computeMinor" && !device_minor_) device_minor_ = value;
    } else if (event_depth_ > 0 && depth_ == event_depth_) {
      if (key_ == "tid") event_.thread = fmt::format("{:.0f}", value);
      if (key_ == "ts") event_.start = value;
      if (key_ == "dur") event_.duration = value;
    } else if (in_argument(0)) {
      if (argument_ == "correlation") event_.correlation = static_cast<std::int64_t>(std::clamp(value, -9e15, 9e15));
      if (argument_ == "External id" || argument_ == "external id")
        event_.external_id = static_cast<std::int64_t>(std::clamp(value, -9e15, 9e15));
      if (argument_ == "flops") event_.flops = value;
      if (argument_ == "dram_bytes") event_.dram_bytes = value;
    } else if (in_argument(1)) {
      if (argument_ == "grid") event_.grid.push_back(value);
      if (argument_ == "block") event_.block.push_back(value);
    } else if (in_argument(2) && argument_ == "Input Dims" && !event_.shapes.empty()) {
      event_.shapes.back().push_back(static_cast<std::int64_t>(std::clamp(value, -9e15, 9e15)));
    }
    return true;
  }

  void take_event() {
    ++count_;
    if (event_.phase != "X") return;
    take_span();
    if (event_.category == "kernel" || event_.category == "Kernel") {
      take_kernel();
    } else if (is_operator()) {
      if (event_.external_id)
        operators_.insert_or_assign(*event_.external_id, Operator{std::move(event_.name), std::move(event_.shapes)});
    } else if (event_.correlation && event_.external_id) {
      launches_.insert_or_assign(*event_.correlation, *event_.external_id);
    }
  }

  bool is_operator() const { return event_.category == "cpu_op" || event_.category == "Operator"; }

  // When kernels, operators and what launches them ran: the time that the trace spans.
  void take_span() {
    if (!event_.start || !event_.duration || !(*event_.duration >= 0)) return;
    const std::pair<double, double> span(*event_.start, *event_.start + *event_.duration);
    if (!std::isfinite(span.first) || !std::isfinite(span.second)) return;
    const bool counts = is_operator() || event_.category == "kernel" || event_.category == "Kernel" ||
                        (event_.correlation && event_.external_id);
    if (!counts) return;
    first_ = std::min(first_, span.first);
    last_ = std::max(last_, span.second);
    if (is_operator()) threads_[event_.thread].push_back(span);
  }

  std::optional<HostUse> host_use() {
    if (threads_.empty() || !(last_ > first_)) return std::nullopt;
    HostUse use;
    use.threads = threads_.size();
    for (auto& [thread, spans] : threads_) {
      std::sort(spans.begin(), spans.end());  // operators call operators: what overlaps counts once
      double busy = 0, end = first_;
      for (const auto& [from, to] : spans) {
        busy += std::max(0.0, to - std::max(from, end));
        end = std::max(end, to);
      }
      use.busiest = std::max(use.busiest, busy / (last_ - first_));
      use.mean += busy / (last_ - first_) / static_cast<double>(threads_.size());
    }
    return use;
  }

  void take_kernel() {
    if (event_.name.empty()) return profile_.drop(count_, "a kernel without a name");
    if (!event_.duration || !(*event_.duration > 0) || !std::isfinite(*event_.duration)) {
      return profile_.drop(count_, fmt::format("kernel '{}' took no time", one_line(event_.name, 80)));
    }
    KernelProfile kernel;
    kernel.line = count_;
    kernel.name = std::move(event_.name);
    kernel.compute_capability = options_.compute_capability;
    kernel.time = Seconds(*event_.duration * kMicrosecond);
    if (event_.start && std::isfinite(*event_.start)) kernel.start = Seconds(*event_.start * kMicrosecond);
    kernel.grid = extent_of(event_.grid);
    kernel.block = extent_of(event_.block);
    kernel.metrics = MetricSet(names_);
    take_counts(kernel);
    profile_.kernels.push_back(std::move(kernel));
    links_.push_back({event_.correlation, event_.external_id});
  }

  void take_counts(KernelProfile& kernel) {
    if (!event_.dram_bytes || !is_metric(*event_.dram_bytes)) return;
    profile_.predicted = true;
    kernel.metrics.set(kDramBytes, *event_.dram_bytes);
    if (!event_.flops || !is_metric(*event_.flops)) return;
    const bool tensor = event_.unit == "tensor";
    kernel.metrics.set(kTensorFlops, tensor ? *event_.flops : 0);
    kernel.metrics.set(kCudaFlops, tensor ? 0 : *event_.flops);
  }

  const ProfileOptions& options_;
  Profile profile_;
  std::shared_ptr<MetricNames> names_ = std::make_shared<MetricNames>();
  std::vector<Link> links_;  // of the kernels
  std::unordered_map<std::int64_t, Operator> operators_;
  std::unordered_map<std::int64_t, std::int64_t> launches_;  // correlation to external id

  int depth_ = 0;
  int events_depth_ = 0;  // of the list of events; 0: not met yet, -1: over
  int event_depth_ = 0;   // of the event that is open; 0: none
  std::optional<double> device_major_, device_minor_;
  std::string device_name_;
  double first_ = std::numeric_limits<double>::infinity(), last_ = -std::numeric_limits<double>::infinity();
  std::map<std::string, std::vector<std::pair<double, double>>> threads_;  // when they ran operators
  std::string top_key_, key_, argument_;
  Event event_;
  std::size_t count_ = 0;
  std::size_t error_at_ = 0;
};

// Length of a number that JSON does not have at the start of `text`; 0 if there is none.
std::size_t odd_number(std::string_view text) {
  for (const std::string_view odd : {"inf", "-inf", "nan", "-nan", "NaN", "Infinity", "-Infinity"}) {
    const std::string_view after = text.substr(std::min(odd.size(), text.size()), 1);
    if (text.substr(0, odd.size()) == odd && after.find_first_of(",}\r\n ") == 0) return odd.size();
  }
  return 0;
}

// Older versions print numbers that JSON does not have ("blocks per SM": inf): null instead.
std::string without_odd_numbers(std::string_view text) {
  constexpr std::string_view kEndOfKey = "\": ";
  std::string patched;
  patched.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = text.find(kEndOfKey);
    const std::size_t value = at == std::string_view::npos ? text.size() : at + kEndOfKey.size();
    patched += text.substr(0, value);
    text.remove_prefix(value);
    if (const std::size_t odd = odd_number(text); odd > 0) {
      patched += "null";
      text.remove_prefix(odd);
    }
  }
  return patched;
}

}  // namespace

Result<Profile> read_kineto(std::string_view text, std::string_view where, const ProfileOptions& options) {
  const auto parse = [&](std::string_view json_text, TraceHandler& handler) {
    return json::sax_parse(json_text, &handler);
  };
  auto handler = std::make_unique<TraceHandler>(options);
  bool whole = parse(text, *handler);
  if (!whole) {
    const std::string patched = without_odd_numbers(text);
    handler = std::make_unique<TraceHandler>(options);
    whole = parse(patched, *handler);
  }
  if (!handler->has_events()) {
    return fail(ErrorCode::bad_input, "not a PyTorch profiler trace: no list 'traceEvents'", std::string(where));
  }
  if (!whole) {
    handler->profile().drop(handler->count() + 1,
                            fmt::format("invalid JSON from byte {} on: the rest is ignored", handler->error_at()));
  }
  return handler->finish();
}

}  // namespace rooftile::profile
