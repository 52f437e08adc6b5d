#include "rooftile/explore/delta_batch.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/explore/delta_lanes.hpp"

namespace rooftile {
namespace {

// What a design gives, read once (timing/delta.cpp, delta_rates()).
struct Rates {
  double sms, arithmetic, l1, l2, dram, dram_chip, smem_load, smem_store;
  double smem_latency, l1_latency, l2_latency, dram_latency;  // seconds
};

Rates rates_of(const DesignBlock& block, std::size_t i, const Gpu& base) {
  const auto value = [&](Parameter p) { return block.values[static_cast<std::size_t>(p)][i]; };
  const double sms = value(Parameter::sm_count), clock = value(Parameter::clock);
  const double arithmetic = 2 * value(Parameter::mac_per_sm) * clock;
  const auto share = [&](const char* level, Parameter p) {
    return base.level(level).per_sm ? value(p) : value(p) / sms;
  };
  const double load = value(Parameter::smem_bandwidth);
  return {.sms = sms,
          .arithmetic = arithmetic,
          .l1 = share("L1", Parameter::l1_bandwidth),
          .l2 = share("L2", Parameter::l2_bandwidth),
          .dram = share("DRAM", Parameter::dram_bandwidth),
          .dram_chip = value(Parameter::dram_bandwidth),
          .smem_load = load,
          .smem_store = load * (base.smem_store_bandwidth / base.smem_load_bandwidth),
          .smem_latency = value(Parameter::smem_latency) / clock,
          .l1_latency = value(Parameter::l1_latency) / clock,
          .l2_latency = value(Parameter::l2_latency) / clock,
          .dram_latency = value(Parameter::dram_latency) / clock};
}

void set(DesignLanes& lanes, std::size_t lane, const Rates& r) {
  lanes.inverse_sms[lane] = 1 / r.sms;
  lanes.half_sms[lane] = 0.5 - 0.5 / r.sms;
  lanes.inverse_l1[lane] = 1 / r.l1;
  lanes.inverse_l2[lane] = 1 / r.l2;
  lanes.inverse_dram[lane] = 1 / r.dram;
  lanes.latency_l1[lane] = r.l1_latency;
  lanes.latency_l2[lane] = r.l2_latency;
  lanes.latency_dram[lane] = r.dram_latency;
  lanes.inverse_dram_chip[lane] = 1 / r.dram_chip;
  lanes.inverse_arithmetic_chip[lane] = 1 / (r.arithmetic * r.sms);
}

void set(KernelLanes& lanes, std::size_t lane, const KernelConstants& k, const Rates& r, double active) {
  lanes.inverse_active[lane] = 1 / active;
  lanes.half_active[lane] = 0.5 - 0.5 / active;
  const double store = k.inputs / r.smem_store, load = k.warp_inputs / r.smem_load;
  lanes.compute[lane] = k.work / r.arithmetic;
  lanes.smem[lane] = store + load;
  lanes.slower_by_depth[lane] = std::max(lanes.compute[lane], lanes.smem[lane]) / k.depth;
  lanes.prologue[lane] = r.dram_latency + k.inputs / r.dram + r.smem_latency + store + load;
  lanes.epilogue_l1[lane] = k.outputs / r.l1;
  lanes.epilogue_l2[lane] = k.outputs / r.l2;
  lanes.epilogue_dram[lane] = k.outputs / r.dram;
}

// The limits of an SM of a design (write_registers() and write_smem() of parameter.cpp).
SmLimits limits_of(const DesignBlock& block, std::size_t i, const Gpu& base) {
  SmLimits sm = base.sm;
  const double smem = block.values[static_cast<std::size_t>(Parameter::smem)][i];
  if (smem != sm.smem.value()) {
    sm.smem_per_cta *= smem / sm.smem.value();
    sm.smem = Bytes(smem);
  }
  sm.registers = block.values[static_cast<std::size_t>(Parameter::registers)][i];
  return sm;
}

}  // namespace

DeltaBatch::DeltaBatch(std::vector<UniqueLayer> layers, Gpu base, VectorUnit unit)
    : layers_(std::move(layers)), base_(std::move(base)), unit_(unit) {
  for (const UniqueLayer& layer : layers_) {
    columns_.push_back({layer.workload, layer.name, layer.op, layer.count, layer.weight});
  }
  narrow_ = network_constants(layers_, base_, kTileRows);
  wide_ = network_constants(layers_, base_, kWideTileRows);
}

void DeltaBatch::evaluate(const DesignBlock& block, OutcomeBlock& outcome) const {
  const std::vector<double>& tile = block.values[static_cast<std::size_t>(Parameter::cta_tile)];
  std::vector<std::size_t> narrow, wide;
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] == Unfit::none) (tile[i] <= kTileRows ? narrow : wide).push_back(i);
  }
  evaluate_tile(block, outcome, narrow_, narrow);
  evaluate_tile(block, outcome, wide_, wide);
}

void DeltaBatch::evaluate_tile(const DesignBlock& block, OutcomeBlock& outcome, const NetworkConstants& network,
                               std::span<const std::size_t> designs) const {
  DesignLanes lanes;
  std::vector<KernelLanes> kernels(network.kernels.size());
  std::vector<double> times(outcome.layers.empty() ? 0 : layers_.size() * kLanes);
  for (std::size_t first = 0; first < designs.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, designs.size() - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t design = designs[first + std::min(lane, count - 1)];  // the last fills what is left over
      const Rates rates = rates_of(block, design, base_);
      const SmLimits sm = limits_of(block, design, base_);
      set(lanes, lane, rates);
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        const KernelConstants& constants = network.kernels[k];
        set(kernels[k], lane, constants, rates, resident_ctas(constants.kernel, sm));
        if (const Unfit unfit = unfit_of(constants.kernel, sm); unfit != Unfit::none) outcome.unfit[design] = unfit;
      }
    }
    SumLanes sums = {};
    run_layers(unit_, network, lanes, kernels, base_.launch_overhead.value(), sums,
               times.empty() ? nullptr : times.data());
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t design = designs[first + lane];
      if (outcome.unfit[design] != Unfit::none) continue;
      outcome.time[design] = sums.time[lane];
      for (std::size_t b = 0; b < kBottlenecks; ++b) outcome.shares[b][design] = sums.shares[b][lane];
      if (times.empty()) continue;
      for (std::size_t l = 0; l < network.layer_of.size(); ++l) {
        outcome.layers[network.layer_of[l] * kBlockDesigns + design] = times[l * kLanes + lane];
      }
      for (std::size_t s = 0; s < network.stream_of.size(); ++s) {
        const std::size_t l = network.layer_of.size() + s;
        outcome.layers[network.stream_of[s] * kBlockDesigns + design] = times[l * kLanes + lane];
      }
    }
  }
}

}  // namespace rooftile
