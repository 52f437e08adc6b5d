#include "rooftile/explore/parameter.hpp"

#include <type_traits>

#include "rooftile/explore/tile_kernel.hpp"

namespace rooftile {
namespace {

constexpr std::array kTensorPeaks = {Peak::tensor_fp32, Peak::tensor_tf32, Peak::tensor_fp16, Peak::tensor_bf16,
                                     Peak::tensor_fp8,  Peak::tensor_int8, Peak::tensor_int4, Peak::tensor_fp4};
constexpr std::array kVectorPeaks = {Peak::fp64, Peak::fp32, Peak::fp16};

void scale(Gpu& gpu, std::span<const Peak> peaks, double factor) {
  for (const Peak peak : peaks) gpu.peaks[static_cast<std::size_t>(peak)] *= factor;
}

// Of one SM.
double macs_per_clock(const Gpu& gpu, Peak peak) {
  constexpr double kFlopsOfMac = 2;
  return gpu.peak(peak).value() / (kFlopsOfMac * gpu.clock.value() * gpu.sm_count);
}

double read_sm_count(const Gpu& gpu) { return gpu.sm_count; }
void write_sm_count(Gpu& gpu, double value) {
  for (FlopsPerSecond& peak : gpu.peaks) peak *= value / gpu.sm_count;
  gpu.sm_count = value;
}

double read_mac(const Gpu& gpu) { return macs_per_clock(gpu, Peak::fp32); }
void write_mac(Gpu& gpu, double value) { scale(gpu, kVectorPeaks, value / read_mac(gpu)); }

double read_tensor_mac(const Gpu& gpu) { return macs_per_clock(gpu, Peak::tensor_fp16); }
void write_tensor_mac(Gpu& gpu, double value) { scale(gpu, kTensorPeaks, value / read_tensor_mac(gpu)); }

double read_clock(const Gpu& gpu) { return gpu.clock.value(); }
void write_clock(Gpu& gpu, double value) {
  const double factor = value / gpu.clock.value();
  for (FlopsPerSecond& peak : gpu.peaks) peak *= factor;
  for (std::optional<Hertz>* other : {&gpu.base_clock, &gpu.sustained_clock, &gpu.product_clock, &gpu.tensor_clock}) {
    if (*other) **other *= factor;
  }
  gpu.clock = Hertz(value);
}

double read_registers(const Gpu& gpu) { return gpu.sm.registers; }
void write_registers(Gpu& gpu, double value) { gpu.sm.registers = value; }

// What one CTA can have keeps its share of the whole.
double read_smem(const Gpu& gpu) { return gpu.sm.smem.value(); }
void write_smem(Gpu& gpu, double value) {
  gpu.sm.smem_per_cta *= value / gpu.sm.smem.value();
  gpu.sm.smem = Bytes(value);
}

double read_smem_bandwidth(const Gpu& gpu) { return gpu.smem_load_bandwidth.value(); }
void write_smem_bandwidth(Gpu& gpu, double value) {
  gpu.smem_store_bandwidth *= value / gpu.smem_load_bandwidth.value();
  gpu.smem_load_bandwidth = BytesPerSecond(value);
}

double read_smem_latency(const Gpu& gpu) { return gpu.smem_latency.value(); }
void write_smem_latency(Gpu& gpu, double value) { gpu.smem_latency = Cycles(value); }

// A field of a memory level as a parameter.
enum class Level { l1, l2, dram };
constexpr std::string_view level_name(Level level) {
  return level == Level::l1 ? "L1" : (level == Level::l2 ? "L2" : "DRAM");
}
template <Level level, auto field>
double read_level(const Gpu& gpu) {
  return (gpu.level(level_name(level)).*field).value();
}
template <Level level, auto field>
void write_level(Gpu& gpu, double value) {
  for (MemoryLevel& candidate : gpu.levels) {
    if (candidate.name != level_name(level)) continue;
    auto& target = candidate.*field;
    target = std::remove_reference_t<decltype(target)>(value);
  }
}

double read_tile(const Gpu& /*gpu*/) { return kTileRows; }

constexpr double kKi = 1024, kGi = kKi * kKi * kKi;
using U = FactUnit;
using L = MemoryLevel;

// The ranges are those of the same numbers in GPU files.
constexpr std::array<ParameterRow, kParameters> kRows = {
    ParameterRow{"sm_count", U::count, true, 1, 1e5, "SMs; arithmetic follows, L2 and DRAM do not", read_sm_count,
                 write_sm_count},
    ParameterRow{"mac_per_sm", U::count, false, 0.01, 1e7,
                 "FP32 multiply-accumulates of an SM a clock; FP64 and FP16 follow", read_mac, write_mac},
    ParameterRow{"tensor_mac_per_sm", U::count, false, 0.01, 1e7,
                 "FP16 multiply-accumulates of an SM's tensor cores a clock; their other precisions follow",
                 read_tensor_mac, write_tensor_mac},
    ParameterRow{"clock", U::hertz, false, 1e6, 1e11, "core clock; arithmetic and latencies follow, bandwidths do not",
                 read_clock, write_clock},
    ParameterRow{"registers", U::count, true, 256, 1e8, "32-bit registers of an SM", read_registers, write_registers},
    ParameterRow{"smem", U::bytes, false, 256, kGi, "shared memory of an SM", read_smem, write_smem},
    ParameterRow{"smem_bandwidth", U::bytes_per_second, false, 1e6, 1e17,
                 "loads from the shared memory of an SM; stores follow", read_smem_bandwidth, write_smem_bandwidth},
    ParameterRow{"smem_latency", U::cycles, false, 0.1, 1e6, "of shared memory", read_smem_latency, write_smem_latency},
    ParameterRow{"l1_capacity", U::bytes, false, 256, kGi, "of an SM's L1", read_level<Level::l1, &L::capacity>,
                 write_level<Level::l1, &L::capacity>},
    ParameterRow{"l1_bandwidth", U::bytes_per_second, false, 1e6, 1e18, "of an SM's L1",
                 read_level<Level::l1, &L::bandwidth>, write_level<Level::l1, &L::bandwidth>},
    ParameterRow{"l1_latency", U::cycles, false, 0.1, 1e6, "of a load that hits the L1",
                 read_level<Level::l1, &L::latency>, write_level<Level::l1, &L::latency>},
    ParameterRow{"l2_capacity", U::bytes, false, 256, kKi* kGi, "of the L2", read_level<Level::l2, &L::capacity>,
                 write_level<Level::l2, &L::capacity>},
    ParameterRow{"l2_bandwidth", U::bytes_per_second, false, 1e6, 1e18, "of the L2, all SMs together",
                 read_level<Level::l2, &L::bandwidth>, write_level<Level::l2, &L::bandwidth>},
    ParameterRow{"l2_latency", U::cycles, false, 0.1, 1e6, "of a load that hits the L2",
                 read_level<Level::l2, &L::latency>, write_level<Level::l2, &L::latency>},
    ParameterRow{"dram_bandwidth", U::bytes_per_second, false, 1e6, 1e18, "of the DRAM",
                 read_level<Level::dram, &L::bandwidth>, write_level<Level::dram, &L::bandwidth>},
    ParameterRow{"dram_latency", U::cycles, false, 0.1, 1e6, "of a load from DRAM",
                 read_level<Level::dram, &L::latency>, write_level<Level::dram, &L::latency>},
    ParameterRow{"cta_tile", U::count, true, kTileRows, kWideTileRows,
                 "128: DeLTA's CTA tiles; 256: twice as wide and high (method delta)", read_tile, nullptr},
};

}  // namespace

std::span<const ParameterRow> parameters() { return kRows; }

const ParameterRow& row_of(Parameter parameter) { return kRows[static_cast<std::size_t>(parameter)]; }
std::string_view name_of(Parameter parameter) { return row_of(parameter).name; }

std::vector<std::string> parameter_names() {
  std::vector<std::string> names;
  for (const ParameterRow& row : kRows) names.emplace_back(row.name);
  return names;
}

std::optional<Parameter> find_parameter(std::string_view name) {
  for (std::size_t i = 0; i < kParameters; ++i) {
    if (kRows[i].name == name) return static_cast<Parameter>(i);
  }
  return std::nullopt;
}

std::string print(Parameter parameter, double value) { return print_number(row_of(parameter).unit, value); }

DesignPoint design_of(const Gpu& gpu) {
  DesignPoint point{};
  for (std::size_t i = 0; i < kParameters; ++i) point[i] = kRows[i].read(gpu);
  return point;
}

void write_design(Gpu& gpu, const DesignPoint& before, const DesignPoint& point) {
  for (std::size_t i = 0; i < kParameters; ++i) {
    if (kRows[i].write != nullptr && point[i] != before[i]) kRows[i].write(gpu, point[i]);
  }
}

Gpu with_design(Gpu gpu, const DesignPoint& point) {
  write_design(gpu, design_of(gpu), point);
  return gpu;
}

}  // namespace rooftile
