// The convolutions that the DeLTA paper evaluates: those of four networks, and the artificial layer of its appendix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/workload/op.hpp"

namespace rooftile {

struct EvaluatedLayer {
  std::string network;  // a name of zoo()
  std::string name;
  Conv conv;
};

// The first of equal layers of each network; 83 of the four.
std::vector<EvaluatedLayer> unique_convolutions(std::int64_t batch);

// Appendix A: 256 channels of 13x13 to 128, 3x3, stride 1, padding 1.
Conv artificial_convolution(std::int64_t batch);

}  // namespace rooftile
