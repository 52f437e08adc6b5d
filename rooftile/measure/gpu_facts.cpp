#include "rooftile/measure/gpu_facts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/base/quantile.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/measure/curve.hpp"

namespace rooftile::measure {
namespace {

// Of a curve's points within the plateau of the L2: between an eighth and a half of what the device reports. Below it a
// set may sit in fewer slices, above it the two partitions of large chips begin to run full.
constexpr double kL2First = 1.0 / 8, kL2Last = 1.0 / 2;
// DRAM: a few times the L2, which then holds little of the set; the fewer pages, the fewer misses of the TLB.
constexpr double kDramFirst = 4, kDramLast = 8;

std::string bytes_text(double bytes) { return print(Bytes(bytes)); }

class FactReader {
 public:
  FactReader(const Device& device, const std::vector<Point>& points, const std::string& version)
      : device_(device), points_(points), version_(version) {}

  std::vector<MeasuredFact> read() {
    attributes();
    clocks();
    rates();
    shared_memory();
    latencies();
    bandwidths();
    sectors();
    launches();
    return std::move(facts_);
  }

 private:
  Curve curve(std::string_view benchmark, std::string_view variant) const {
    return curve_of(points_, benchmark, variant);
  }

  // The value of a benchmark that has one point; of several the median.
  std::optional<double> one(std::string_view benchmark, std::string_view variant) const {
    return plateau(curve(benchmark, variant), -1e300, 1e300);
  }

  // Attributes that are zero were not told.
  void attribute(std::string key, double number, std::string note = {}) {
    if (number <= 0) return;
    facts_.push_back({std::move(key), number, FactKind::vendor,
                      fmt::format("{}: attributes that the device reports (driver {})", device_.name, device_.driver),
                      std::move(note)});
  }

  // `during`: the benchmark whose clock counts.
  void measured(std::string key, std::optional<double> number, std::string_view during, std::string note = {}) {
    if (!number || *number <= 0) return;
    const auto clock = one("clock", during);
    facts_.push_back({std::move(key), *number, FactKind::measured,
                      fmt::format("measured with rooftile-measure {} on {}: {}, driver {}, CUDA {}{}", version_,
                                  device_.date, device_.name, device_.driver, device_.cuda,
                                  clock ? fmt::format(", SMs at {}", print(Hertz(*clock))) : ""),
                      std::move(note)});
  }

  void attributes() {
    attribute("core.sm_count", device_.sm_count);
    attribute("core.clock", device_.clock.value(), "the highest");
    attribute("sm.registers", device_.registers_per_sm);
    attribute("sm.smem", device_.smem_per_sm.value());
    attribute("sm.smem_per_cta", device_.smem_per_cta.value());
    if (device_.warp_size > 0) attribute("sm.warps", std::floor(device_.threads_per_sm / device_.warp_size));
    attribute("sm.ctas", device_.ctas_per_sm);
    attribute("sm.warp_size", device_.warp_size);
    attribute("level.DRAM.capacity", device_.memory.value());
    constexpr double kDoubleDataRate = 2, kBitsPerByte = 8;
    attribute("level.DRAM.peak_bandwidth",
              device_.memory_clock.value() * kDoubleDataRate * device_.bus_bits / kBitsPerByte,
              "2 x memory clock x bus width");
    attribute("board.tdp", device_.power_limit.value(), "the power limit in force");
  }

  // The second half of the long load: the first heats the chip up.
  void clocks() {
    const Curve load = curve("sustained", "clock");
    if (load.empty()) return;
    const double half = load.back().x / 2, end = load.back().x;
    std::string note = fmt::format("second half of {:.3g} s of arithmetic", end);
    if (const auto watts = plateau(curve("sustained", "power"), half, end)) note += fmt::format("; {:.0f} W", *watts);
    if (const auto celsius = plateau(curve("sustained", "temperature"), half, end)) {
      note += fmt::format(", {:.0f} degrees Celsius", *celsius);
    }
    if (const auto memory = plateau(curve("sustained", "memory_clock"), half, end)) {
      note += fmt::format("; memory at {}", print(Hertz(*memory)));
    }
    measured("core.sustained_clock", plateau(load, half, end), "sustained", note);
  }

  void rates() {
    for (const char* type : {"fp64", "fp32", "fp16"}) {
      measured(fmt::format("peak.{}", type), one("rate", type), "rate", "independent multiply-adds in registers");
    }
    for (const char* type : {"tf32", "fp16", "bf16", "fp8", "int8"}) {
      std::optional<double> best;
      std::string note;
      for (const char* way : {"wgmma", "mma", "library"}) {
        const auto rate = one("rate", fmt::format("{}_{}", way, type));
        if (!rate) continue;
        note += fmt::format("{}{} {}", note.empty() ? "best of " : ", ", way, print(FlopsPerSecond(*rate)));
        best = std::max(best.value_or(0), *rate);
      }
      measured(fmt::format("peak.tensor_{}", type), best, "rate", note);
    }
  }

