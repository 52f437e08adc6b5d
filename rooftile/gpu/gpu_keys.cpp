#include "rooftile/gpu/gpu_keys.hpp"

#include <algorithm>

namespace rooftile {
namespace {

template <Peak which>
void set_peak(Gpu& gpu, double value) {
  gpu.peaks[static_cast<std::size_t>(which)] = FlopsPerSecond(value);
}

using G = Gpu;
using L = MemoryLevel;
using U = FactUnit;
using enum Need;

constexpr double kKi = 1024, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024;

// The ranges catch a slip of a unit, not a bold design: they leave a factor of a hundred or more on either side of
// every GPU in the catalogue.
constexpr std::array kKeys = {
    GpuKey{"core.sm_count", U::count, 1, 1e5, required, [](G& g, double v) { g.sm_count = v; }},
    GpuKey{"core.clock", U::hertz, 1e6, 1e11, required, [](G& g, double v) { g.clock = Hertz(v); }},
    GpuKey{"core.base_clock", U::hertz, 1e6, 1e11, optional, [](G& g, double v) { g.base_clock = Hertz(v); }},
    GpuKey{"core.sustained_clock", U::hertz, 1e6, 1e11, optional, [](G& g, double v) { g.sustained_clock = Hertz(v); }},
    GpuKey{"core.product_clock", U::hertz, 1e6, 1e11, optional, [](G& g, double v) { g.product_clock = Hertz(v); }},
    GpuKey{"core.tensor_clock", U::hertz, 1e6, 1e11, optional, [](G& g, double v) { g.tensor_clock = Hertz(v); }},
    GpuKey{"core.tensor_clock_ratio", U::fraction, 0.01, 1},
    GpuKey{"core.fma_share", U::fraction, 0.01, 1, optional, [](G& g, double v) { g.fma_share = v; }},
    GpuKey{"core.gradient_share", U::fraction, 0.01, 1, optional, [](G& g, double v) { g.gradient_share = v; }},
    GpuKey{"core.generation", U::count, 1, 1000, required, [](G& g, double v) { g.generation = v; }},
    GpuKey{"core.largest_tile", U::count, 16, 4096, optional, [](G& g, double v) { g.largest_tile = v; }},
    GpuKey{"core.fp16_sums", U::count, 16, 32, optional, [](G& g, double v) { g.fp16_sums = v; }},
    GpuKey{"core.fp8_sums", U::count, 1, 64, optional, [](G& g, double v) { g.fp8_sums = v; }},
    GpuKey{"core.process_nm", U::count, 1, 1000, optional, [](G& g, double v) { g.process_nm = v; }},

    GpuKey{"peak.fp64", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::fp64>},
    GpuKey{"peak.fp32", U::flops_per_second, 1e6, 1e20, required, set_peak<Peak::fp32>},
    GpuKey{"peak.fp16", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::fp16>},
    GpuKey{"peak.tensor_fp32", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_fp32>},
    GpuKey{"peak.tensor_tf32", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_tf32>},
    GpuKey{"peak.tensor_fp16", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_fp16>},
    GpuKey{"peak.tensor_bf16", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_bf16>},
    GpuKey{"peak.tensor_fp8", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_fp8>},
    GpuKey{"peak.tensor_int8", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_int8>},
    GpuKey{"peak.tensor_int4", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_int4>},
    GpuKey{"peak.tensor_fp4", U::flops_per_second, 1e6, 1e20, optional, set_peak<Peak::tensor_fp4>},
    GpuKey{"peak.tensor_fp16_acc16", U::flops_per_second, 1e6, 1e20, optional,
           [](G& g, double v) { g.narrow_sums_peak = FlopsPerSecond(v); }},

    GpuKey{"rate.fp64", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.fp32", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.fp16", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_fp32", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_tf32", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_fp16", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_bf16", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_fp8", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_int8", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_int4", U::flops_per_cycle, 0.01, 1e7},
    GpuKey{"rate.tensor_fp4", U::flops_per_cycle, 0.01, 1e7},

    GpuKey{"sm.registers", U::count, 256, 1e8, required, [](G& g, double v) { g.sm.registers = v; }},
    GpuKey{"sm.accumulation_registers", U::count, 0, 1e8, optional,
           [](G& g, double v) { g.sm.accumulation_registers = v; }},
    GpuKey{"sm.tensor_memory", U::bytes, 256, kGi, optional, [](G& g, double v) { g.sm.tensor_memory = Bytes(v); }},
    GpuKey{"sm.smem", U::bytes, 256, kGi, required, [](G& g, double v) { g.sm.smem = Bytes(v); }},
    GpuKey{"sm.smem_per_cta", U::bytes, 256, kGi, required, [](G& g, double v) { g.sm.smem_per_cta = Bytes(v); }},
    GpuKey{"sm.warps", U::count, 1, 1e5, required, [](G& g, double v) { g.sm.warps = v; }},
    GpuKey{"sm.ctas", U::count, 1, 1e5, required, [](G& g, double v) { g.sm.ctas = v; }},
    GpuKey{"sm.cluster_ctas", U::count, 1, 1e4, optional, [](G& g, double v) { g.sm.cluster_ctas = v; }},
    GpuKey{"sm.l2_load_share", U::fraction, 0.01, 1, optional, [](G& g, double v) { g.sm.l2_load_share = v; }},
    GpuKey{"sm.pair_load_macs", U::count, 1, 1e6, optional, [](G& g, double v) { g.sm.pair_load_macs = v; }},
    GpuKey{"sm.single_load_macs", U::count, 1, 1e6, optional, [](G& g, double v) { g.sm.single_load_macs = v; }},
    GpuKey{"sm.exponentials", U::count, 1, 1e5, optional, [](G& g, double v) { g.sm.exponentials = v; }},
    GpuKey{"sm.warp_size", U::count, 1, 1024, required, [](G& g, double v) { g.sm.warp_size = v; }},
    GpuKey{"sm.smem_load_bandwidth", U::bytes_per_second, 1e6, 1e17, required,
           [](G& g, double v) { g.smem_load_bandwidth = BytesPerSecond(v); }},
    GpuKey{"sm.smem_load_rate", U::bytes_per_cycle, 1, 1e6},
    GpuKey{"sm.smem_store_bandwidth", U::bytes_per_second, 1e6, 1e17, required,
           [](G& g, double v) { g.smem_store_bandwidth = BytesPerSecond(v); }},
    GpuKey{"sm.smem_store_rate", U::bytes_per_cycle, 1, 1e6},
    GpuKey{"sm.smem_latency", U::cycles, 0.1, 1e6, required, [](G& g, double v) { g.smem_latency = Cycles(v); }},
    GpuKey{"sm.l1_request", U::bytes, 1, 65536, required, [](G& g, double v) { g.l1_request = Bytes(v); }},

    GpuKey{"level.capacity", U::bytes, 256, 1024 * kTi, required, nullptr,
           [](L& l, double v) { l.capacity = Bytes(v); }},
    GpuKey{"level.peak_bandwidth", U::bytes_per_second, 1e6, 1e18},
    GpuKey{"level.bandwidth", U::bytes_per_second, 1e6, 1e18, required, nullptr,
           [](L& l, double v) { l.bandwidth = BytesPerSecond(v); }},
    GpuKey{"level.rate", U::bytes_per_cycle, 0.001, 1e6},
    GpuKey{"level.efficiency", U::fraction, 0.01, 1},
    GpuKey{"level.latency", U::cycles, 0.1, 1e6, required, nullptr, [](L& l, double v) { l.latency = Cycles(v); }},
    GpuKey{"level.latency_time", U::seconds, 1e-11, 1e-3},
    GpuKey{"level.line", U::bytes, 1, 65536, required, nullptr, [](L& l, double v) { l.line = Bytes(v); }},
    GpuKey{"level.sector", U::bytes, 1, 65536, required, nullptr, [](L& l, double v) { l.sector = Bytes(v); }},
    GpuKey{"level.partitions", U::count, 1, 1e4, optional, nullptr, [](L& l, double v) { l.partitions = v; }},
    GpuKey{"level.usable", U::fraction, 0.01, 1, optional, nullptr, [](L& l, double v) { l.usable = v; }},
    GpuKey{"level.ways", U::count, 1, 1e6, optional, nullptr, [](L& l, double v) { l.ways = v; }},
    GpuKey{"level.type", U::text, 0, 0},

    GpuKey{"launch.overhead", U::seconds, 1e-9, 1, required, [](G& g, double v) { g.launch_overhead = Seconds(v); }},

    GpuKey{"board.launch_date", U::date, 0, 0},
    GpuKey{"board.tdp", U::watts, 0.1, 1e6, optional, [](G& g, double v) { g.tdp = Watts(v); }},
    GpuKey{"board.launch_price", U::dollars, 1, 1e8, optional, [](G& g, double v) { g.launch_price = Dollars(v); }},
    GpuKey{"board.cloud_price", U::dollars_per_second, 1e-3 / 3600, 1e5 / 3600, optional,
           [](G& g, double v) { g.cloud_price = DollarsPerSecond(v); }},
    GpuKey{"board.host_single_thread", U::count, 100, 1e6, optional, [](G& g, double v) { g.host_single_thread = v; }},
    GpuKey{"board.own_host_single_thread", U::count, 100, 1e6, optional,
           [](G& g, double v) { g.host_single_thread = v, g.host_is_own = true; }},

    GpuKey{"link.nvlink", U::bytes_per_second, 1e6, 1e16},
    GpuKey{"link.infinity_fabric", U::bytes_per_second, 1e6, 1e16},
    GpuKey{"link.pcie_generation", U::count, 1, 20},
};

std::string_view section_of(std::string_view key) { return key.substr(0, key.find('.')); }
std::string_view name_in_section(std::string_view key) { return key.substr(key.find('.') + 1); }

}  // namespace

std::span<const GpuKey> gpu_keys() { return kKeys; }

const GpuKey* find_gpu_key(std::string_view key) {
  const auto found = std::find_if(kKeys.begin(), kKeys.end(), [&](const GpuKey& row) { return row.key == key; });
  return found == kKeys.end() ? nullptr : &*found;
}

std::vector<std::string> gpu_sections() {
  std::vector<std::string> sections;
  for (const GpuKey& row : kKeys) {
    if (sections.empty() || sections.back() != section_of(row.key)) sections.emplace_back(section_of(row.key));
  }
  return sections;
}

std::vector<std::string> gpu_key_names(std::string_view section) {
  std::vector<std::string> names;
  for (const GpuKey& row : kKeys) {
    if (section_of(row.key) == section) names.emplace_back(name_in_section(row.key));
  }
  return names;
}

}  // namespace rooftile
