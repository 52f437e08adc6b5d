#include "rooftile/workload/op.hpp"

namespace rooftile {
namespace {

// One overload a kind, so that a new kind without a name does not compile.
struct KindName {
  std::string_view operator()(const Conv&) const { return "conv"; }
  std::string_view operator()(const Gemm&) const { return "gemm"; }
  std::string_view operator()(const Attention&) const { return "attention"; }
  std::string_view operator()(const Recurrent&) const { return "recurrent"; }
  std::string_view operator()(const Pool&) const { return "pool"; }
  std::string_view operator()(const Normalize&) const { return "normalize"; }
  std::string_view operator()(const Softmax&) const { return "softmax"; }
  std::string_view operator()(const Elementwise&) const { return "elementwise"; }
  std::string_view operator()(const Reduce&) const { return "reduce"; }
  std::string_view operator()(const Move&) const { return "move"; }
  std::string_view operator()(const View&) const { return "view"; }
};

}  // namespace

std::string_view name_of(const OpKind& kind) { return std::visit(KindName{}, kind); }

}  // namespace rooftile