  void shared_memory() {
    measured("sm.smem_latency", one("latency", "smem"), "latency");
    for (const char* way : {"load", "store"}) {
      double best = 0, width = 0;
      for (const CurvePoint& point : curve("bandwidth", fmt::format("smem_{}", way))) {
        if (point.y > best) best = point.y, width = point.x;
      }
      measured(fmt::format("sm.smem_{}_bandwidth", way), best / device_.sm_count, "bandwidth",
               fmt::format("{:.0f} B a lane, no bank conflicts", width));
    }
  }

  void latencies() {
    const Curve near = curve("latency", "l1"), global = curve("latency", "global");
    const double l2 = device_.l2.value();
    const auto beyond_l1 = plateau(global, kL2First * l2, kL2Last * l2);
    if (!near.empty()) {
      // The smallest quarter of the sets that any L1 holds.
      constexpr double kSurelyInL1 = 8192;
      const auto hit = plateau(near, 0, kSurelyInL1);
      std::string note = fmt::format("pointer chase over up to {}", bytes_text(kSurelyInL1));
      if (hit && beyond_l1) {
        if (const auto end = knee(near, *hit, *beyond_l1))
          note += fmt::format("; capacity by its knee {}", bytes_text(*end));
      }
      measured("level.L1.latency", hit, "latency", note);
    }
    l2_capacity(global);
    l2_latency(beyond_l1);
    dram_latency(global);
  }

  void l2_capacity(const Curve& global) {
    const double l2 = device_.l2.value();
    std::string note;
    const auto add = [&](const char* what, const Curve& curve, std::optional<double> miss) {
      const auto hit = plateau(curve, kL2First * l2, kL2Last * l2);
      const auto end = hit && miss ? knee(curve, *hit, *miss) : std::nullopt;
      if (end) note += fmt::format("{}by the knee of its {} {}", note.empty() ? "" : "; ", what, bytes_text(*end));
    };
    add("latency", global, plateau(global, kDramFirst * l2, kDramLast * l2));
    add("bandwidth", curve("bandwidth", "l2_read"), one("bandwidth", "dram_read"));
    attribute("level.L2.capacity", l2, note);
  }

  // Lines of the near and the far partition are two groups; the mean is what random lines cost.
  void l2_latency(std::optional<double> chase) {
    std::vector<double> lines;
    for (const CurvePoint& line : curve("line_latency", "global")) lines.push_back(line.y);
    if (lines.empty()) {
      measured("level.L2.latency", chase, "latency", "pointer chase within the L2");
      return;
    }
    const Summary all = summarise(lines);
    const double mean = std::accumulate(lines.begin(), lines.end(), 0.0) / static_cast<double>(lines.size());
    std::string note = fmt::format("mean of {} lines from one SM", lines.size());
    constexpr double kApart = 1.1;  // less is noise
    if (all.high > kApart * all.low) {
      const double middle = (all.low + all.high) / 2;
      const auto far = std::partition(lines.begin(), lines.end(), [&](double line) { return line < middle; });
      note += fmt::format("; in two groups: median of the nearer {} {:.0f}, of the farther {} {:.0f} cycles",
                          far - lines.begin(), quantile({lines.begin(), far}, 0.5), lines.end() - far,
                          quantile({far, lines.end()}, 0.5));
    } else {
      note += ", all about equally far";
    }
    if (chase) note += fmt::format("; pointer chase {:.1f} cycles", *chase);
    measured("level.L2.latency", mean, "line_latency", note);
  }

  void dram_latency(const Curve& global) {
    const double l2 = device_.l2.value();
    const auto hit = plateau(global, kDramFirst * l2, kDramLast * l2);
    if (!hit) return;
    const CurvePoint& last = global.back();
    std::string note = fmt::format(
        "pointer chase, random lines in {} to {}: {:.0f} cycles; {:.0f} cycles in {}, which has the most pages: the "
        "difference is misses of the TLB",
        bytes_text(kDramFirst * l2), bytes_text(kDramLast * l2), *hit, last.y, bytes_text(last.x));
    note += loaded_latency();
    // DRAM does not follow the core clock: a time, where the clock is known.
    if (const auto clock = one("clock", "latency"); clock && *clock > 0) {
      measured("level.DRAM.latency_time", *hit / *clock, "latency", note);
    } else {
      measured("level.DRAM.latency", hit, "latency", note);
    }
  }

