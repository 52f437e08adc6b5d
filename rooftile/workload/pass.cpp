#include "rooftile/workload/pass.hpp"

namespace rooftile {

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::fwd:
      return "fwd";
    case Pass::bwd_data:
      return "bwd_data";
    case Pass::bwd_weight:
      return "bwd_weight";
  }
  return "";
}

std::optional<Pass> parse_pass(std::string_view text) {
  for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
    if (name_of(pass) == text) return pass;
  }
  if (text == "forward" || text == "inference") return Pass::fwd;
  return std::nullopt;
}

}  // namespace rooftile
