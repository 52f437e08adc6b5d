#include "rooftile/timing/attention_time.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

// Exponentials of most GPUs (CUDA C++ Programming Guide, arithmetic throughput), which the gradient's other work on a
// pair of query and key is counted in.
constexpr double kUsualExponentials = 16;

// What the waits and starts of small kernels were fitted at; they grow with the bytes of a key.
constexpr double kUsualDim = 128, kStartDim = 256;

// How much longer products take at the clock that a board keeps up: the longer they run, the nearer they come to it.
double slowdown(double work, const GpuRates& rates) {
  constexpr double kMicro = 1e-6;
  const double guaranteed = std::min(1.0, rates.base_clock / rates.clock);
  const double lost = (1 - guaranteed) * (1 - rates.constants[AttentionConstant::clock_share]);
  const double window = rates.constants[AttentionConstant::power_window] * kMicro;
  return 1 / (1 - lost * work / (work + window));
}

// Multiply-accumulates of an SM in a clock at which efficiencies of kernels that load operands are stated: an A100's.
constexpr double kAmpereMacs = 1024;

// The same of kernels whose tensor cores fetch operands themselves: an H100 SXM's in FP16, 989 TFLOP/s on 132 SMs at
// 1.98 GHz.
constexpr double kHopperMacs = 1890;

// Seconds of one CTA alone on an SM.
struct CtaTime {
  double work = 0;     // of a step: products and exponentials
  double wait = 0;     // of a step
  double latency = 0;  // of a step: what it waits for besides, unless other CTAs of the SM have work meanwhile
  double start = 0;    // before the first step and after the last
};

// The shares of the functions below, and kConvertedStart, were chosen together with the starting values of the
// constants they scale, on the rows of A100, H100 and L40S in aiconfigurator/attention.csv
// (docs/theory/attention.md); a calibration fits the constants alone.

// Stacked heads are columns of a product, eight to an instruction: those beyond the first.
double further_octets(const AttentionPlan& plan) {
  constexpr double kOctet = 8;
  return std::ceil(plan.packed / kOctet) - 1;
}

// Of group_cycles, what heads take that are stacked without waiting for their tile: in proportion to their dimensions.
double packed_start(const AttentionPlan& plan) {
  constexpr double kDim = 64, kShare = 0.19, kFurther = 0.5;
  return kShare * (1 + plan.head_dim / kDim) * (1 + kFurther * further_octets(plan));
}

// Of single queries, with more rows than one instruction takes.
double row_start(const AttentionPlan& plan) {
  constexpr double kInstructionRows = 16, kShare = 0.33;
  if (!plan.decode) return 1;
  return 1 + kShare * std::max(0.0, plan.tile_q / kInstructionRows - 1);
}

// Of CTAs whose keys are converted one by one, two of which an SM holds.
constexpr double kConvertedStart = 3;

double start_cycles(const AttentionPlan& plan, const Constants& constants) {
  constexpr double kMaskRows = 128;
  const double masks = plan.spills_masks ? constants[AttentionConstant::paged_mask] : 0;
  switch (plan.kernel) {
    case AttentionKernel::tile:
      if (plan.split_tile) return constants[AttentionConstant::paged_cycles] * (1 + plan.head_dim / kStartDim);
      return constants[AttentionConstant::tile_cycles] + masks * plan.tile_q / kMaskRows;
    case AttentionKernel::small:
      return 0;
    case AttentionKernel::stacked:
      return constants[AttentionConstant::group_cycles] * packed_start(plan);
    case AttentionKernel::vector:
      return constants[AttentionConstant::vector_cycles];
    case AttentionKernel::converted:
      return constants[AttentionConstant::group_cycles] * (1 + plan.head_dim / kStartDim) * kConvertedStart;
    case AttentionKernel::paged:
      return constants[AttentionConstant::paged_cycles] * (1 + plan.head_dim / kStartDim) + masks;
    case AttentionKernel::group:
      break;
  }
  return constants[AttentionConstant::group_cycles] * (1 + plan.head_dim / kStartDim) * row_start(plan);
}

// Threads gather keys and values row by row. FP8 values are transposed on their way, and above 128 dimensions leave no
// registers to do so ahead of the products.
double paged_step(const AttentionPlan& plan) {
  constexpr double kKeys = 128;
  const double dim = plan.head_dim / kUsualDim;
  return plan.tile_kv / kKeys * dim * (plan.transposed ? std::max(1.0, dim) : 1);
}

double step_cycles(const AttentionPlan& plan, const Constants& constants) {
  const double dim = plan.head_dim / kUsualDim;
  if (plan.kernel == AttentionKernel::paged) return constants[AttentionConstant::paged_step] * paged_step(plan);
  if (plan.kernel == AttentionKernel::vector) return constants[AttentionConstant::vector_step] * dim;
  if (plan.kernel == AttentionKernel::stacked) {
    constexpr double kFurther = 0.25;
    const double step = constants[AttentionConstant::vector_step] * dim * (1 + kFurther * further_octets(plan));
    return plan.waits ? step : 0;
  }
  if (plan.kernel == AttentionKernel::converted) return constants[AttentionConstant::converted_step] * dim;
  return plan.waits ? constants[AttentionConstant::group_step] * dim : 0;
}

