// The layers that a user asks for, from the words of a command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/layer_case.hpp"

namespace rooftile::measure {

struct Selection {
  std::vector<std::string> networks{};       // names of the zoo
  std::vector<std::string> tables{};         // paths of layer tables
  std::optional<std::int64_t> batch_size{};  // of networks; nothing: 256
  // Names; empty: fp32, fwd, nchw and the library's choice for networks, whatever it is for tables and the default set.
  std::vector<std::string> precisions{}, passes{}, layouts{};
  std::vector<std::string> algorithms{};  // of convolutions; "all": every one
  bool quick = false;
};

struct Selected {
  std::vector<LayerCase> cases;
  std::size_t left_out = 0;  // rows of tables that cannot be measured
};

// Without networks and tables the default set, of which the words choose a part. Errors name the option and the nearest
// word.
Result<Selected> select_cases(const Selection& selection);

}  // namespace rooftile::measure
