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

}  // namespace rooftile
