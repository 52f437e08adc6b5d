#include "rooftile/cost/cost.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"

namespace rooftile {
namespace {

constexpr double kFlopsOfMac = 2, kPico = 1e-12, kGiga = 1e9, kGi = 1024.0 * 1024 * 1024, kBits = 8;

const Fact* fact_of(const Gpu& gpu, std::string_view key) {
  for (const Fact& fact : gpu.facts) {
    if (fact.key == key) return &fact;
  }
  return nullptr;
}

// Multiply-accumulates of an SM a clock.
double macs(const Gpu& gpu, Peak peak, Hertz clock) {
  return gpu.peak(peak).value() / (kFlopsOfMac * clock.value() * gpu.sm_count);
}

Hertz tensor_clock(const Gpu& gpu) { return gpu.tensor_clock.value_or(gpu.clock); }

double peak_over_bandwidth(const Gpu& gpu) {
  const Fact* peak = fact_of(gpu, "level.DRAM.peak_bandwidth");
  if (peak == nullptr) return 1;
  const auto bandwidth = parse<BytesPerSecond>(peak->text);
  return bandwidth ? *bandwidth / gpu.level("DRAM").bandwidth : 1;
}

// Bytes a clock of an SM.
double l2_port(const Gpu& gpu) { return gpu.level("L2").bandwidth.value() / (gpu.sm_count * gpu.clock.value()); }
double l1_port(const Gpu& gpu) { return gpu.level("L1").bandwidth.value() / gpu.clock.value(); }
double smem_port(const Gpu& gpu) { return gpu.smem_load_bandwidth.value() / gpu.clock.value(); }

// The negative binomial yield of an area.
double intact(double mm2, const CostModel& model) {
  return std::pow(1 + mm2 * model.defects_per_mm2 / model.clustering, -model.clustering);
}

// The probability that of `sms` independent SMs, each intact with `good`, at most `spare` are broken.
double enough_intact(double sms, double spare, double good) {
  double term = std::pow(good, sms), sum = term;
  for (double broken = 0; broken < spare; ++broken) {
    term *= (sms - broken) / (broken + 1) * (1 - good) / good;
    sum += term;
  }
  return std::min(sum, 1.0);
}

void price_silicon(HardwareCost& cost, const DieCounts& die, double used_sms, const CostModel& model) {
  cost.dies = std::max(1.0, std::ceil(cost.area.total() / model.reticle_mm2));
  const double die_mm2 = cost.area.total() / cost.dies;
  const double sms = std::max(1.0, std::round(die.sms / cost.dies));
  const double spare = std::max(0.0, sms - std::ceil(used_sms / cost.dies));
  const double sm_mm2 = cost.area.sms / cost.dies / sms;
  cost.yield = intact(die_mm2 - sms * sm_mm2, model) * enough_intact(sms, spare, intact(sm_mm2, model));
  cost.dies_per_wafer =
      std::max(1.0, model.wafer_mm2 / die_mm2 - std::numbers::pi * model.wafer_mm / std::sqrt(2 * die_mm2));
  cost.silicon = Dollars(cost.dies * model.wafer_usd / (cost.dies_per_wafer * cost.yield));
}

void add_power(HardwareCost& cost, const Gpu& gpu, const CostModel& model) {
  const double clock = gpu.base_clock.value_or(gpu.clock).value();
  const double lanes = macs(gpu, Peak::fp32, gpu.clock) * model.mac_joules_at_1hz;
  const double tensor = macs(gpu, Peak::tensor_fp16, tensor_clock(gpu)) * model.tensor_mac_joules_at_1hz;
  const double bandwidth = gpu.level("DRAM").bandwidth.value() * model.peak_of_bandwidth;
  cost.arithmetic = Watts(gpu.sm_count * std::max(lanes, tensor) * clock * clock);
  cost.dram = Watts(bandwidth * model.dram_byte_joules);
  const Watts busy = cost.arithmetic + cost.dram + Watts(model.idle_watts);
  cost.idle = busy / (1 - model.idle_share) - cost.arithmetic - cost.dram;
}

// What the die has beyond what the GPU uses, from the chip where that is listed.
void take_chip(CostModel& model, const ChipCosts& chip, const Gpu& gpu) {
  model.sms_on_die = chip.sms / gpu.sm_count;
  model.l2_on_die = chip.l2 / gpu.level("L2").capacity;
  const double tensor = macs(gpu, Peak::tensor_fp16, tensor_clock(gpu));
  if (tensor > 0) model.tensor_on_die = chip.tensor_macs / tensor;
  model.channels_of_bandwidth = chip.channels / gpu.level("DRAM").bandwidth.value();
}

}  // namespace

Result<CostModel> cost_model_of(const CostTable& table, const Gpu& gpu) {
  const auto missing = [&](std::string what) { return fail(ErrorCode::not_found, std::move(what), gpu.id); };
  if (!gpu.process_nm) return missing("its process is not known; give core.process_nm in its file");
  const ProcessCosts* process = table.process(*gpu.process_nm);
  if (process == nullptr) return missing(fmt::format("the costs have no [[process]] with nm = {:g}", *gpu.process_nm));
  const Fact* type = fact_of(gpu, "level.DRAM.type");
  if (type == nullptr) return missing("its memory type is not known; give type in [[level]] DRAM of its file");
  const MemoryCosts* memory = table.memory(type->text);
  if (memory == nullptr) return missing(fmt::format("the costs have no [[memory]] of type '{}'", type->text));

  const ChipCosts* chip = table.chip_of(gpu.id);
  CostModel model;
  model.rates = die_rates(table.area, *process, *memory, chip == nullptr ? 0 : chip->links);
  model.peak_of_bandwidth = peak_over_bandwidth(gpu);
  model.sms_on_die = 1 + table.area.spare_sms;
  model.channels_of_bandwidth = model.peak_of_bandwidth / (memory->channel_gb_per_s * kGiga);
  if (chip != nullptr) {
    take_chip(model, *chip, gpu);
    model.public_area = chip->die_mm2 / area_of(*chip, table, table.area).total();
  }
  model.l2_port = l2_port(gpu);
  model.l1_port = l1_port(gpu);
  model.smem_port = smem_port(gpu);
  model.one_array = gpu.level("L1").capacity >= gpu.sm.smem;
  model.stacked = memory->stacked;

  model.wafer_mm = table.die.wafer_mm;
  model.wafer_mm2 = std::numbers::pi / 4 * table.die.wafer_mm * table.die.wafer_mm;
  model.wafer_usd = process->wafer_usd;
  model.defects_per_mm2 = process->defects_per_cm2 / 100;
  model.clustering = table.die.clustering;
  model.reticle_mm2 = table.die.reticle_mm2;
  model.price = table.price;
  model.usd_per_byte = memory->usd_per_gb / kGi;

  const EnergyCosts& energy = table.energy;
  const double shrink = std::pow(*gpu.process_nm / energy.reference_nm, energy.process_exponent);
  const double reference_hertz = energy.reference_ghz * kGiga;
  model.mac_joules_at_1hz = energy.mac_pj * kPico * shrink / reference_hertz;
  model.tensor_mac_joules_at_1hz = energy.tensor_mac_pj * kPico * shrink / reference_hertz;
  const double on_chip = std::pow(*gpu.process_nm / energy.on_chip_nm, energy.process_exponent);
  model.l1_byte_joules = energy.l1_byte_pj * kPico * on_chip;
  model.l2_byte_joules = energy.l2_byte_pj * kPico * on_chip;
  model.dram_byte_joules = kBits * memory->pj_per_bit * kPico;
  model.idle_watts = energy.idle_w;
  model.idle_share = energy.idle_share;
  return model;
}

DieCounts die_counts(const Gpu& gpu, const CostModel& model) {
  constexpr double kRegisterBytes = 4;
  const double l1 = gpu.level("L1").capacity.value(), smem = gpu.sm.smem.value();
  DieCounts die;
  die.sms = gpu.sm_count * model.sms_on_die;
  die.lanes = macs(gpu, Peak::fp32, gpu.clock);
  die.tensor_macs = macs(gpu, Peak::tensor_fp16, tensor_clock(gpu)) * model.tensor_on_die;
  const double arrays = model.one_array ? std::max(l1, smem) : l1 + smem;
  die.sm_sram = gpu.sm.registers * kRegisterBytes + arrays;
  die.l2_port = l2_port(gpu) / model.l2_port;
  const double wider_l1 = l1_port(gpu) / model.l1_port - 1, wider_smem = smem_port(gpu) / model.smem_port - 1;
  die.widened_sram = model.one_array ? arrays * std::max(wider_l1, wider_smem) : l1 * wider_l1 + smem * wider_smem;
  die.l2 = gpu.level("L2").capacity.value() * model.l2_on_die;
  die.channels = gpu.level("DRAM").bandwidth.value() * model.channels_of_bandwidth;
  return die;
}

HardwareCost cost_of(const Gpu& gpu, const CostModel& model) {
  const DieCounts die = die_counts(gpu, model);
  HardwareCost cost;
  cost.area = area_of(die, model.rates);
  for (double* part : {&cost.area.sms, &cost.area.l2, &cost.area.memory, &cost.area.fixed}) *part *= model.public_area;
  price_silicon(cost, die, gpu.sm_count, model);
  add_power(cost, gpu, model);
  cost.memory = Dollars(gpu.level("DRAM").capacity.value() * model.usd_per_byte);
  cost.package = Dollars(model.price.package_usd);
  if (model.stacked) {
    const double interposer = cost.area.total() + die.channels * model.price.stack_mm2;
    cost.package += Dollars(interposer * model.price.interposer_usd_per_mm2);
  }
  cost.board = Dollars(model.price.board_usd + model.price.board_usd_per_watt * cost.power().value());
  return cost;
}

}  // namespace rooftile