  // DeLTA's Fig 18: the latency at half of the highest load, between the points around it, and without any pause. Not
  // at the highest point: all loads that saturate DRAM are equal but for noise, and their latencies are not.
  std::string loaded_latency() const {
    const Curve load = curve("loaded_latency", "bandwidth"), cycles = curve("loaded_latency", "latency");
    Curve by_load;  // x: bandwidth drawn, y: latency; from the longest pause, which draws least, to none
    for (auto point = load.rbegin(); point != load.rend(); ++point) {
      if (const auto latency = plateau(cycles, point->x, point->x)) by_load.push_back({point->y, *latency});
    }
    if (by_load.empty()) return {};
    double highest = 0;
    for (const CurvePoint& point : by_load) highest = std::max(highest, point.x);
    const auto above =
        std::find_if(by_load.begin(), by_load.end(), [&](const CurvePoint& point) { return point.x >= highest / 2; });
    double half = above->y;
    if (above != by_load.begin()) {
      const CurvePoint& below = *(above - 1);
      half = std::lerp(below.y, above->y, (highest / 2 - below.x) / (above->x - below.x));
    }
    return fmt::format("; {:.0f} cycles at half of {}, {:.0f} at all of it", half, print(BytesPerSecond(highest)),
                       by_load.back().y);
  }

  void bandwidths() {
    if (const auto l1 = top(curve("bandwidth", "l1"))) {
      measured("level.L1.bandwidth", *l1 / device_.sm_count, "bandwidth", "of one SM, all of them reading");
    }
    const double l2 = device_.l2.value();
    std::string sets = fmt::format("sets of {} to {}", bytes_text(kL2First * l2), bytes_text(kL2Last * l2));
    if (const auto writes = plateau(curve("bandwidth", "l2_write"), kL2First * l2, kL2Last * l2)) {
      sets += fmt::format("; writes {}", print(BytesPerSecond(*writes)));
    }
    measured("level.L2.bandwidth", plateau(curve("bandwidth", "l2_read"), kL2First * l2, kL2Last * l2), "bandwidth",
             sets);
    const Curve read = curve("bandwidth", "dram_read");
    if (read.empty()) return;
    std::string note = fmt::format("read of {}", bytes_text(read.back().x));
    for (const char* way : {"write", "copy"}) {
      if (const auto other = one("bandwidth", fmt::format("dram_{}", way))) {
        note += fmt::format("; {} {}", way, print(BytesPerSecond(*other)));
      }
    }
    measured("level.DRAM.bandwidth", read.back().y, "bandwidth", note);
  }

  // What a miss brings along ends where a second load waits for the L2 again. Counters count sectors of 32 B; where
  // more than one comes at once, only the note says so.
  void sectors() {
    const Curve second = curve("sector", "l1");
    if (second.size() < 2) return;
    double low = second.front().y, high = second.front().y;
    for (const CurvePoint& point : second) low = std::min(low, point.y), high = std::max(high, point.y);
    constexpr double kClear = 1.5;  // hit and miss differ by several times
    const auto beyond = std::find_if(second.begin(), second.end(), [&](const CurvePoint& point) {
      return point.x > 0 && point.y > (low + high) / 2;
    });
    if (high < kClear * low || beyond == second.end()) return;
    std::string note = "first offset at which a second load misses";
    for (const char* width : {"load_4", "load_8", "load_16"}) {
      const Curve request = curve("request", width);
      if (const auto packed = plateau(request, 1, 1)) {
        note += fmt::format("; a warp's {} {:.3g} cycles side by side, {:.3g} with lanes {:.0f} accesses apart", width,
                            *packed, request.back().y, request.back().x);
      }
    }
    constexpr double kSector = 32;
    if (beyond->x > kSector) note += fmt::format("; a miss fetches {}", bytes_text(beyond->x));
    measured("level.L1.sector", std::min(beyond->x, kSector), "sector", note);
  }

  void launches() {
    const Curve eager = curve("launch", "eager");
    if (eager.empty()) return;
    std::string note = fmt::format("{:.0f} empty kernels queued back to back", eager.back().x);
    if (const Curve graph = curve("launch", "graph"); !graph.empty()) {
      note += fmt::format("; {} in a graph", print(Seconds(graph.back().y)));
    }
    if (const auto alone = one("launch", "round_trip"))
      note += fmt::format("; {} launched and waited for", print(Seconds(*alone)));
    measured("launch.overhead", eager.back().y, "launch", note);
  }

  const Device& device_;
  const std::vector<Point>& points_;
  const std::string& version_;
  std::vector<MeasuredFact> facts_;
};

}  // namespace

std::vector<MeasuredFact> gpu_facts(const Device& device, const std::vector<Point>& points,
                                    const std::string& version) {
  return FactReader(device, points, version).read();
}

}  // namespace rooftile::measure
