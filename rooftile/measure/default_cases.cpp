// The set of layers that is measured when nothing is asked for. Small and cheap groups come first, so that a run that
// ends early has something of everything.
#include <cstdint>
#include <initializer_list>

#include "rooftile/measure/cases.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile::measure {
namespace {

constexpr std::int64_t kBatch = 256;  // the DeLTA paper's

class CaseList {
 public:
  void add(const std::vector<LayerCase>& layers, const CaseChoice& choice) {
    const std::vector<LayerCase> more = cases_of(layers, choice);
    cases_.insert(cases_.end(), more.begin(), more.end());
  }
  void add(const CaseOp& op, const std::string& layer, std::vector<DType> precisions) {
    CaseChoice choice;
    choice.precisions = std::move(precisions);
    add({{op, DType::fp32, Pass::fwd, Layout::nchw, "", layer}}, choice);
  }
  const std::vector<LayerCase>& get() const { return cases_; }

 private:
  std::vector<LayerCase> cases_;
};

// Activations of a transformer: 4096 tokens, widths of small and large models.
void streams(CaseList& cases) {
  for (const StreamKind kind : kStreamKinds) {
    for (const std::int64_t columns : {1024, 8192}) {
      for (const std::int64_t rows : {128, 4096}) {
        cases.add(StreamLayer{kind, rows, columns}, "", {DType::fp32, DType::bf16});
      }
    }
  }
}

Gemm gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Gemm one;
  one.m = m, one.n = n, one.k = k;
  one.trans_b = true;  // weights are stored outputs x inputs, the only layout that fp8 has
  return one;
}

void gemms(CaseList& cases) {
  const std::vector<DType> every = {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::int8};
  for (const std::int64_t size : {1024, 2048, 4096, 8192}) cases.add(gemm(size, size, size), "square", every);
  // Llama 3 8B (hidden 4096, feed-forward 14336, 8 of 32 heads for keys and values): decoding and a prompt.
  for (const std::int64_t tokens : {1, 16, 128, 2048}) {
    for (const auto& [n, k] : {std::pair{6144, 4096}, {4096, 4096}, {28672, 4096}, {4096, 14336}}) {
      cases.add(gemm(tokens, n, k), "llama3 8b", {DType::bf16, DType::fp8});
    }
  }
  // Tall, flat and deep ones, where tiles do not fill the chip, or k has to be split.
  for (const auto& [m, n, k] : {std::array{65536, 64, 64}, {64, 65536, 64}, {256, 256, 65536}, {1000, 1000, 1000}}) {
    cases.add(gemm(m, n, k), "skinny", {DType::fp32, DType::tf32, DType::bf16});
  }
  Gemm batched = gemm(512, 512, 64);
  batched.batch = 96;
  cases.add(batched, "scores of 8 x 12 heads", {DType::fp32, DType::bf16});
}

void recurrent(CaseList& cases) {
  // The sizes of Baidu's DeepBench around 1760 features, and a stack of four layers.
  for (const std::int64_t batch : {16, 64}) {
    for (const char* cell : {"lstm", "gru"}) {
      Recurrent one{cell, batch, 50, 1760, 1760, 1, 1, true};
      cases.add(one, "deepbench", {DType::fp32, DType::fp16});
      CaseChoice training;
      training.passes = {Pass::bwd_data, Pass::bwd_weight};
      cases.add({{one, DType::fp32, Pass::fwd, Layout::nchw, "", "deepbench"}}, training);
    }
    cases.add(Recurrent{"lstm", batch, 25, 1024, 1024, 4, 2, true}, "four layers, both ways",
              {DType::fp32, DType::fp16});
  }
}

void attention(CaseList& cases) {
  const auto shape = [](std::int64_t batch, std::int64_t queries, std::int64_t keys, std::int64_t kv_heads) {
    Attention one;
    one.batch = batch, one.q_len = queries, one.kv_len = keys;
    one.heads = 32, one.kv_heads = kv_heads, one.head_dim = 128, one.causal = true;
    return one;
  };
  for (const std::int64_t kv_heads : {8, 32}) {
    for (const std::int64_t length : {512, 2048, 8192}) {
      cases.add(shape(8192 / length, length, length, kv_heads), "prefill", {DType::bf16});
      for (const std::int64_t batch : {1, 32}) cases.add(shape(batch, 1, length, kv_heads), "decode", {DType::bf16});
    }
  }
}

void networks(CaseList& cases) {
  for (const ZooEntry& network : delta_networks()) {
    std::vector<LayerCase> heavy;
    for (const LayerCase& layer : layers_of(network.build(kBatch))) {
      if (!std::holds_alternative<StreamLayer>(layer.op)) heavy.push_back(layer);
    }
    CaseChoice choice;
    choice.algorithms = {"implicit_gemm", ""};  // what the paper models, and what a framework would run
    cases.add(heavy, choice);
  }
  for (const ZooEntry& network : zoo()) {
    if (network.name != "resnet50") continue;
    const std::vector<LayerCase> layers = layers_of(network.build(kBatch));
    std::vector<LayerCase> heavy;
    for (const LayerCase& layer : layers) {
      if (!std::holds_alternative<StreamLayer>(layer.op)) heavy.push_back(layer);
    }
    CaseChoice tensor;
    tensor.precisions = {DType::tf32, DType::fp16, DType::bf16};
    tensor.layouts = {Layout::nhwc};
    cases.add(heavy, tensor);
    CaseChoice gradients;
    gradients.passes = {Pass::bwd_data, Pass::bwd_weight};
    cases.add(heavy, gradients);
    gradients.precisions = {DType::bf16};
    gradients.layouts = {Layout::nhwc};
    cases.add(heavy, gradients);
  }
}

}  // namespace

std::vector<LayerCase> default_cases() {
  CaseList cases;
  streams(cases);
  gemms(cases);
  attention(cases);
  recurrent(cases);
  networks(cases);
  return unique_cases(cases.get());
}

}  // namespace rooftile::measure