// xFormers' kernels on Volta and Turing: warps of 32 x 32 results write scores to shared memory and load them from
// there again, as they load all other operands, so that tensor cores wait for them. An SM makes kSharedMacs
// multiply-accumulates in a clock, and a pair takes kSharedSoftmax exponentials' time besides, by the times of a V100
// (facebookresearch/xformers, pull request 434: heads of 16 to 128 dimensions, 128 to 16,384 positions).
constexpr double kSharedMacs = 161, kSharedSoftmax = 2.5;

// Efficiency of 3xTF32, by the times of an A100 (NVIDIA/cutlass, pull request 662).
constexpr double kSplitOperands = 0.15;

double efficiency_of(const AttentionPlan& plan, const Constants& constants) {
  return plan.splits_operands ? kSplitOperands : constants[constant_of(plan.rate)];
}

// What the lanes do with a pair of query and key, that products do not hide: an exponential, and in a backward pass
// what turns it into gradients.
double vector_cycles(const AttentionPlan& plan, const Constants& constants) {
  double cycles = 1 / plan.exponentials;
  if (plan.backward) cycles += (constants[AttentionConstant::backward_vector] - 1) / kUsualExponentials;
  if (plan.block_scaled) cycles *= constants[AttentionConstant::block_scales];
  return cycles * (plan.shares_scores ? kSharedSoftmax : constants[softmax_of(plan)]);
}

// Of four warps alone on an SM, whose products wait for their loads and exponentials: L40S takes 1.1 times as long as
// with eight warps, A100 at 256 dimensions 1.4 times as long as at 128, where two CTAs share an SM.
constexpr double kLone = 1.15;

// FlashAttention-2 takes half as long as the kernel of 2022 (Dao, arXiv:2307.08691, abstract), on an A100, whose SM
// makes 1,024 products in a clock. What it saves is what warps exchanged and scaled, not products, and as many clocks
// where those take longer.
double early_cycles(double macs, double rate, double vector) { return macs / (kAmpereMacs * rate) + vector; }

// Seconds of products at `efficiency`. Where warps load the operands into registers themselves, what is lost are clocks
// for that, as many for a product whatever the tensor cores' rate: efficiencies are those at an A100's rate. What is
// lost where they fetch them themselves are clocks as well, seen on the one GPU that has an H100's SMs and a quarter of
// their rate (H20); faster ones lose the same share.
double product_seconds(const AttentionPlan& plan, double macs, double efficiency, const GpuRates& rates) {
  const double peak = macs / (rates.macs_per_second() * plan.issued);
  if (plan.shares_scores) return std::max(peak, macs / (kSharedMacs * rates.clock.value()));
  if (plan.asynchronous) {
    const double reference = kHopperMacs * (size_of(DType::fp16) / size_of(plan.precision));
    const double slower = std::min(1.0, rates.macs_per_second() / (reference * rates.clock.value()));
    return peak * (1 + (1 / efficiency - 1) * slower);
  }
  if (!plan.loads_operands) return peak / efficiency;
  return peak + macs / (kAmpereMacs * rates.clock.value()) * (1 / efficiency - 1);
}

CtaTime cta_time(const AttentionPlan& plan, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  const double pairs = plan.tile_q * plan.tile_kv;
  const double efficiency = efficiency_of(plan, constants);
  double products = product_seconds(plan, pairs * plan.pair_macs, efficiency, rates);
  // Where exponentials limit, power does not: GB200 kept its clock over the first milliseconds.
  if (!plan.overlapped) products *= slowdown(plan.ctas * plan.split * plan.steps * products / rates.sms, rates);
  const double vector = pairs * vector_cycles(plan, constants) / rates.clock.value();
  CtaTime cta;
  cta.work = plan.overlapped ? together(products, vector) : products + vector;
  if (plan.early) {
    const double vectors = pairs * vector_cycles(plan, constants);
    cta.work += early_cycles(pairs * plan.pair_macs, efficiency, vectors) / rates.clock.value();
  }
  if (plan.lone) cta.work *= kLone;
  if (plan.ordered) cta.work *= constants[AttentionConstant::ordered_sums];
  cta.wait = step_cycles(plan, constants) / rates.clock.value();
  if (plan.kernel == AttentionKernel::paged) {  // products and exponentials run beside the loads
    cta.work = pairs * plan.pair_macs / (rates.macs_per_second() * plan.issued);
    cta.wait = std::max(0.0, cta.wait - cta.work);
  }
  cta.start = start_cycles(plan, constants) / rates.clock.value();
  if (plan.kernel == AttentionKernel::vector) {  // keys, then values: threads hold 64 of them at 128 dimensions
    constexpr double kLoads = 2;
    cta.latency = kLoads * plan.head_dim / kUsualDim * rates.dram_latency.value() / rates.clock.value();
  }
  return cta;
}

