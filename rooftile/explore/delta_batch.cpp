#include "rooftile/explore/delta_batch.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/explore/delta_lanes.hpp"

namespace rooftile {
namespace {

// What a design gives (timing/delta.cpp, delta_rates()), as seconds a byte or FLOP, the share of one SM.
struct Rates {
  double sms, arithmetic, l1, l2, dram, dram_chip, smem_load, smem_store;
  double smem_latency, l1_latency, l2_latency, dram_latency;  // seconds
};

// Reads designs of a block over one GPU.
class DesignReader {
 public:
  DesignReader(const DesignBlock& block, const Gpu& base)
      : block_(block),
        l1_of_sm_(base.level("L1").per_sm),
        l2_of_sm_(base.level("L2").per_sm),
        dram_of_sm_(base.level("DRAM").per_sm),
        load_by_store_(base.smem_load_bandwidth / base.smem_store_bandwidth) {}

  Rates rates(std::size_t i) const {
    const double sms = value(Parameter::sm_count, i);
    const double cycle = 1 / value(Parameter::clock, i);
    const double load = 1 / value(Parameter::smem_bandwidth, i);
    const double dram = 1 / value(Parameter::dram_bandwidth, i);
    const auto share = [&](double inverse, bool of_sm) { return of_sm ? inverse : inverse * sms; };
    return {.sms = sms,
            .arithmetic = cycle / (2 * value(Parameter::mac_per_sm, i)),
            .l1 = share(1 / value(Parameter::l1_bandwidth, i), l1_of_sm_),
            .l2 = share(1 / value(Parameter::l2_bandwidth, i), l2_of_sm_),
            .dram = share(dram, dram_of_sm_),
            .dram_chip = dram,
            .smem_load = load,
            .smem_store = load * load_by_store_,
            .smem_latency = value(Parameter::smem_latency, i) * cycle,
            .l1_latency = value(Parameter::l1_latency, i) * cycle,
            .l2_latency = value(Parameter::l2_latency, i) * cycle,
            .dram_latency = value(Parameter::dram_latency, i) * cycle};
  }

 private:
  double value(Parameter parameter, std::size_t i) const {
    return block_.values[static_cast<std::size_t>(parameter)][i];
  }
  const DesignBlock& block_;
  bool l1_of_sm_, l2_of_sm_, dram_of_sm_;
  double load_by_store_;
};

// How many CTAs of each kernel an SM holds. Neighbouring designs often have the same SM: the last answer is kept.
class Residency {
 public:
  Residency(const DesignBlock& block, const Gpu& base, const std::vector<KernelConstants>& kernels)
      : registers_(block.values[static_cast<std::size_t>(Parameter::registers)]),
        smem_(block.values[static_cast<std::size_t>(Parameter::smem)]),
        base_(base.sm),
        sm_(base.sm),
        kernels_(kernels),
        active_(kernels.size()) {
    update();
  }

  void move_to(std::size_t design) {
    if (registers_[design] == sm_.registers && smem_[design] == sm_.smem.value()) return;
    sm_.registers = registers_[design];
    sm_.smem = Bytes(smem_[design]);
    // As write_smem() of parameter.cpp has it.
    const bool same = sm_.smem == base_.smem;
    sm_.smem_per_cta = same ? base_.smem_per_cta : base_.smem_per_cta * (smem_[design] / base_.smem.value());
    update();
  }
  double active(std::size_t kernel) const { return active_[kernel]; }
  Unfit unfit() const { return unfit_; }

 private:
  void update() {
    unfit_ = Unfit::none;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      active_[k] = resident_ctas(kernels_[k].kernel, sm_);
      if (unfit_ == Unfit::none) unfit_ = unfit_of(kernels_[k].kernel, sm_);
    }
  }

