#include "rooftile/profile/counters.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "rooftile/base/parse_number.hpp"
#include "rooftile/gpu/generation.hpp"
#include "rooftile/profile/stall_reasons.hpp"

namespace rooftile::profile {
namespace {

constexpr double kSector = 32;      // bytes of a sector of L1 or L2, and of an nvprof transaction
constexpr double kKibibyte = 1024;  // FETCH_SIZE and WRITE_SIZE of rocprof count them
constexpr double kAny = std::numeric_limits<double>::infinity();

// The products and sums of threads, by the instruction's letter (d, f, h); a fused one is two operations.
CounterRule scalar_flops(Quantity quantity, const std::string& unit, const std::string& letter) {
  const std::string start = unit + "__sass_thread_inst_executed_op_" + letter;
  return {
      quantity, 0, kAny, {{start + "add_pred_on.sum"}, {start + "mul_pred_on.sum"}, {start + "fma_pred_on.sum", 2}}};
}

// Sectors that `source` ("", "_srcunit_tex") asked the L2 for; atomics read and write.
CounterRule l2_sectors(Quantity quantity, const std::string& source, const std::string& op) {
  const std::string start = "lts__t_sectors" + source + "_op_";
  return {
      quantity,
      0,
      kAny,
      {{start + op + ".sum", kSector}, {start + "red.sum", kSector, 0, true}, {start + "atom.sum", kSector, 0, true}}};
}

std::vector<CounterRule> make_rules() {
  using Q = Quantity;
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_";
  const std::string copies = "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_";
  std::vector<CounterRule> rules = {
      {Q::l1_load,
       0,
       kAny,
       {{sectors + "global_op_ld.sum", kSector},
        {sectors + "local_op_ld.sum", kSector},
        {copies + "access.sum", kSector, generation::kAsyncCopy},
        {copies + "bypass.sum", kSector, generation::kAsyncCopy},
        {"l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", 1, generation::kTma}}},
      {Q::l1_store,
       0,
       kAny,
       {{sectors + "global_op_st.sum", kSector},
        {sectors + "local_op_st.sum", kSector},
        {sectors + "global_op_red.sum", kSector, 0, true},
        {sectors + "global_op_atom.sum", kSector, 0, true},
        {"l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum", 1, generation::kTma},
        {"l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_red.sum", 1, generation::kTma}}},
      {Q::l1_total, 7.0, 8.99, {{"l1tex__t_bytes.sum"}}},
      l2_sectors(Q::l2_load, "_srcunit_tex", "read"),
      l2_sectors(Q::l2_store, "_srcunit_tex", "write"),
      l2_sectors(Q::l2_load, "", "read"),
      l2_sectors(Q::l2_store, "", "write"),
      {Q::l2_total, 0, kAny, {{"lts__t_bytes.sum"}}},
      {Q::dram_load, 0, kAny, {{"dram__bytes_read.sum"}}},
      {Q::dram_store, 0, kAny, {{"dram__bytes_write.sum"}}},
      {Q::dram_load, 0, kAny, {{"dram__bytes_op_read.sum"}}},
      {Q::dram_store, 0, kAny, {{"dram__bytes_op_write.sum"}}},
      {Q::dram_load, 0, kAny, {{"dram__sectors_read.sum", kSector}}},
      {Q::dram_store, 0, kAny, {{"dram__sectors_write.sum", kSector}}},
      {Q::dram_total, 0, kAny, {{"dram__bytes.sum"}}},
      // nvprof: NERSC's set for the V100; older GPUs count L1 transactions of another size.
      {Q::l1_load, 7.0, 7.2, {{"gld_transactions", kSector}, {"local_load_transactions", kSector}}},
      {Q::l1_store,
       7.0,
       7.2,
       {{"gst_transactions", kSector},
        {"local_store_transactions", kSector},
        {"atomic_transactions", kSector, 0, true}}},
      {Q::l2_load, 0, kAny, {{"l2_read_transactions", kSector}}},
      {Q::l2_store, 0, kAny, {{"l2_write_transactions", kSector}}},
      {Q::dram_load, 0, kAny, {{"dram_read_transactions", kSector}}},
      {Q::dram_store, 0, kAny, {{"dram_write_transactions", kSector}}},
      // rocprof and rocprofv3.
      {Q::dram_load, 0, kAny, {{"FETCH_SIZE", kKibibyte}}},
      {Q::dram_store, 0, kAny, {{"WRITE_SIZE", kKibibyte}}},
      {Q::fp64, 0, kAny, {{"flop_count_dp"}}},
      {Q::fp32, 0, kAny, {{"flop_count_sp"}}},
      {Q::fp16, 0, kAny, {{"flop_count_hp"}}},
      // 512 FLOPs a tensor instruction of a V100: the time-based Roofline's count.
      {Q::tensor, 7.0, 7.2, {{"sm__inst_executed_pipe_tensor.sum", 512}}},
      // Timelines of Rooftile's own.
      {Q::dram_total, 0, kAny, {{std::string(kDramBytes)}}},
      {Q::fp32, 0, kAny, {{std::string(kCudaFlops)}}},
      {Q::tensor, 0, kAny, {{std::string(kTensorFlops)}}},
  };
  for (const char* const unit : {"sm", "smsp"}) {
    rules.push_back(scalar_flops(Q::fp64, unit, "d"));
    rules.push_back(scalar_flops(Q::fp32, unit, "f"));
    rules.push_back(scalar_flops(Q::fp16, unit, "h"));
  }
  return rules;
}

// Whether the rule holds for the GPU: one that is for some GPUs does not where it is unknown which it was.
bool holds(const CounterRule& rule, std::optional<double> capability) {
  if (!capability) return rule.least_capability == 0 && rule.most_capability == kAny;
  return *capability >= rule.least_capability && *capability <= rule.most_capability;
}

std::optional<double> value_of(const CounterRule& rule, const KernelProfile& kernel, std::optional<double> capability) {
  double sum = 0;
  for (const CounterTerm& term : rule.terms) {
    const auto count = kernel.metric(term.metric);
    if (!count && !term.optional && capability.value_or(kAny) >= term.since_capability) return std::nullopt;
    sum += count.value_or(0) * term.factor;
  }
  return sum;
}

std::optional<double> first_value(Quantity quantity, const KernelProfile& kernel, std::optional<double> capability,
                                  const std::vector<CounterRule>& rules) {
  for (const CounterRule& rule : rules) {
    if (rule.quantity != quantity || !holds(rule, capability)) continue;
    if (const auto value = value_of(rule, kernel, capability)) return value;
  }
  return std::nullopt;
}

// Operations of the tensor path by type of operands and result, one metric each: those that are there add up. A type's
// sum over results ("…_src_fp8.sum") counts only where no single one ("…_src_fp8_dst_fp32.sum") is there.
std::optional<double> tensor_path_flops(const KernelProfile& kernel) {
  constexpr std::string_view kStart = "sm__ops_path_tensor_src_";
  constexpr std::string_view kEnd = ".sum";
  std::vector<std::pair<std::string, double>> counts;  // by name without kEnd
  kernel.metrics.each([&](std::string_view name, double value) {
    if (name.size() <= kEnd.size() || name.substr(0, kStart.size()) != kStart) return;
    if (name.substr(name.size() - kEnd.size()) != kEnd || name.find("sparsity") != std::string_view::npos) return;
    counts.emplace_back(name.substr(0, name.size() - kEnd.size()), value);
  });
  std::optional<double> sum;
  for (const auto& count : counts) {
    const std::string part = count.first + "_dst_";
    const bool has_parts = std::any_of(counts.begin(), counts.end(),
                                       [&](const auto& other) { return other.first.substr(0, part.size()) == part; });
    if (!has_parts) sum = sum.value_or(0) + count.second;
  }
  return sum;
}

}  // namespace

const std::vector<CounterRule>& counter_rules() {
  static const std::vector<CounterRule> rules = make_rules();
  return rules;
}

std::vector<CounterRule> rules_with_tensor_flops(double flops_an_instruction) {
  std::vector<CounterRule> rules;
  for (const char* const metric : {"sm__inst_executed_pipe_tensor.sum", "sm__inst_executed_pipe_tensor_op_hmma.sum"}) {
    rules.push_back({Quantity::tensor, 0, kAny, {{metric, flops_an_instruction}}});
  }
  rules.insert(rules.end(), counter_rules().begin(), counter_rules().end());
  return rules;
}

std::optional<double> capability_number(std::string_view compute_capability) {
  const auto number = rooftile::parse_number(compute_capability);
  return number.value_or(0) > 0 ? number : std::nullopt;
}

KernelCounters counters(const KernelProfile& kernel, const std::vector<CounterRule>& rules) {
  const auto capability = capability_number(kernel.compute_capability);
  const auto number = [&](Quantity quantity) { return first_value(quantity, kernel, capability, rules); };
  const auto bytes = [&](Quantity quantity) {
    const auto value = number(quantity);
    return value ? std::optional<Bytes>(*value) : std::nullopt;
  };
  const auto flops = [](std::optional<double> value) { return value ? std::optional<Flops>(*value) : std::nullopt; };
  const auto total = [&](std::optional<Bytes> load, std::optional<Bytes> store, Quantity quantity) {
    return load && store ? std::optional<Bytes>(*load + *store) : bytes(quantity);
  };
  KernelCounters counted;
  counted.launches = kernel.launches;
  if (kernel.metrics.empty()) return counted;
  counted.l1_load = bytes(Quantity::l1_load);
  counted.l1_store = bytes(Quantity::l1_store);
  counted.l1 = total(counted.l1_load, counted.l1_store, Quantity::l1_total);
  counted.l2_load = bytes(Quantity::l2_load);
  counted.l2_store = bytes(Quantity::l2_store);
  counted.l2 = total(counted.l2_load, counted.l2_store, Quantity::l2_total);
  counted.dram_load = bytes(Quantity::dram_load);
  counted.dram_store = bytes(Quantity::dram_store);
  counted.dram = total(counted.dram_load, counted.dram_store, Quantity::dram_total);
  counted.fp64 = flops(number(Quantity::fp64));
  counted.fp32 = flops(number(Quantity::fp32));
  counted.fp16 = flops(number(Quantity::fp16));
  const auto tensor = number(Quantity::tensor);
  counted.tensor = flops(tensor ? tensor : tensor_path_flops(kernel));
  return counted;
}

std::vector<std::string> ncu_metrics(std::string_view compute_capability) {
  const double capability = capability_number(compute_capability).value_or(0);
  std::vector<std::string> metrics = {
      "gpu__time_duration.sum",
      "dram__bytes.sum",
      "lts__t_sectors_srcunit_tex_op_read.sum",
      "lts__t_sectors_srcunit_tex_op_write.sum",
      "lts__t_sectors_srcunit_tex_op_red.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
      "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
      "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
  };
  if (capability >= generation::kAsyncCopy) {
    metrics.emplace_back("sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum");
    metrics.emplace_back("sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum");
  }
  if (capability >= generation::kTma) {
    metrics.emplace_back("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum");
    metrics.emplace_back("l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum");
    metrics.emplace_back("l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_red.sum");
  }
  for (std::string& metric : ncu_stall_metrics()) metrics.push_back(std::move(metric));
  return metrics;
}

}  // namespace rooftile::profile