// CTAs one after another on the busiest SM, where an SM holds `per_sm` of them in all.
double rounds(double per_sm, double overlap) {
  return (1 - overlap) * std::ceil(per_sm) + overlap * std::max(per_sm, 1.0);
}

// What SMs go through; resident CTAs wait together and work one after another.
struct Busy {
  double work = 0, wait = 0, both = 0;
};

Busy busy_time(const AttentionPlan& plan, const CtaTime& cta, const GpuRates& rates) {
  const double overlap = plan.persistent && !plan.decode ? rates.constants[AttentionConstant::wave_overlap] : 0;
  const double per_sm = plan.ctas * plan.split / rates.sms;
  const double waves = rounds(per_sm / plan.resident, overlap);
  const double alone = plan.steps * (cta.work + cta.wait) + cta.start;
  Busy busy;
  busy.work = rounds(per_sm, overlap) * plan.steps * cta.work;
  busy.wait = waves * (plan.steps * cta.wait + cta.start);
  busy.both = plan.resident > 1 ? together(busy.work, waves * alone) : waves * alone;
  // Those that start together with a step or two wait together, and multiply one after another.
  if (plan.split_tile) busy.both = busy.work + busy.wait;
  busy.both = std::max(busy.both, plan.most_steps * (cta.work + cta.wait + cta.latency) + cta.start);
  return busy;
}

}  // namespace

AttentionConstant constant_of(AttentionRate rate) {
  switch (rate) {
    case AttentionRate::full:
      return AttentionConstant::efficiency;
    case AttentionRate::older:
      return AttentionConstant::older_efficiency;
    case AttentionRate::fp8:
      return AttentionConstant::fp8_efficiency;
    case AttentionRate::promoted:
      return AttentionConstant::promoted_efficiency;
    case AttentionRate::spilled:
      return AttentionConstant::spilled_efficiency;
    case AttentionRate::narrow:
      return AttentionConstant::narrow_efficiency;
  }
  return AttentionConstant::efficiency;
}

AttentionConstant softmax_of(const AttentionPlan& plan) {
  return plan.overlapped ? AttentionConstant::overlapped_softmax : AttentionConstant::softmax;
}

AttentionTime attention_time(const AttentionPlan& plan, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  const BytesPerSecond dram_rate = rates.dram * constants[AttentionConstant::dram_efficiency];
  const BytesPerSecond l2_rate = rates.l2 * constants[AttentionConstant::l2_efficiency];
  const Busy busy = busy_time(plan, cta_time(plan, rates), rates);
  AttentionTime result;
  result.traffic = attention_traffic(plan, rates);
  const Traffic& traffic = result.traffic.attention;
  // What a prompt's tiles of queries load again comes ahead of the products, at the L2's bandwidth.
  const Bytes ahead = plan.streamed_again();
  const double streamed = (ahead / rates.l2).value();
  const double dram = (traffic.at_dram() / dram_rate).value();
  const double l2 = ((traffic.at_l2() - ahead) / l2_rate).value();
  const double memory = together(dram, l2);
  // Also the first keys of the next tile. XQA of Hopper for FP8 (mha_sm90.cu) and TensorRT-LLM's kernels for Blackwell
  // have warps for their loads alone.
  const bool prefetches = plan.kernel == AttentionKernel::paged || plan.kernel == AttentionKernel::stacked;
  const double loaded = prefetches ? std::max(busy.both, memory) : together(busy.both, memory);
  const double attention = std::max(loaded, streamed + l2);

  const double around_dram = (result.traffic.around.at_dram() / dram_rate).value();
  const double around_l2 = (result.traffic.around.at_l2() / l2_rate).value();
  const AttentionConstant token =
      plan.token_writes ? AttentionConstant::written_token_cycles : AttentionConstant::token_cycles;
  const double tokens = plan.token_ctas / rates.sms * constants[token] / rates.clock.value();
  const double around = together(tokens, together(around_dram, around_l2));

  const double scans = plan.scans * constants[AttentionConstant::scan_cycles] / rates.clock.value();
  double combine = 0, parts = 0;
  if (plan.split > 1) {
    const AttentionConstant adding = plan.merged ? AttentionConstant::vector_cycles : AttentionConstant::combine_cycles;
    combine = constants[adding] / rates.clock.value();
    // FlashAttention-2 adds one part after another, each when its loads are there (combine_attn_seqk_parallel).
    if (plan.split_tile) combine += plan.split * rates.l2_latency.value() / rates.clock.value();
    parts = (result.traffic.combine.at_l2() / rates.l2).value();
  }
  const double launch = constants[AttentionConstant::kernel_cost] * (plan.kernels - 1) * rates.launch.value();

  result.cases[Bottleneck::compute] = Seconds(busy.work);
  result.cases[Bottleneck::latency] = Seconds(busy.wait + scans + tokens + combine);
  result.cases[Bottleneck::l2] = Seconds(streamed + l2 + around_l2 + parts);
  result.cases[Bottleneck::dram] = Seconds(dram + around_dram);
  result.cases[Bottleneck::launch] = Seconds(launch);
  result.time = Seconds(attention + scans + around + combine + parts + launch);
  return result;
}

}  // namespace rooftile