  const std::vector<double>& registers_;
  const std::vector<double>& smem_;
  const SmLimits& base_;
  SmLimits sm_;
  const std::vector<KernelConstants>& kernels_;
  std::vector<double> active_;
  Unfit unfit_ = Unfit::none;
};

void set(DesignLanes& lanes, std::size_t lane, const Rates& r) {
  const double inverse_sms = 1 / r.sms;
  lanes.inverse_sms[lane] = inverse_sms;
  lanes.half_sms[lane] = 0.5 - 0.5 * inverse_sms;
  lanes.inverse_l1[lane] = r.l1;
  lanes.inverse_l2[lane] = r.l2;
  lanes.inverse_dram[lane] = r.dram;
  lanes.latency_l1[lane] = r.l1_latency;
  lanes.latency_l2[lane] = r.l2_latency;
  lanes.latency_dram[lane] = r.dram_latency;
  lanes.inverse_dram_chip[lane] = r.dram_chip;
  lanes.inverse_arithmetic_chip[lane] = r.arithmetic * inverse_sms;
}

void set(KernelLanes& lanes, std::size_t lane, const KernelConstants& k, const Rates& r, double active) {
  const double inverse_active = 1 / active;
  lanes.inverse_active[lane] = inverse_active;
  lanes.half_active[lane] = 0.5 - 0.5 * inverse_active;
  lanes.compute[lane] = k.work * r.arithmetic;
  lanes.smem[lane] = k.inputs * r.smem_store + k.warp_inputs * r.smem_load;
  lanes.slower_by_depth[lane] = std::max(lanes.compute[lane], lanes.smem[lane]) / k.depth;
  lanes.prologue[lane] = r.dram_latency + k.inputs * r.dram + r.smem_latency + lanes.smem[lane];
  lanes.epilogue_l1[lane] = k.outputs * r.l1;
  lanes.epilogue_l2[lane] = k.outputs * r.l2;
  lanes.epilogue_dram[lane] = k.outputs * r.dram;
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

// The model has no cache sizes, and is of FP32 on the lanes.
bool DeltaBatch::reads(Parameter parameter) const {
  return parameter != Parameter::l1_capacity && parameter != Parameter::l2_capacity &&
         parameter != Parameter::tensor_mac_per_sm;
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
  if (designs.empty()) return;
  const DesignReader reader(block, base_);
  Residency residency(block, base_, network.kernels);
  DesignLanes lanes = {};
  std::vector<KernelLanes> kernels(network.kernels.size());
  std::vector<double> times(outcome.layers.empty() ? 0 : layers_.size() * kLanes);
  for (std::size_t first = 0; first < designs.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, designs.size() - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t design = designs[first + std::min(lane, count - 1)];  // the last fills what is left over
      const Rates rates = reader.rates(design);
      residency.move_to(design);
      outcome.unfit[design] = residency.unfit();
      set(lanes, lane, rates);
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        set(kernels[k], lane, network.kernels[k], rates, residency.active(k));
      }
    }
    SumLanes sums = {};
    run_layers(unit_, network, lanes, kernels, base_.launch_overhead.value(), sums,
               times.empty() ? nullptr : times.data());
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t design = designs[first + lane];
      if (outcome.unfit[design] != Unfit::none) continue;
      outcome.time[design] = sums.time[lane];
      if (!outcome.work.empty()) outcome.work[design] = network.work;
      for (std::size_t b = 0; b < kBottlenecks; ++b) outcome.shares[b][design] = sums.shares[b][lane];
      if (times.empty()) continue;
      for (std::size_t l = 0; l < network.layer_of.size(); ++l) {
        outcome.layers[network.layer_of[l] * outcome.stride + design] = times[l * kLanes + lane];
      }
      for (std::size_t s = 0; s < network.stream_of.size(); ++s) {
        const std::size_t l = network.layer_of.size() + s;
        outcome.layers[network.stream_of[s] * outcome.stride + design] = times[l * kLanes + lane];
      }
    }
  }
}

}  // namespace rooftile
